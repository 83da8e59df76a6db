//! Calls that failed, and when each may be tried again; pure.

use std::collections::HashMap;
use std::time::Duration;

use matrix_sdk::ruma::OwnedRoomId;
use tokio::time::Instant;

use crate::call::Failure;

const FIRST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_mins(10);

/// One series of tries for each room.
#[derive(Debug, Default)]
pub(super) struct Tries {
    failed: HashMap<OwnedRoomId, (u32, Instant)>,
    /// The server takes no more from the account before this time.
    limited: Option<Instant>,
}

impl Tries {
    /// True if something may be tried with this room.
    pub(super) fn may(&self, room: &OwnedRoomId, now: Instant) -> bool {
        let is_limited = self.limited.is_some_and(|until| now < until);
        let is_early = self.failed.get(room).is_some_and(|(_, until)| now < *until);
        !is_limited && !is_early
    }

    pub(super) fn failed(&mut self, room: &OwnedRoomId, failure: &Failure, now: Instant) {
        if let Some(after) = failure.wait() {
            self.limited = Some(now + after);
            return;
        }
        let failures = self.failed.get(room).map_or(0, |(failures, _)| *failures);
        let pause = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
        self.failed
            .insert(room.clone(), (failures.saturating_add(1), now + pause));
    }

    /// The series is over.
    pub(super) fn end(&mut self, room: &OwnedRoomId) {
        self.failed.remove(room);
    }

    /// When something may be tried again, if anything waits for that.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let limited = self.limited.filter(|until| *until > now);
        let times = self.failed.values().map(|(_, until)| *until).chain(limited);
        times.min().map(|until| until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk::ruma::RoomId;
    use tertulia_message::{DeliverError, RateScope};

    use super::*;
    use crate::refusal::Refusal;

    fn room(id: &str) -> OwnedRoomId {
        RoomId::parse(id).unwrap()
    }

    #[test]
    fn tries_grow_rare_and_rooms_do_not_wait_for_each_other() {
        let (now, mut tries) = (Instant::now(), Tries::default());
        let lost = Failure::Unknown("reset".to_owned());
        let (one, other) = (room("!one:h"), room("!other:h"));
        assert!(tries.may(&one, now) && tries.next(now).is_none());
        for seconds in [2, 4, 8] {
            tries.failed(&one, &lost, now);
            assert_eq!(tries.next(now), Some(Duration::from_secs(seconds)));
        }
        assert!(!tries.may(&one, now + Duration::from_secs(7)) && tries.may(&one, now + Duration::from_secs(8)));
        assert!(tries.may(&other, now));
        for _ in 0..100 {
            tries.failed(&one, &lost, now);
        }
        assert_eq!(tries.next(now), Some(LONGEST));
        tries.end(&one);
        assert!(tries.may(&one, now));
    }

    #[test]
    fn a_limit_holds_for_all_rooms() {
        let (now, mut tries) = (Instant::now(), Tries::default());
        let after = Duration::from_secs(61);
        let error = DeliverError::RateLimited {
            after,
            scope: RateScope::Account,
        };
        let limited = Failure::Answered {
            status: 429,
            code: "M_LIMIT_EXCEEDED".to_owned(),
            words: String::new(),
            refusal: Box::new(Refusal::Failed(error)),
        };
        tries.failed(&room("!one:h"), &limited, now);
        assert!(!tries.may(&room("!other:h"), now));
        assert_eq!(tries.next(now), Some(after));
        assert!(tries.may(&room("!one:h"), now + after) && tries.next(now + after).is_none());
    }
}
