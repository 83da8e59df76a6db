//! Keeps a server from cutting a question in silence.
//!
//! An Ollama that gets more than its window holds answers all the same: it drops the oldest messages of a chat, or keeps a
//! few tokens of the beginning and the end of the text, and goes on writing after it has thrown away what it read. Nothing
//! in its answer says so reliably: what it counts is what is left, which can be any number up to the window.
//!
//! So it must not come to that, and how that is made sure depends on the server:
//!
//! - One that knows `truncate: false` and `shift: false` refuses by itself. It counts exactly, so it decides; only what
//!   cannot fit by any measure is not even sent.
//! - An older one is sent only what fits for certain. No tokenizer makes more tokens than there are bytes, so the bytes of
//!   the question are the bound; and no more is let written than then is left. That wastes much of the window with such a
//!   server. (What a picture takes is not known, and taken for [`PICTURE`].)
//!
//! What is not sent fails as too long: then the conversation is shortened and asked again, as with a provider that refuses.
//!
//! The counts of a finished answer are looked at all the same, in case a server is not what it says. If they show that the
//! question was cut, the answer has failed as too long: before any text is shown it is asked again with less; text that
//! is shown already stays, marked as broken off, since an answer to half a question must not pass for one.

/// What a picture takes at most in models that old servers can run, in tokens.
const PICTURE: u64 = 3_000;
/// Tokens that a template puts around everything.
const FRAME: u64 = 32;
/// So many bytes on average make one token in no text that people write.
const LONGEST_TOKEN: u64 = 8;
/// The room that an answer of unknown length wants, in tokens.
const ANSWER: u64 = 1_024;
/// The tokens at the beginning that a cut keeps, without and with the mark of a beginning.
const KEPT: [u64; 2] = [4, 5];

/// What a question weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Weight {
    /// All of its text with what stands around it, in bytes.
    pub(crate) bytes: u64,
    pub(crate) pictures: u64,
}

/// The window that a question must fit into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// The window, in tokens.
    pub(crate) window: u64,
    /// The server refuses what is too long.
    pub(crate) refuses: bool,
    pub(crate) weight: Weight,
}

/// What the counts of a finished answer show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing unusual.
    Whole,
    /// The window was full when the answer stopped.
    Full,
    /// A part of the question was not read.
    Cut,
}

impl Weight {
    /// More tokens than the question can have.
    fn most(self) -> u64 {
        self.bytes
            .saturating_add(self.pictures.saturating_mul(PICTURE))
            .saturating_add(FRAME)
    }
}

impl Room {
    /// How many tokens may be written, if the question may be sent; `wanted` is how many were asked for.
    ///
    /// # Errors
    /// It does not fit, or not for certain: says why, for operators.
    pub(crate) fn admit(&self, wanted: Option<u64>) -> Result<Option<u64>, String> {
        let room = wanted.unwrap_or(ANSWER).min(self.window / 4);
        let least = self.weight.bytes / LONGEST_TOKEN;
        if least.saturating_add(room) > self.window {
            return Err(format!(
                "at least {least} tokens for a window of {} (num_ctx)",
                self.window
            ));
        }
        if self.refuses {
            return Ok(wanted);
        }
        let most = self.weight.most();
        if most.saturating_add(room) > self.window {
            let window = self.window;
            return Err(format!(
                "up to {most} tokens for a window of {window} (num_ctx), and a server before 0.13 that might cut them in silence"
            ));
        }
        let left = self.window - most;
        Ok(Some(wanted.map_or(left, |wanted| wanted.min(left))))
    }

    /// Judges the counts of a finished answer.
    pub(crate) fn judge(&self, read: Option<u64>, written: Option<u64>) -> Seen {
        let (read, written) = (read.unwrap_or(0), written.unwrap_or(0));
        let all = read.saturating_add(written);
        // more than the window was read: it is not this server's window, as with models that run elsewhere
        let is_ours = !self.refuses || all <= self.window;
        if self.looks_cut(read) {
            Seen::Cut
        } else if is_ours && all >= self.window {
            Seen::Full
        } else {
            Seen::Whole
        }
    }

    /// Old servers fill the window; later ones, if they cut, keep a few tokens and the last half of the rest.
    fn looks_cut(&self, read: u64) -> bool {
        let window = self.window;
        let half = |kept: &u64| read == window - window.saturating_sub(*kept) / 2;
        let could_be_longer = self.weight.most() > window;
        let full = if self.refuses {
            read == window
        } else {
            read.saturating_add(1) >= window
        };
        full || (could_be_longer && KEPT.iter().any(half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(refuses: bool, bytes: u64) -> Room {
        Room {
            window: 4_096,
            refuses,
            weight: Weight { bytes, pictures: 0 },
        }
    }

    #[test]
    fn a_server_that_refuses_decides_by_itself() {
        assert_eq!(room(true, 20_000).admit(None), Ok(None));
        assert_eq!(room(true, 20_000).admit(Some(9_999)), Ok(Some(9_999)));
        assert!(room(true, 24_600).admit(None).is_err());
        assert_eq!(room(true, 24_600).admit(Some(10)), Ok(Some(10)));
    }

    #[test]
    fn an_old_server_gets_only_what_fits_for_certain() {
        assert_eq!(room(false, 1_000).admit(None), Ok(Some(3_064)));
        assert_eq!(room(false, 1_000).admit(Some(100)), Ok(Some(100)));
        assert_eq!(room(false, 3_000).admit(Some(9_999)), Ok(Some(1_064)));
        assert!(room(false, 3_041).admit(None).is_err());
        let seen = Room {
            weight: Weight {
                bytes: 100,
                pictures: 1,
            },
            ..room(false, 0)
        };
        assert!(seen.admit(None).is_err() && Room { window: 8_192, ..seen }.admit(None).is_ok());
    }

    #[test]
    fn counts_betray_a_cut() {
        use Seen::{Cut, Full, Whole};
        let check = |refuses, bytes, read, written, expected| {
            let seen = room(refuses, bytes).judge(Some(read), Some(written));
            assert_eq!(seen, expected, "{refuses} {bytes} {read} {written}");
        };
        for refuses in [true, false] {
            check(refuses, 9_000, 4_096, 3, Cut);
            check(refuses, 9_000, 2_050, 3, Cut);
            check(refuses, 9_000, 2_051, 3, Cut);
            check(refuses, 2_100, 2_050, 3, Whole);
            check(refuses, 9_000, 2_000, 2_096, Full);
            check(refuses, 9_000, 2_000, 2_095, Whole);
        }
        check(true, 9_000, 9_000, 500, Whole);
        check(false, 9_000, 1_000, 9_000, Full);
        assert_eq!(room(false, 9_000).judge(None, Some(5)), Whole);
    }
}
