//! What was missed while no session was there: how far each conversation was read, and what is still to be read.
//!
//! A mark is the newest message of a channel or a thread that was handled. At the beginning of a session each is compared with
//! the newest message that Discord knows there; only where that is newer something is fetched.

mod missed;
mod seen;

use std::collections::BTreeSet;

pub use missed::{Missed, summary};
pub use seen::{PREFIX, Seen};

use crate::config::CatchUp;
use crate::ids::Snowflake;

/// The most messages that Discord gives at once.
pub const PAGE: usize = 100;
/// The most pages of one conversation: most of what stands there is not said to us.
const MOST_PAGES: usize = 20;
/// The most conversations that are asked for although Discord does not list them.
const MOST_UNLISTED: usize = 500;

/// What is to be done for one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// Nothing was missed.
    Nothing,
    /// It was never read: it is read from this message on, and nothing before is answered.
    Begin(Snowflake),
    /// Something may have been missed.
    Fetch(Gap),
}

/// What is missing of one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Behind which message is fetched next.
    after: Snowflake,
    /// The newest message that was read.
    read: Snowflake,
    newest: Option<Snowflake>,
    number: usize,
    pages: usize,
    is_done: bool,
    missed: Missed,
}

/// What is known of a conversation at the beginning of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The channel or the thread.
    pub channel: Snowflake,
    /// How far it was read.
    pub seen: Option<Snowflake>,
    /// The newest message in it; none if there is none, or if nobody says.
    pub newest: Option<Snowflake>,
}

/// What is to be done for a conversation. `last` is the newest message of all that was ever handled: what was made after it was
/// made while nobody listened. `now` is in milliseconds since 1970.
#[must_use]
pub fn due(standing: Standing, last: Option<Snowflake>, now: i64, bounds: CatchUp) -> Due {
    let Standing { channel, seen, newest } = standing;
    let is_new = last.is_some_and(|last| channel > last);
    // the first message of a post has the id of the post
    let from = seen.or_else(|| is_new.then(|| channel.before()));
    let Some(from) = from else {
        return newest.map_or(Due::Nothing, Due::Begin);
    };
    if newest.is_some_and(|newest| newest <= from) || (newest.is_none() && seen.is_none()) {
        return Due::Nothing;
    }
    let age = i64::try_from(bounds.age.as_millis()).unwrap_or(i64::MAX);
    let oldest = Snowflake::at(now.saturating_sub(age)).before();
    let is_nothing_wanted = bounds.age.is_zero() || bounds.number == 0;
    Due::Fetch(Gap {
        after: from.max(oldest),
        read: from,
        newest,
        number: bounds.number,
        pages: 0,
        is_done: is_nothing_wanted || newest.is_some_and(|newest| newest <= oldest),
        missed: Missed {
            // of direct conversations nobody says whether there is anything
            has_older: from < oldest && newest.is_some(),
            more: 0,
        },
    })
}

impl Gap {
    /// Behind which message the next page is to be fetched, at most [`PAGE`] messages; none if nothing more is to be.
    #[must_use]
    pub fn next(&self) -> Option<Snowflake> {
        (!self.is_done && self.pages < MOST_PAGES).then_some(self.after)
    }

    /// A page came, with messages of these ids, in any order. The caller reads them from the oldest on.
    pub fn page(&mut self, ids: &[Snowflake]) {
        self.pages += 1;
        let before = self.after;
        self.after = ids.iter().copied().fold(self.after, Snowflake::max);
        self.read = ids.iter().copied().fold(self.read, Snowflake::max);
        // one that brings nothing new would come again for ever
        self.is_done = ids.len() < PAGE || self.after == before;
        if !self.is_done && self.pages == MOST_PAGES {
            self.missed.more += 1;
        }
    }

    /// True if one more message that was said to us is answered; else it is counted.
    pub fn admits(&mut self) -> bool {
        let is_in = self.number > 0;
        if is_in {
            self.number -= 1;
        } else {
            self.missed.more += 1;
        }
        is_in
    }

    /// Up to which message the conversation counts as read.
    #[must_use]
    pub fn read_to(&self) -> Snowflake {
        if self.next().is_some() {
            return self.read;
        }
        self.newest.map_or(self.read, |newest| newest.max(self.read))
    }

    /// What is left out.
    #[must_use]
    pub fn missed(&self) -> Missed {
        self.missed
    }
}

/// The conversations that were read before and that Discord did not list: direct ones always, threads that were put away.
/// They have to be asked for; those that were last read come first, and only so many.
#[must_use]
pub fn unlisted(seen: &[Seen], listed: &BTreeSet<Snowflake>, now: i64, bounds: CatchUp) -> Vec<Seen> {
    let age = i64::try_from(bounds.age.as_millis()).unwrap_or(i64::MAX);
    let oldest = Snowflake::at(now.saturating_sub(age));
    let is_due = |seen: &&Seen| {
        let is_late_thread = seen.parent.is_some() && seen.last >= oldest;
        !listed.contains(&seen.channel) && (seen.is_direct || is_late_thread)
    };
    let mut due: Vec<Seen> = seen.iter().filter(is_due).copied().collect();
    due.sort_by_key(|seen| std::cmp::Reverse(seen.last));
    due.truncate(MOST_UNLISTED);
    due
}

#[cfg(test)]
mod tests;
