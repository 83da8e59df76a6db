//! The queue of updates: handed out from a cursor until they are confirmed, some of them twice.

use std::collections::{BTreeMap, VecDeque};

use super::people::{Event, Update};

/// The queue of updates.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<u64, Event>,
    late_copies: VecDeque<Event>,
    twice_percent: u64,
    events: u64,
    last: u64,
    handed: u64,
    confirmed: u64,
}

/// What a request for updates gave.
pub(super) struct Handed {
    pub(super) updates: Vec<Update>,
    /// How many of them were handed out before.
    pub(super) again: u64,
    /// True if the request confirmed what was never handed out.
    pub(super) overreached: bool,
}

impl Queue {
    pub(super) fn new(twice_percent: u8) -> Self {
        Self {
            twice_percent: u64::from(twice_percent.min(100)),
            ..Self::default()
        }
    }

    pub(super) fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// How many updates beyond `after` are still to be handed out.
    pub(super) fn beyond(&self, after: Option<u64>) -> usize {
        let after = after.unwrap_or_default();
        self.waiting.keys().filter(|id| **id > after).count() + self.late_copies.len()
    }

    /// Queues an event; a fixed share of them also as a copy that comes later.
    pub(super) fn push(&mut self, event: Event) {
        let before = self.events * self.twice_percent / 100;
        self.events += 1;
        if self.events * self.twice_percent / 100 > before {
            self.late_copies.push_back(event.clone());
        }
        self.append(event);
    }

    fn append(&mut self, event: Event) {
        self.last += 1;
        self.waiting.insert(self.last, event);
    }

    /// Confirms up to `after`, then hands out what is not confirmed. Copies come when nothing else waits.
    pub(super) fn hand_out(&mut self, after: Option<u64>, most: usize) -> Handed {
        let overreached = after.is_some_and(|after| after > self.handed);
        let after = after.unwrap_or_default().min(self.handed);
        if after > self.confirmed {
            self.confirmed = after;
            self.waiting = self.waiting.split_off(&(after + 1));
        }
        if self.waiting.is_empty() {
            while let Some(copy) = self.late_copies.pop_front() {
                self.append(copy);
            }
        }
        let updates: Vec<Update> = self
            .waiting
            .iter()
            .take(most)
            .map(|(id, event)| Update {
                id: *id,
                event: event.clone(),
            })
            .collect();
        let again = updates.iter().filter(|update| update.id <= self.handed).count() as u64;
        self.handed = updates.last().map_or(self.handed, |last| last.id.max(self.handed));
        Handed {
            updates,
            again,
            overreached,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(events: u64, twice_percent: u8) -> Queue {
        let mut queue = Queue::new(twice_percent);
        for n in 1..=events {
            queue.push(Event::Moved {
                id: n.to_string(),
                from: "a".into(),
                to: "b".into(),
            });
        }
        queue
    }

    fn ids(handed: &Handed) -> Vec<u64> {
        handed.updates.iter().map(|update| update.id).collect()
    }

    #[test]
    fn what_is_not_confirmed_is_handed_out_again() {
        let mut queue = queue(3, 0);
        assert_eq!(ids(&queue.hand_out(None, 2)), [1, 2]);
        let second = queue.hand_out(Some(1), 10);
        assert_eq!(ids(&second), [2, 3]);
        assert_eq!(second.again, 1);
        assert_eq!(ids(&queue.hand_out(None, 10)), [2, 3]);
        assert!(ids(&queue.hand_out(Some(3), 10)).is_empty());
    }

    #[test]
    fn nothing_unseen_can_be_confirmed() {
        let mut queue = queue(3, 0);
        queue.hand_out(None, 1);
        let handed = queue.hand_out(Some(3), 10);
        assert!(handed.overreached);
        assert_eq!(ids(&handed), [2, 3]);
    }

    #[test]
    fn copies_come_late_and_under_a_new_number() {
        let mut queue = queue(4, 50);
        assert_eq!(ids(&queue.hand_out(None, 10)), [1, 2, 3, 4]);
        let copies = queue.hand_out(Some(4), 10);
        assert_eq!(ids(&copies), [5, 6]);
        let events: Vec<_> = copies.updates.iter().map(|update| update.event.id()).collect();
        assert_eq!(events, ["2", "4"]);
    }
}
