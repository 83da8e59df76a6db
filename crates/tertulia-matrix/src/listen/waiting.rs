//! Messages whose keys are missing: when each is tried again, when its sender is told, and when it is given up; pure.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use tertulia_message::Mark;

/// The marks of messages that wait begin with this; then comes the event's id.
const SEALED: &str = "sealed/";
/// The marks of places with a hint begin with this; then comes the path.
const HINTED: &str = "hinted/";

/// Older ones make room for new ones.
const MOST: usize = 2000;
/// How many are tried before anything else is looked at.
const AT_ONCE: usize = 16;
const SECOND: i64 = 1000;
const DAY: i64 = 24 * 3600 * SECOND;
/// How long a key may take before the sender is told.
const PATIENCE: i64 = 60 * SECOND;
/// How long a message waits.
const LONGEST: i64 = 14 * DAY;
/// The shortest and the longest time between two tries of which no key gave word.
const FIRST_PAUSE: i64 = 15 * SECOND;
const LONGEST_PAUSE: i64 = DAY / 4;

/// A message that waits for its key, as its mark holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiter {
    /// The room's id.
    pub(super) room: String,
    /// Where it was said, as a path.
    pub(super) path: String,
    /// Who said it.
    pub(super) sender: String,
    /// Which key is missing.
    pub(super) session: String,
    /// Since when it waits, in milliseconds since 1970.
    pub(super) since: i64,
    /// True if it is surely meant for the bot.
    pub(super) is_for_us: bool,
}

/// The messages that wait. Times are in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// By the ids of their events.
    waiters: BTreeMap<String, State>,
    /// By the paths of their places.
    hints: HashMap<String, Hint>,
}

#[derive(Debug)]
struct State {
    waiter: Waiter,
    next_try: i64,
    pause: i64,
    /// When its sender is to be told; never, if that is done or not needed.
    hint_at: Option<i64>,
}

/// That a place was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Hint {
    at: i64,
    /// True once something of the place could be read after all.
    is_over: bool,
}

impl Waiting {
    /// What waited when the process ended, by the marks: all of it is tried at once.
    pub(super) fn by(marks: &[Mark]) -> Self {
        let mut waiting = Self::default();
        for mark in marks {
            let value = mark.value.as_deref().unwrap_or_default();
            if let Some(id) = mark.key.strip_prefix(SEALED) {
                match serde_json::from_slice::<Waiter>(value) {
                    Ok(waiter) => waiting.insert(id, waiter, i64::MIN),
                    Err(error) => tracing::error!(event = id, %error, "a message that waits for its key is lost"),
                }
            } else if let Some(path) = mark.key.strip_prefix(HINTED)
                && let Ok(hint) = serde_json::from_slice(value)
            {
                waiting.hints.insert(path.to_owned(), hint);
            }
        }
        waiting
    }

    /// One more waits. What is to be marked; nothing if it waits already.
    pub(super) fn add(&mut self, id: &str, waiter: Waiter) -> Vec<Mark> {
        if self.waiters.contains_key(id) {
            return Vec::new();
        }
        let mut marks = vec![mark(SEALED, id, serde_json::to_vec(&waiter).ok())];
        let first_try = waiter.since.saturating_add(FIRST_PAUSE);
        self.insert(id, waiter, first_try);
        if self.waiters.len() > MOST
            && let Some(oldest) = self.oldest()
        {
            tracing::warn!(
                event = oldest,
                "too many messages wait for their keys: the oldest is given up"
            );
            marks.push(self.remove(&oldest));
        }
        marks
    }

    /// It waits no longer. What is to be marked.
    pub(super) fn remove(&mut self, id: &str) -> Mark {
        self.waiters.remove(id);
        mark(SEALED, id, None)
    }

    /// Keys came: of one session of a room, or nobody knows of which.
    pub(super) fn keys(&mut self, of: Option<(&str, &str)>) {
        for state in self.waiters.values_mut() {
            let is_it = of.is_none_or(|(room, session)| state.waiter.room == room && state.waiter.session == session);
            if is_it {
                state.next_try = i64::MIN;
            }
        }
    }

    /// What is to be tried now, by the ids of the events.
    pub(super) fn due(&self, now: i64) -> Vec<(String, Waiter)> {
        let due = self.waiters.iter().filter(|(_, state)| state.next_try <= now);
        let due = due.map(|(id, state)| (id.clone(), state.waiter.clone()));
        due.take(AT_ONCE).collect()
    }

    /// It still cannot be read. True if it is to be given up.
    pub(super) fn tried(&mut self, id: &str, now: i64) -> bool {
        let Some(state) = self.waiters.get_mut(id) else {
            return false;
        };
        state.next_try = now.saturating_add(state.pause);
        state.pause = state.pause.saturating_mul(2).min(LONGEST_PAUSE);
        now.saturating_sub(state.waiter.since) > LONGEST
    }

    /// Whose sender is to be told now. Each is given once; see [`Waiting::hint_later`].
    pub(super) fn hints(&mut self, now: i64) -> Vec<(String, Waiter)> {
        let mut given: Vec<(String, Waiter)> = Vec::new();
        let hints = &self.hints;
        for (id, state) in &mut self.waiters {
            if state.hint_at.is_none_or(|at| at > now) {
                continue;
            }
            state.hint_at = None;
            let was_told = hints.get(&state.waiter.path).is_some_and(|hint| !hint.may_repeat(now));
            let is_told = given.iter().any(|(_, other)| other.path == state.waiter.path);
            if !was_told && !is_told {
                given.push((id.clone(), state.waiter.clone()));
            }
        }
        given
    }

    /// The sender could not be told now.
    pub(super) fn hint_later(&mut self, id: &str, now: i64) {
        if let Some(state) = self.waiters.get_mut(id) {
            state.hint_at = Some(now.saturating_add(PATIENCE));
        }
    }

    /// A place was told. What is to be marked.
    pub(super) fn hinted(&mut self, path: &str, now: i64) -> Mark {
        self.set_hint(
            path,
            Hint {
                at: now,
                is_over: false,
            },
        )
    }

    /// Something of a place could be read after all. What is to be marked.
    pub(super) fn opened(&mut self, path: &str) -> Option<Mark> {
        let hint = self.hints.get(path).copied().filter(|hint| !hint.is_over)?;
        Some(self.set_hint(path, Hint { is_over: true, ..hint }))
    }

    /// When something is to be done again.
    pub(super) fn next(&self) -> Option<i64> {
        let of = |state: &State| state.hint_at.map_or(state.next_try, |at| at.min(state.next_try));
        self.waiters.values().map(of).min()
    }

    fn set_hint(&mut self, path: &str, hint: Hint) -> Mark {
        self.hints.insert(path.to_owned(), hint);
        mark(HINTED, path, serde_json::to_vec(&hint).ok())
    }

    fn oldest(&self) -> Option<String> {
        let oldest = self.waiters.iter().min_by_key(|(_, state)| state.waiter.since);
        oldest.map(|(id, _)| id.clone())
    }

    fn insert(&mut self, id: &str, waiter: Waiter, next_try: i64) {
        let state = State {
            next_try,
            pause: FIRST_PAUSE,
            hint_at: waiter.is_for_us.then(|| waiter.since.saturating_add(PATIENCE)),
            waiter,
        };
        self.waiters.insert(id.to_owned(), state);
    }
}

impl Hint {
    fn may_repeat(self, now: i64) -> bool {
        self.is_over && now.saturating_sub(self.at) > DAY
    }
}

fn mark(prefix: &str, key: &str, value: Option<Vec<u8>>) -> Mark {
    Mark {
        key: format!("{prefix}{key}"),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn waiter(path: &str) -> Waiter {
        Waiter {
            room: "!r".to_owned(),
            path: path.to_owned(),
            sender: "@ada:h".to_owned(),
            session: "k1".to_owned(),
            since: NOW,
            is_for_us: true,
        }
    }

    fn waiting(ids: &[&str]) -> Waiting {
        let mut waiting = Waiting::default();
        for id in ids {
            assert_eq!(waiting.add(id, waiter("matrix/!r")).len(), 1);
        }
        waiting
    }

    fn ids(given: &[(String, Waiter)]) -> Vec<&str> {
        given.iter().map(|(id, _)| id.as_str()).collect()
    }

    #[test]
    fn what_waits_is_tried_when_its_key_comes() {
        let mut waiting = waiting(&["$1", "$2"]);
        assert!(waiting.due(NOW).is_empty());
        waiting.keys(Some(("!r", "k2")));
        waiting.keys(Some(("!q", "k1")));
        assert!(waiting.due(NOW).is_empty(), "another session's keys");
        waiting.keys(Some(("!r", "k1")));
        assert_eq!(ids(&waiting.due(NOW)), ["$1", "$2"]);
        assert!(!waiting.tried("$1", NOW));
        assert_eq!(ids(&waiting.due(NOW)), ["$2"]);
        assert_eq!(waiting.remove("$2").value, None);
        waiting.keys(None);
        assert_eq!(ids(&waiting.due(NOW)), ["$1"]);
    }

    #[test]
    fn tries_without_word_of_a_key_grow_rare_and_end() {
        let mut waiting = waiting(&["$1"]);
        let (mut now, mut tries) = (NOW, 0);
        loop {
            now = waiting.next().unwrap().max(now);
            waiting.hints(now);
            if waiting.due(now).is_empty() {
                continue;
            }
            tries += 1;
            if waiting.tried("$1", now) {
                break;
            }
        }
        assert!((50..100).contains(&tries), "{tries}");
        assert!(now - NOW > 14 * DAY && now - NOW < 15 * DAY);
        assert!(!waiting.tried("$gone", now));
    }

    #[test]
    fn a_place_is_told_once() {
        let mut waiting = waiting(&["$1", "$2"]);
        assert!(waiting.hints(NOW + PATIENCE - 1).is_empty());
        assert_eq!(ids(&waiting.hints(NOW + PATIENCE)), ["$1"]);
        assert!(waiting.hints(NOW + PATIENCE).is_empty());
        waiting.hinted("matrix/!r", NOW + PATIENCE);
        waiting.add("$3", waiter("matrix/!r"));
        waiting.add("$4", waiter("matrix/!r/$t"));
        assert_eq!(ids(&waiting.hints(NOW + DAY)), ["$4"], "another place");
    }

    #[test]
    fn a_place_is_told_again_only_after_it_could_be_read() {
        let later = NOW + 3 * DAY;
        for (is_opened, at, expected) in [(false, later, 0), (true, NOW + DAY / 2, 0), (true, later, 1)] {
            let mut waiting = Waiting::default();
            assert!(waiting.opened("matrix/!r").is_none());
            waiting.hinted("matrix/!r", NOW);
            if is_opened {
                assert!(waiting.opened("matrix/!r").is_some());
                assert!(waiting.opened("matrix/!r").is_none());
            }
            waiting.add("$1", waiter("matrix/!r"));
            assert_eq!(waiting.hints(at).len(), expected, "{is_opened} {at}");
        }
    }

    #[test]
    fn whoever_could_not_be_told_is_told_later() {
        let mut waiting = waiting(&["$1"]);
        let then = NOW + PATIENCE;
        assert_eq!(waiting.hints(then).len(), 1);
        waiting.hint_later("$1", then);
        assert!(waiting.hints(then).is_empty());
        assert_eq!(waiting.hints(then + PATIENCE).len(), 1);
    }

    #[test]
    fn nobody_is_told_of_what_was_said_to_others() {
        let mut waiting = Waiting::default();
        let other = Waiter {
            is_for_us: false,
            ..waiter("matrix/!r")
        };
        waiting.add("$1", other);
        assert!(waiting.hints(NOW + DAY).is_empty());
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut waiting = Waiting::default();
        for number in 0..MOST {
            let since = NOW + i64::try_from(number).unwrap();
            waiting.add(
                &format!("${number}"),
                Waiter {
                    since,
                    ..waiter("p/!r")
                },
            );
        }
        let since = NOW + DAY;
        let marks = waiting.add(
            "$new",
            Waiter {
                since,
                ..waiter("p/!r")
            },
        );
        assert_eq!(marks.len(), 2);
        assert_eq!((marks[1].key.as_str(), &marks[1].value), ("sealed/$0", &None));
        assert!(waiting.add("$new", waiter("p/!r")).is_empty(), "it waits already");
    }

    #[test]
    fn it_outlives_a_restart() {
        let mut before = Waiting::default();
        let mut marks = before.add("$a/b", waiter("matrix/!r"));
        marks.push(before.hinted("matrix/!r", NOW));
        marks.push(mark(SEALED, "$odd", Some(b"[]".to_vec())));
        let mut waiting = Waiting::by(&marks);
        assert_eq!(waiting.due(NOW), [("$a/b".to_owned(), waiter("matrix/!r"))]);
        assert!(waiting.hints(NOW + DAY).is_empty(), "it was told before");
    }
}
