//! What Discord's conversations can take.

use std::time::Duration;

use tertulia_message::{Limits, Pace, Progress, Reach, TextLimit};

use crate::config::Stream;
use crate::render;

/// The most files of one message.
pub const MOST_FILES: usize = 10;
/// The largest file that goes out, in bytes; a server with boosts takes more, which nobody tells beforehand.
pub const LARGEST_FILE: usize = 10 << 20;
/// The largest request, in bytes.
pub const LARGEST_REQUEST: usize = 25 << 20;
/// The shortest time between two edits of a message, before anything is learnt.
const USUAL: Duration = Duration::from_millis(1200);
/// The longest: an answer in the making is still seen to grow.
const SLOWEST: Duration = Duration::from_secs(15);
/// The shortest growth worth an edit, in characters.
const GROWTH: usize = 40;

/// The limits of a conversation; `learnt` is how often Discord lets us edit there, by its headers.
///
/// Posts do not count as keyed: Discord knows a nonce for a few minutes only, so what may have arrived is looked up first.
#[must_use]
pub fn limits(stream: Stream, learnt: Option<Duration>) -> Limits {
    Limits {
        text: TextLimit::Chars(render::LONGEST),
        weigh: render::weigh,
        caption: render::LONGEST,
        files: MOST_FILES,
        progress: match stream {
            Stream::Edit => Progress::Edit,
            Stream::Off => Progress::Hidden,
        },
        pace: Pace {
            every: learnt.unwrap_or(USUAL).clamp(USUAL, SLOWEST),
            growth: GROWTH,
        },
        keyed: false,
        reach: Reach::Always,
        threads: true,
        buttons: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_what_was_learnt_within_bounds() {
        let every = |learnt| limits(Stream::Edit, learnt).pace.every;
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!((every(None), every(seconds(0))), (USUAL, USUAL));
        assert_eq!(
            (every(seconds(3)), every(seconds(900))),
            (Duration::from_secs(3), SLOWEST)
        );
    }

    #[test]
    fn an_answer_is_shown_as_configured() {
        let progress = |stream| limits(stream, None).progress;
        assert_eq!(
            (progress(Stream::Edit), progress(Stream::Off)),
            (Progress::Edit, Progress::Hidden)
        );
        assert_eq!(limits(Stream::Off, None).text, TextLimit::Chars(2000));
    }
}
