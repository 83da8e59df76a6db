//! What is known about the gates; the time is an argument, counted from any fixed point.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tertulia_message::RateScope;

/// So many chats that are limited within [`TOGETHER`] are no coincidence.
const SEVERAL: usize = 3;
/// See [`SEVERAL`].
const TOGETHER: Duration = Duration::from_secs(2);
/// Fleeting calls keep this distance within a chat: Telegram takes about one call a second there.
const APART: Duration = Duration::from_secs(1);
/// So many fleeting calls a second for the whole account: of the thirty or so that Telegram takes, messages have the rest.
const A_SECOND: usize = 20;
/// When a gate opens, what people wait for goes first.
const AFTER_YOU: Duration = Duration::from_secs(1);

/// The gates and the budget of one account.
#[derive(Debug, Default)]
pub(super) struct Book {
    account_until: Duration,
    until: BTreeMap<i64, Duration>,
    /// The last limits, each with its chat and its end, as long as they can be [`TOGETHER`] with another.
    blows: VecDeque<Blow>,
    /// When a chat had its last fleeting call; only what is less than [`APART`] ago.
    fleeting: BTreeMap<i64, Duration>,
    /// The fleeting calls of the last second, at most [`A_SECOND`].
    last_second: VecDeque<Duration>,
}

#[derive(Debug)]
struct Blow {
    at: Duration,
    chat: i64,
    ends: Duration,
}

impl Book {
    pub(super) fn rest(&self, chat: i64, now: Duration) -> Option<(Duration, RateScope)> {
        let own = self.until.get(&chat).copied().unwrap_or_default();
        let (until, scope) = if self.account_until > own {
            (self.account_until, RateScope::Account)
        } else {
            (own, RateScope::Path)
        };
        let rest = until.saturating_sub(now);
        (!rest.is_zero()).then_some((rest, scope))
    }

    /// Telegram does not say whether a chat or the bot as a whole has sent too much. One chat alone says nothing about others;
    /// several at nearly the same time mean that the bot has, and then every further call would only make the wait longer.
    /// The others wait for the shortest of those waits: it may still have been a coincidence.
    pub(super) fn shut(&mut self, chat: i64, after: Duration, now: Duration) -> (Duration, RateScope) {
        self.forget(now);
        let ends = now.saturating_add(after);
        let until = self.until.entry(chat).or_default();
        *until = ends.max(*until);
        self.blows.retain(|blow| blow.chat != chat);
        self.blows.push_back(Blow { at: now, chat, ends });
        if self.blows.len() < SEVERAL {
            return (after, RateScope::Path);
        }
        let shortest = self.blows.iter().map(|blow| blow.ends).min().unwrap_or(ends);
        self.account_until = shortest.max(self.account_until);
        self.blows.pop_front();
        (self.account_until.saturating_sub(now), RateScope::Account)
    }

    pub(super) fn admit_fleeting(&mut self, chat: i64, now: Duration) -> Result<(), Duration> {
        if let Some((rest, _)) = self.rest(chat, now) {
            return Err(rest.saturating_add(AFTER_YOU));
        }
        self.fleeting.retain(|_, last| now < last.saturating_add(APART));
        self.last_second.retain(|last| now < last.saturating_add(APART));
        if let Some(last) = self.fleeting.get(&chat) {
            return Err(last.saturating_add(APART).saturating_sub(now));
        }
        if let Some(first) = self.last_second.front().filter(|_| self.last_second.len() >= A_SECOND) {
            return Err(first.saturating_add(APART).saturating_sub(now));
        }
        self.fleeting.insert(chat, now);
        self.last_second.push_back(now);
        Ok(())
    }

    /// Drops what has no meaning any more, so that the book holds no more chats than were limited lately.
    fn forget(&mut self, now: Duration) {
        self.until.retain(|_, until| *until > now);
        self.blows.retain(|blow| now < blow.at.saturating_add(TOGETHER));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_chat_waits_as_long_as_it_was_told_to_and_no_other_does() {
        let mut book = Book::default();
        assert_eq!(book.shut(1, ms(7_000), ms(100)), (ms(7_000), RateScope::Path));
        let cases = [
            (1, 100, Some(7_000)),
            (1, 7_099, Some(1)),
            (1, 7_100, None),
            (2, 100, None),
        ];
        for (chat, at, rest) in cases {
            let rest = rest.map(|rest| (ms(rest), RateScope::Path));
            assert_eq!(book.rest(chat, ms(at)), rest, "{chat} at {at}");
        }
    }

    #[test]
    fn a_shorter_wait_opens_no_gate() {
        let mut book = Book::default();
        book.shut(1, ms(7_000), ms(0));
        book.shut(1, ms(1_000), ms(10));
        assert_eq!(book.rest(1, ms(5_000)), Some((ms(2_000), RateScope::Path)));
    }

    #[test]
    fn several_chats_at_once_mean_the_account() {
        let mut book = Book::default();
        assert_eq!(book.shut(1, ms(5_000), ms(0)).1, RateScope::Path);
        assert_eq!(book.shut(2, ms(9_000), ms(500)).1, RateScope::Path);
        assert_eq!(
            book.shut(2, ms(9_000), ms(600)).1,
            RateScope::Path,
            "the same chat twice"
        );
        assert_eq!(book.shut(3, ms(30_000), ms(1_000)), (ms(4_000), RateScope::Account));
        let cases = [
            // a stranger waits for the shortest, the others for what they were told
            (4, 1_000, Some((4_000, RateScope::Account))),
            (4, 5_000, None),
            (2, 5_000, Some((4_600, RateScope::Path))),
            (3, 5_000, Some((26_000, RateScope::Path))),
        ];
        for (chat, at, rest) in cases {
            let rest = rest.map(|(rest, scope)| (ms(rest), scope));
            assert_eq!(book.rest(chat, ms(at)), rest, "{chat} at {at}");
        }
    }

    #[test]
    fn limits_one_after_the_other_mean_nothing_more() {
        let mut book = Book::default();
        for (chat, at) in [(1, 0), (2, 1_900), (3, 3_000), (4, 5_100)] {
            assert_eq!(book.shut(chat, ms(9_000), ms(at)).1, RateScope::Path, "{chat}");
        }
    }

    #[test]
    fn only_what_still_holds_is_kept() {
        let mut book = Book::default();
        for chat in 0..1_000 {
            let at = ms(3_000 * u64::try_from(chat).unwrap());
            book.shut(chat, ms(100), at);
            assert_eq!(book.admit_fleeting(-1 - chat, at), Ok(()));
        }
        assert_eq!((book.until.len(), book.blows.len()), (1, 1));
        assert_eq!((book.fleeting.len(), book.last_second.len()), (1, 1));
    }

    #[test]
    fn fleeting_calls_keep_their_distance() {
        let mut book = Book::default();
        assert_eq!(book.admit_fleeting(1, ms(0)), Ok(()));
        assert_eq!(book.admit_fleeting(1, ms(300)), Err(ms(700)));
        assert_eq!(book.admit_fleeting(2, ms(300)), Ok(()));
        assert_eq!(book.admit_fleeting(1, ms(1_000)), Ok(()));
        book.shut(2, ms(2_000), ms(1_000));
        assert_eq!(book.admit_fleeting(2, ms(2_500)), Err(ms(1_500)));
    }

    #[test]
    fn messages_always_have_room_beside_fleeting_calls() {
        let mut book = Book::default();
        let admitted = (0..100).filter(|chat| book.admit_fleeting(*chat, ms(10)).is_ok());
        assert_eq!(admitted.count(), A_SECOND);
        assert_eq!(book.admit_fleeting(500, ms(400)), Err(ms(610)));
        assert_eq!(book.admit_fleeting(500, ms(1_010)), Ok(()));
    }
}
