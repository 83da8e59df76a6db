//! Which chats have topics: there the topic General has a number, where the bot is shown to be at work in it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::place::Place;

/// The number of General; messages there are sent without it.
pub(crate) const GENERAL: i64 = 1;
/// More are not remembered: in those nobody sees the bot typing in General.
const MOST: usize = 10_000;

/// The chats with topics among those that were heard from since the process began.
#[derive(Debug, Default)]
pub(crate) struct Forums(Mutex<BTreeSet<i64>>);

impl Forums {
    /// A message came from a chat, which tells whether it has topics; that can change.
    pub(crate) fn note(&self, chat: i64, is_forum: bool) {
        let mut known = self.known();
        if !is_forum {
            known.remove(&chat);
        } else if known.len() < MOST {
            known.insert(chat);
        }
    }

    /// The topic in which a sign is shown, if any.
    pub(crate) fn topic(&self, place: Place) -> Option<i64> {
        let general = || self.known().contains(&place.chat).then_some(GENERAL);
        place.topic.or_else(general)
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_has_a_number_where_there_are_topics() {
        let forums = Forums::default();
        let of = |topic| forums.topic(Place { chat: -5, topic });
        assert_eq!((of(None), of(Some(7))), (None, Some(7)));
        forums.note(-5, true);
        assert_eq!((of(None), of(Some(7))), (Some(GENERAL), Some(7)));
        forums.note(-5, false);
        assert_eq!(of(None), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let forums = Forums::default();
        for chat in 1..20_000 {
            forums.note(-chat, true);
        }
        assert_eq!(forums.known().len(), MOST);
    }
}
