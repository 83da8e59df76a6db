//! What Telegram's conversations can take.

use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Limits, Pace, Progress, Reach, TextLimit};

use crate::config::Stream;
use crate::place::Place;
use crate::render;
use crate::telegram::Telegram;

/// The longest caption, in UTF-16 units.
const CAPTION: usize = 1024;

/// A chat with one person takes about a message per second.
const ALONE: Pace = Pace {
    every: Duration::from_secs(1),
    growth: 20,
};

/// A group takes twenty messages a minute, from all its topics together: one answer must not use them up.
const TOGETHER: Pace = Pace {
    every: Duration::from_secs(3),
    growth: 60,
};

/// The limits of a conversation, from memory. A path that is none of ours gets the most cautious ones.
pub(crate) fn limits(telegram: &Telegram, path: &InterfacePath) -> Limits {
    let place = telegram.place(path);
    Limits {
        text: TextLimit::Utf16(render::LONGEST),
        weigh: render::weigh,
        caption: CAPTION,
        files: 1,
        progress: place.map_or(Progress::Hidden, |place| progress(telegram, place)),
        pace: match place {
            Some(place) if place.is_private() => ALONE,
            _ => TOGETHER,
        },
        keyed: false,
        reach: Reach::Always,
        threads: true,
        buttons: true,
    }
}

fn progress(telegram: &Telegram, place: Place) -> Progress {
    match telegram.config.stream {
        Stream::Off => Progress::Hidden,
        // drafts exist in private chats only
        Stream::Draft if place.is_private() && telegram.has_drafts() => Progress::Draft,
        Stream::Draft | Stream::Edit => Progress::Edit,
    }
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Markup, Secret};

    use super::*;
    use crate::config::Config;

    fn telegram(stream: Stream, has_drafts: bool) -> Telegram {
        let config = Config {
            stream,
            ..Config::official(Secret::new("1:abc".to_owned()))
        };
        let telegram = Telegram::new("telegram_bot", config).unwrap();
        telegram.note_drafts(has_drafts);
        telegram
    }

    #[track_caller]
    fn check(path: &str, stream: Stream, has_drafts: bool, progress: Progress, seconds: u64) {
        let limits = limits(&telegram(stream, has_drafts), &path.parse().unwrap());
        assert_eq!(
            (limits.progress, limits.pace.every.as_secs()),
            (progress, seconds),
            "{path} {stream:?} {has_drafts}"
        );
    }

    #[test]
    fn progress_and_pace_depend_on_the_place() {
        for (private, group) in [
            ("telegram_bot/5", "telegram_bot/-100"),
            ("telegram_bot/5/7", "telegram_bot/-100/7"),
        ] {
            check(private, Stream::Draft, true, Progress::Draft, 1);
            check(private, Stream::Draft, false, Progress::Edit, 1);
            check(private, Stream::Edit, true, Progress::Edit, 1);
            check(private, Stream::Off, true, Progress::Hidden, 1);
            check(group, Stream::Draft, true, Progress::Edit, 3);
            check(group, Stream::Edit, true, Progress::Edit, 3);
            check(group, Stream::Off, true, Progress::Hidden, 3);
        }
    }

    #[test]
    fn a_foreign_path_shows_no_progress() {
        for foreign in ["other/5", "telegram_bot/x", "telegram_bot/5/0"] {
            check(foreign, Stream::Draft, true, Progress::Hidden, 3);
        }
    }

    #[test]
    fn plain_text_weighs_what_it_measures() {
        let limits = limits(&telegram(Stream::Draft, true), &"telegram_bot/5".parse().unwrap());
        for text in ["four", "a\n\n\nb", "😀 é 漢字", "a\tb", "(x) *y* _z_"] {
            assert_eq!(
                (limits.weigh)(&Markup::text(text)),
                limits.text.measure(text),
                "{text:?}"
            );
        }
        assert!((limits.weigh)(&Markup::text(" a \n")) <= 4);
    }
}
