//! The queue of updates: handed out until they are confirmed, filtered by kind when they are queued.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

/// What is not queued unless it is asked for.
const ASKED_FOR_ONLY: &[&str] = &["chat_member", "message_reaction", "message_reaction_count"];
/// Update ids begin anywhere.
const FIRST: i64 = 523_000_001;

/// The queue of updates.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: BTreeMap<i64, Value>,
    late_copies: VecDeque<(String, Value)>,
    allowed: Vec<String>,
    twice_percent: u64,
    events: u64,
    next: i64,
    /// The highest id that was handed out; below the first if none.
    handed: i64,
    pub(super) redelivered: u64,
}

impl Queue {
    pub(super) fn new(twice_percent: u8) -> Self {
        Self {
            waiting: BTreeMap::new(),
            late_copies: VecDeque::new(),
            allowed: Vec::new(),
            twice_percent: u64::from(twice_percent.min(100)),
            events: 0,
            next: FIRST,
            handed: FIRST - 1,
            redelivered: 0,
        }
    }

    /// Replaces the kinds that are queued from now on; none means all but a few.
    pub(super) fn allow(&mut self, kinds: Vec<String>) {
        self.allowed = kinds;
    }

    pub(super) fn allowed(&self) -> &[String] {
        &self.allowed
    }

    fn takes(&self, kind: &str) -> bool {
        if self.allowed.is_empty() {
            !ASKED_FOR_ONLY.contains(&kind)
        } else {
            self.allowed.iter().any(|allowed| allowed == kind)
        }
    }

    /// Queues an update; a fixed share of them also as a copy that comes later.
    pub(super) fn push(&mut self, kind: &str, body: Value) {
        if !self.takes(kind) {
            return;
        }
        let before = self.events * self.twice_percent / 100;
        self.events += 1;
        if self.events * self.twice_percent / 100 > before {
            self.late_copies.push_back((kind.to_owned(), body.clone()));
        }
        self.append(kind, body);
    }

    fn append(&mut self, kind: &str, body: Value) {
        let id = self.next;
        self.next += 1;
        self.waiting
            .insert(id, Value::from_iter([("update_id", json!(id)), (kind, body)]));
    }

    /// The ids of later updates are so much higher.
    pub(super) fn jump(&mut self, by: u32) {
        self.next += i64::from(by);
    }

    /// Forgets what is below `offset`, or all but the last few; true if that was something nobody has seen.
    pub(super) fn confirm(&mut self, offset: i64) -> bool {
        let below = match offset {
            0 => return false,
            1.. => offset,
            tail => {
                let kept = usize::try_from(tail.unsigned_abs()).unwrap_or(usize::MAX);
                let first = self.waiting.keys().rev().take(kept).next_back();
                first.copied().unwrap_or(self.next)
            }
        };
        let unseen = self.waiting.range(..below).any(|(id, _)| *id > self.handed) || below > self.next;
        self.waiting = self.waiting.split_off(&below);
        unseen && offset > 0
    }

    /// Hands out what is not confirmed. Copies come when nothing else waits.
    pub(super) fn hand_out(&mut self, limit: usize) -> Vec<Value> {
        if self.waiting.is_empty() {
            while let Some((kind, body)) = self.late_copies.pop_front() {
                self.append(&kind, body);
            }
        }
        let handed: Vec<(i64, Value)> = self
            .waiting
            .iter()
            .take(limit)
            .map(|(id, update)| (*id, update.clone()))
            .collect();
        let again = handed.iter().filter(|(id, _)| *id <= self.handed).count();
        self.redelivered += again as u64;
        self.handed = handed.last().map_or(self.handed, |(id, _)| self.handed.max(*id));
        handed.into_iter().map(|(_, update)| update).collect()
    }

    /// Forgets everything that waits.
    pub(super) fn drop_all(&mut self) {
        self.waiting.clear();
        self.late_copies.clear();
    }

    /// How many updates are not confirmed, copies among them.
    pub(super) fn unconfirmed(&self) -> usize {
        self.waiting.len() + self.late_copies.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(events: usize, twice_percent: u8) -> Queue {
        let mut queue = Queue::new(twice_percent);
        for n in 0..events {
            queue.push("message", json!(n));
        }
        queue
    }

    fn ids(updates: &[Value]) -> Vec<i64> {
        updates
            .iter()
            .filter_map(|update| Some(update["update_id"].as_i64()? - FIRST))
            .collect()
    }

    #[test]
    fn what_is_not_confirmed_is_handed_out_again() {
        let mut queue = queue(3, 0);
        assert_eq!(ids(&queue.hand_out(2)), [0, 1]);
        assert!(!queue.confirm(FIRST + 1));
        assert_eq!(ids(&queue.hand_out(100)), [1, 2]);
        assert_eq!(queue.redelivered, 1);
        assert!(!queue.confirm(FIRST + 3));
        assert_eq!(queue.unconfirmed(), 0);
    }

    #[test]
    fn confirming_the_unseen_loses_it_and_is_noted() {
        let mut queue = queue(3, 0);
        queue.hand_out(1);
        assert!(queue.confirm(FIRST + 3));
        assert!(queue.hand_out(100).is_empty());
    }

    #[test]
    fn a_negative_offset_keeps_the_tail() {
        let mut queue = queue(5, 0);
        assert!(!queue.confirm(-2));
        assert_eq!(ids(&queue.hand_out(100)), [3, 4]);
        assert!(!queue.confirm(-9));
        assert_eq!(ids(&queue.hand_out(100)), [3, 4]);
    }

    #[test]
    fn kinds_are_filtered_when_they_are_queued() {
        let mut queue = queue(1, 0);
        queue.push("chat_member", json!(0));
        queue.allow(vec!["chat_member".to_owned()]);
        queue.push("message", json!(1));
        queue.push("chat_member", json!(2));
        assert_eq!(ids(&queue.hand_out(100)), [0, 1]);
    }

    #[test]
    fn ids_can_jump_and_copies_come_late() {
        let mut queue = queue(2, 50);
        queue.jump(10);
        queue.push("message", json!(2));
        assert_eq!(ids(&queue.hand_out(100)), [0, 1, 12]);
        queue.confirm(FIRST + 13);
        assert_eq!(ids(&queue.hand_out(100)), [13]);
    }
}
