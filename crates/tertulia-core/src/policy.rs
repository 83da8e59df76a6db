//! What follows from a provider's failure, and for how long anything is waited for.

use std::time::Duration;

use crate::now::Now;
use crate::provider::ProviderFault;

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
    /// Ask again at once; it does not count as a try.
    AtOnce,
    /// Ask again after a pause.
    Retry(Duration),
    /// Ask again with less history.
    Shorten,
    /// Ask another provider.
    Another,
    /// Report it.
    GiveUp,
}

/// What has become of a question so far, at the provider that was asked last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// The failures before this one.
    pub tries: u32,
    /// Nobody was there once already, and it was asked again at once.
    pub reconnected: bool,
    /// A part of the answer can be read already. Thinking is none: it is no answer, and whoever reads it along loses nothing
    /// when the model thinks anew; an error after minutes of thinking would be the greater loss.
    pub shown: bool,
    /// There is another provider to ask.
    pub another: bool,
}

/// The most tries of one question at one provider.
const TRIES: u32 = 4;
/// The same where another one could answer in the meantime.
const TRIES_BEFORE_ANOTHER: u32 = 2;
/// The longest pause that a provider may ask for before we rather report it.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// The longest pause for the sake of a rate where another provider could answer in the meantime.
const LONGEST_BEFORE_ANOTHER: Duration = Duration::from_secs(5);
/// The same for a provider that is overloaded or down.
const LONGEST_DOWN_BEFORE_ANOTHER: Duration = Duration::from_secs(1);
/// The first pause where the provider names none; twice as long after every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause where the provider names none.
const LONGEST_OWN_PAUSE: Duration = Duration::from_secs(8);
/// How long a question waits for a free place at its provider where another one could answer.
const IN_LINE_BEFORE_ANOTHER: Duration = Duration::from_secs(10);
/// The same where there is none.
const IN_LINE: Duration = Duration::from_mins(1);

/// Decides about a provider's failure.
///
/// After the first visible token nothing is asked again silently. Another provider is asked about what may be well there: not
/// about what is wrong with the question or the configuration.
#[must_use]
pub fn remedy(fault: ProviderFault, asked: Asked, now: Now) -> Remedy {
    if asked.shown {
        return Remedy::GiveUp;
    }
    match fault {
        ProviderFault::ContextTooLong => Remedy::Shorten,
        ProviderFault::Billing => elsewhere(asked),
        ProviderFault::RateLimited { after } => again(asked, after, LONGEST_BEFORE_ANOTHER, now),
        ProviderFault::Unavailable { after } => again(asked, after, LONGEST_DOWN_BEFORE_ANOTHER, now),
        // most often a connection kept from before, which the server had just closed
        ProviderFault::Unreachable if !asked.reconnected => Remedy::AtOnce,
        ProviderFault::Unreachable | ProviderFault::Broken => again(asked, None, Duration::ZERO, now),
        ProviderFault::Unauthorized
        | ProviderFault::NoSuchModel
        | ProviderFault::Rejected
        | ProviderFault::NotConfigured => Remedy::GiveUp,
    }
}

/// How long a question waits for a free place at its provider before that counts as busy.
#[must_use]
pub fn in_line(another: bool) -> Duration {
    if another { IN_LINE_BEFORE_ANOTHER } else { IN_LINE }
}

/// The pause before a provider that rests is asked all the same, since nobody else is left.
#[must_use]
pub fn rest(now: Now) -> Duration {
    now.jitter(Duration::from_secs(1))
}

fn again(asked: Asked, after: Option<Duration>, before_another: Duration, now: Now) -> Remedy {
    let (tries, longest) = if asked.another {
        (TRIES_BEFORE_ANOTHER, before_another)
    } else {
        (TRIES, LONGEST_PAUSE)
    };
    if asked.tries + 1 >= tries || after.is_some_and(|after| after > longest) {
        return elsewhere(asked);
    }
    Remedy::Retry(pause(asked.tries, after, now))
}

fn elsewhere(asked: Asked) -> Remedy {
    if asked.another { Remedy::Another } else { Remedy::GiveUp }
}

/// Never shorter than the provider says, and never at the same moment for all who wait.
fn pause(tries: u32, after: Option<Duration>, now: Now) -> Duration {
    let own = FIRST_PAUSE.saturating_mul(1 << tries.min(8)).min(LONGEST_OWN_PAUSE);
    let spread = now.jitter(FIRST_PAUSE).saturating_sub(FIRST_PAUSE / 4 * 3);
    now.jitter(own)
        .max(after.map_or(Duration::ZERO, |after| after.saturating_add(spread)))
}

#[cfg(test)]
mod tests;
