//! What Telegram's conversations can take.

use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Limits, Pace, Progress, Reach, TextLimit};

use crate::render;
use crate::telegram::Telegram;

pub(crate) fn limits(_telegram: &Telegram, _path: &InterfacePath) -> Limits {
    Limits {
        text: TextLimit::Utf16(4096),
        weigh: render::weigh,
        caption: 1024,
        files: 1,
        progress: Progress::Edit,
        pace: Pace {
            every: Duration::from_secs(1),
            growth: 1,
        },
        keyed: false,
        reach: Reach::Always,
        threads: true,
        buttons: true,
    }
}
