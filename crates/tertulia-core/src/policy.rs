//! What follows from a provider's failure, and for how long anything is waited for.

use std::time::Duration;

use crate::now::Now;
use crate::provider::{ProviderError, ProviderFault};

/// How long a turn waits for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// From the question to the first sign of an answer.
    pub first_byte: Duration,
    /// Between two signs of life.
    pub idle: Duration,
    /// From the first question to the end of the answer.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_mins(5),
            idle: Duration::from_mins(2),
            total: Duration::from_mins(30),
        }
    }
}

/// What to do about a provider's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Ask again after a pause.
    Retry(Duration),
    /// Ask again with less history.
    Shorten,
    /// Report it.
    GiveUp,
}

/// The most tries of one question.
const TRIES: u32 = 4;
/// The longest pause that a provider may ask for before we rather report it.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Decides about a provider's failure; `tries` counts the failures before this one.
///
/// After the first visible token nothing is asked again silently.
#[must_use]
pub fn remedy(error: &ProviderError, tries: u32, shown: bool, now: Now) -> Remedy {
    if shown {
        return Remedy::GiveUp;
    }
    let after = match error.kind {
        ProviderFault::ContextTooLong => return Remedy::Shorten,
        ProviderFault::RateLimited { after } | ProviderFault::Unavailable { after } => after,
        ProviderFault::Unreachable | ProviderFault::Broken => None,
        ProviderFault::Unauthorized
        | ProviderFault::Billing
        | ProviderFault::NoSuchModel
        | ProviderFault::Rejected
        | ProviderFault::NotConfigured => return Remedy::GiveUp,
    };
    if tries + 1 >= TRIES {
        return Remedy::GiveUp;
    }
    match after {
        Some(after) if after > LONGEST_PAUSE => Remedy::GiveUp,
        Some(after) => Remedy::Retry(after),
        None => Remedy::Retry(now.jitter(Duration::from_millis(500).saturating_mul(1 << tries.min(8)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now {
        mono: Duration::ZERO,
        wall: 0,
        dice: u32::MAX / 2,
    };

    #[track_caller]
    fn check(kind: ProviderFault, tries: u32, shown: bool, expected: Remedy) {
        let got = remedy(&ProviderError::new(kind, ""), tries, shown, NOW);
        let same = match (got, expected) {
            (Remedy::Retry(got), Remedy::Retry(expected)) => got.abs_diff(expected) < Duration::from_millis(1),
            (got, expected) => got == expected,
        };
        assert!(same, "{got:?} is not {expected:?}");
    }

    #[test]
    fn failures_are_judged_by_their_kind() {
        let wait = |seconds| Some(Duration::from_secs(seconds));
        check(
            ProviderFault::RateLimited { after: wait(3) },
            0,
            false,
            Remedy::Retry(Duration::from_secs(3)),
        );
        check(
            ProviderFault::RateLimited { after: wait(600) },
            0,
            false,
            Remedy::GiveUp,
        );
        check(
            ProviderFault::Unavailable { after: None },
            1,
            false,
            Remedy::Retry(Duration::from_secs(1)),
        );
        check(ProviderFault::Unreachable, 3, false, Remedy::GiveUp);
        check(ProviderFault::Broken, 0, true, Remedy::GiveUp);
        check(ProviderFault::ContextTooLong, 9, false, Remedy::Shorten);
        check(ProviderFault::Billing, 0, false, Remedy::GiveUp);
    }
}
