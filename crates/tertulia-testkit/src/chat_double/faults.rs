//! A plan of what goes wrong, and at which call.

use std::fmt;
use std::time::Duration;

use tertulia_message::RateScope;

use super::calls::{Call, CallKind};

/// One thing that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, and further calls are forbidden for a while.
    RateLimited {
        /// How long.
        after: Duration,
        /// Whom it holds for.
        scope: RateScope,
    },
    /// It does not reach the platform, and the bot knows.
    Lost,
    /// It is done, but the bot does not learn so.
    UnsureExecuted,
    /// It is not done, and the bot cannot know.
    UnsureNotExecuted,
    /// The platform says that it is too long although it is not.
    TooLong,
    /// Formatting is not taken; plain text is.
    Malformed,
    /// The chat is gone, until somebody says something there.
    Gone,
    /// The bot may not write there, until somebody says something there.
    Refused,
    /// The chat gets a new address, which the bot learns from the refusal alone.
    Moved(String),
}

type Predicate = Box<dyn FnMut(&Call) -> bool + Send>;

struct Planned {
    hits: Predicate,
    times: usize,
    fault: Fault,
}

/// A plan of faults; for each call the first one that fits strikes.
#[derive(Default)]
pub struct Faults {
    planned: Vec<Planned>,
}

impl Faults {
    /// Nothing goes wrong.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Strikes once, at the `nth` call of a kind, counted from 1 and from the platform's first call.
    #[must_use]
    pub fn nth(self, kind: CallKind, nth: u64, fault: Fault) -> Self {
        self.when(1, move |call| call.kind == kind && call.nth_of_kind == nth, fault)
    }

    /// Strikes once, at the next call of a kind that no earlier fault strikes.
    #[must_use]
    pub fn next(self, kind: CallKind, fault: Fault) -> Self {
        self.when(1, move |call| call.kind == kind, fault)
    }

    /// Strikes at every call that fits, at most so many times.
    #[must_use]
    pub fn when(mut self, times: usize, hits: impl FnMut(&Call) -> bool + Send + 'static, fault: Fault) -> Self {
        self.planned.push(Planned {
            hits: Box::new(hits),
            times,
            fault,
        });
        self
    }

    /// The fault that strikes this call, if any.
    pub(super) fn strike(&mut self, call: &Call) -> Option<Fault> {
        self.planned.iter_mut().find_map(|planned| {
            let strikes = planned.times > 0 && (planned.hits)(call);
            planned.times -= usize::from(strikes);
            strikes.then(|| planned.fault.clone())
        })
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.planned.iter().map(|planned| (&planned.fault, planned.times)))
            .finish()
    }
}
