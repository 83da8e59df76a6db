//! Events of one channel in the order of their ids: the client library hands each to a task of its own, so that they overtake
//! each other.

use std::collections::HashMap;
use std::time::Duration;

use crate::ids::Snowflake;

/// How long an event waits for those that it may have overtaken: much longer than a task waits for its turn.
pub const HOLD: Duration = Duration::from_millis(50);
/// More than so many do not wait.
const MOST: usize = 10_000;

/// Events that wait. Times are since any fixed moment, such as the start of the process.
#[derive(Debug, Clone)]
pub struct Order<T> {
    channels: HashMap<Snowflake, Vec<Waiting<T>>>,
    count: usize,
}

#[derive(Debug, Clone)]
struct Waiting<T> {
    id: Snowflake,
    due: Duration,
    event: T,
}

impl<T> Default for Order<T> {
    fn default() -> Self {
        Self {
            channels: HashMap::new(),
            count: 0,
        }
    }
}

impl<T> Order<T> {
    /// An event came that is about the message or the interaction with this id.
    pub fn push(&mut self, channel: Snowflake, id: Snowflake, event: T, now: Duration) {
        let due = now.saturating_add(HOLD);
        let waiting = self.channels.entry(channel).or_default();
        // what came later about the same message stays behind
        let at = waiting.partition_point(|other| other.id <= id);
        waiting.insert(at, Waiting { id, due, event });
        self.count += 1;
    }

    /// When the next event has waited long enough; none if nothing waits.
    #[must_use]
    pub fn due(&self) -> Option<Duration> {
        if self.count > MOST {
            return Some(Duration::ZERO);
        }
        self.channels.values().flatten().map(|waiting| waiting.due).min()
    }

    /// The events that have waited long enough, and in each channel those before them.
    pub fn take(&mut self, now: Duration) -> Vec<T> {
        let is_full = self.count > MOST;
        let mut taken = Vec::new();
        for waiting in self.channels.values_mut() {
            let last = waiting.iter().rposition(|one| is_full || one.due <= now);
            let many = last.map_or(0, |last| last + 1);
            taken.extend(waiting.drain(..many).map(|one| one.event));
        }
        self.channels.retain(|_, waiting| !waiting.is_empty());
        self.count -= taken.len();
        taken
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: u64) -> Snowflake {
        Snowflake::new(number).unwrap()
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn an_event_waits_for_those_before_it() {
        let mut order = Order::default();
        order.push(id(1), id(12), "second", millis(0));
        order.push(id(1), id(11), "first", millis(30));
        order.push(id(1), id(11), "edit of the first", millis(31));
        order.push(id(1), id(13), "third", millis(40));
        order.push(id(2), id(5), "elsewhere", millis(40));
        assert_eq!((order.due(), order.take(millis(49))), (Some(millis(50)), vec![]));
        assert_eq!(order.take(millis(50)), ["first", "edit of the first", "second"]);
        assert_eq!(order.due(), Some(millis(90)));
        assert_eq!((order.take(millis(90)).len(), order.due()), (2, None));
    }

    #[test]
    fn too_many_do_not_wait() {
        let mut order = Order::default();
        (1..=MOST as u64 + 1).for_each(|nth| order.push(id(nth % 7 + 1), id(nth), nth, millis(9)));
        assert_eq!(order.due(), Some(Duration::ZERO));
        assert_eq!((order.take(millis(9)).len(), order.due()), (MOST + 1, None));
    }

    proptest! {
        #[test]
        fn what_is_late_by_less_stays_in_order(late in prop::collection::vec((1u64..4, 0u64..50), 1..200), step in 1u64..30) {
            // message n was written at n ms, and is late by so much
            let mut arrivals: Vec<(u64, u64, u64)> = (1..).zip(&late).map(|(nth, (channel, late))| (nth + late, *channel, nth)).collect();
            arrivals.sort_unstable();
            let (mut order, mut out) = (Order::default(), Vec::new());
            let mut arrivals = arrivals.into_iter().peekable();
            let mut now = 0;
            while arrivals.peek().is_some() || order.due().is_some() {
                while let Some((_, channel, nth)) = arrivals.next_if(|(at, ..)| *at <= now) {
                    order.push(id(channel), id(nth), (channel, nth), millis(now));
                }
                out.extend(order.take(millis(now)));
                now += step;
            }
            prop_assert_eq!(out.len(), late.len());
            for channel in 1..4 {
                let ids: Vec<u64> = out.iter().filter(|(of, _)| *of == channel).map(|(_, nth)| *nth).collect();
                prop_assert!(ids.is_sorted(), "{:?}", ids);
            }
        }
    }
}
