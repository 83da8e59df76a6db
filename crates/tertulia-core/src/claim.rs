//! The code with which the first admin proves to be the operator.

use std::time::Duration;

use subtle::ConstantTimeEq as _;

use crate::now::{Mono, Now};

/// How long a code is good.
pub const LIFE: Duration = Duration::from_mins(15);
/// How often a code may be guessed.
pub const TRIES: u32 = 5;
/// The letters of a code: base 32 without those that are mistaken for others.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Letters of a code: 40 bits.
const LENGTH: usize = 8;

/// A cryptographic digest of a salt followed by a code. An argument as chance is one: its implementations bring sources of
/// chance with them.
pub type Digest = fn(salt: &[u8], code: &str) -> [u8; 32];

/// A code that was shown to the operator: only its hash is kept.
#[derive(Clone)]
pub struct Claim {
    digest: Digest,
    salt: [u8; 16],
    hash: [u8; 32],
    until: Mono,
    tries: u32,
}

/// What became of a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// It is the code; it is good no more.
    Right,
    /// It is not; so many tries are left.
    Wrong(u32),
    /// Nothing was typed that could be one.
    Nothing,
    /// There is no code that could be guessed: none was made, it was used, it is too old, or it was guessed too often.
    Closed,
}

impl Claim {
    /// Makes a code, to be shown once, from 40 bits of chance and a salt.
    #[must_use]
    pub fn new(chance: [u8; 5], salt: [u8; 16], digest: Digest, now: Now) -> (Self, String) {
        let code = letters(chance);
        let claim = Self {
            hash: digest(&salt, &code),
            digest,
            salt,
            until: now.mono.saturating_add(LIFE),
            tries: TRIES,
        };
        let (first, second) = code.split_at(LENGTH / 2);
        let shown = format!("{first}-{second}");
        (claim, shown)
    }

    /// Takes a guess. Case does not matter, nor does anything but letters and digits: people copy more than they should.
    pub fn guess(&mut self, text: &str, now: Now) -> Guess {
        if self.tries == 0 || now.mono >= self.until {
            self.tries = 0;
            return Guess::Closed;
        }
        let typed = typed(text);
        if typed.is_empty() {
            return Guess::Nothing;
        }
        if self.is(&typed) {
            self.tries = 0;
            return Guess::Right;
        }
        self.tries -= 1;
        Guess::Wrong(self.tries)
    }

    /// Something was typed where others could read it: if it was the code, it is good no more. It costs no try, and nobody
    /// learns whether it was right.
    pub fn spill(&mut self, text: &str, now: Now) {
        if self.is_open(now) && self.is(&typed(text)) {
            self.tries = 0;
        }
    }

    fn is(&self, typed: &str) -> bool {
        (self.digest)(&self.salt, typed).ct_eq(&self.hash).into()
    }

    /// True if it can still be guessed.
    #[must_use]
    pub fn is_open(&self, now: Now) -> bool {
        self.tries > 0 && now.mono < self.until
    }
}

fn typed(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .take(LENGTH + 1)
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}

fn letters(chance: [u8; 5]) -> String {
    let bits = chance.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let letter = |nth: usize| {
        let five = bits >> (5 * (LENGTH - 1 - nth)) & 31;
        LETTERS.get(usize::try_from(five).unwrap_or(0)).copied()
    };
    (0..LENGTH).filter_map(letter).map(char::from).collect()
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Claim")
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Now {
        Now {
            mono: Duration::from_secs(seconds),
            wall: 0,
            dice: 0,
        }
    }

    /// Tells texts of a few letters apart; more is not needed here.
    fn plain(salt: &[u8], code: &str) -> [u8; 32] {
        let mut digest = [0; 32];
        for (place, byte) in digest.iter_mut().zip(code.bytes().chain(salt.iter().copied())) {
            *place = byte;
        }
        digest
    }

    fn claim() -> (Claim, String) {
        Claim::new([1, 2, 3, 4, 5], [7; 16], plain, at(0))
    }

    #[test]
    fn the_right_code_is_good_once_however_it_is_typed() {
        let (mut claim, code) = claim();
        assert_eq!((code.len(), code.find('-')), (9, Some(4)), "{code}");
        let typed = format!(" {} ", code.to_lowercase().replace('-', " "));
        assert_eq!(claim.guess(&typed, at(899)), Guess::Right);
        assert_eq!(claim.guess(&code, at(899)), Guess::Closed);
    }

    #[test]
    fn guesses_are_counted() {
        let (mut claim, code) = claim();
        for left in [4, 3, 2, 1, 0] {
            assert_eq!(claim.guess("AAAA-AAAA", at(1)), Guess::Wrong(left));
        }
        assert_eq!(claim.guess(&code, at(1)), Guess::Closed);
        let (mut claim, code) = self::claim();
        assert_eq!(
            claim.guess(&format!("{code}A"), at(1)),
            Guess::Wrong(4),
            "a longer one is another one"
        );
        assert_eq!(claim.guess(" - ", at(1)), Guess::Nothing, "it costs nothing");
        assert_eq!(claim.guess("x", at(1)), Guess::Wrong(3));
    }

    #[test]
    fn a_code_that_others_have_read_is_good_no_more() {
        let (mut claim, code) = claim();
        claim.spill("AAAA-AAAA", at(1));
        claim.spill("", at(1));
        assert!(claim.is_open(at(1)), "what is not the code costs nothing");
        claim.spill(&code, at(1));
        assert_eq!(claim.guess(&code, at(1)), Guess::Closed);
    }

    #[test]
    fn an_old_code_is_no_code() {
        let (mut claim, code) = claim();
        assert!(claim.is_open(at(899)) && !claim.is_open(at(900)));
        assert_eq!(claim.guess(&code, at(900)), Guess::Closed);
        assert_eq!(
            claim.guess(&code, at(0)),
            Guess::Closed,
            "not even if the clock goes back"
        );
    }

    #[test]
    fn nothing_of_the_code_is_shown() {
        let (claim, code) = claim();
        assert!(!format!("{claim:?}").contains(&code));
    }
}
