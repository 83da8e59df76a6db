//! Which rooms are behind, and from where they are paged; pure.
//!
//! Everything up to the cursor is in the inbox, except in rooms with a gap. While a room has one, nothing of it is taken from the
//! sync: paging gives it in order. One pass of paging reads the room from a token of the server to its end. The server orders
//! such pages by the shape of the room and not by arrival, so what arrives during a pass may be missed by it: if anything did, a
//! next pass begins where the sync was when the last one began.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tertulia_message::Mark;

/// The marks of rooms that are behind begin with this; then comes the room's id.
pub(super) const BEHIND: &str = "behind/";

/// What of a room is missing in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gap {
    /// From where to page on.
    pub(super) from: String,
    /// Where the sync was when this pass of paging began: from there the next one goes on.
    pub(super) then: String,
    /// True if the bot was not in the room at `from`: what stands before its joining was not said to it.
    #[serde(default)]
    pub(super) is_outside: bool,
}

/// The rooms that are behind.
#[derive(Debug, Default)]
pub(super) struct Gaps(BTreeMap<String, Behind>);

#[derive(Debug)]
struct Behind {
    gap: Gap,
    /// True if the sync had something of the room since the pass began.
    has_news: bool,
}

impl Gaps {
    /// The gaps of a former start, by their marks. What can no longer be read is given back: such a room has lost its place.
    pub(super) fn by(marks: &[Mark]) -> (Self, Vec<String>) {
        let (mut gaps, mut lost) = (Self::default(), Vec::new());
        for mark in marks {
            let (Some(room), Some(value)) = (mark.key.strip_prefix(BEHIND), &mark.value) else {
                continue;
            };
            match serde_json::from_slice(value) {
                // nobody knows what the sync had of it meanwhile
                Ok(gap) => gaps.insert(room, gap, true),
                Err(_) => lost.push(room.to_owned()),
            }
        }
        (gaps, lost)
    }

    /// The room is behind from now on; nothing changes for one that is already.
    pub(super) fn open(&mut self, room: &str, gap: Gap) {
        if !self.is_behind(room) {
            self.insert(room, gap, false);
        }
    }

    pub(super) fn is_behind(&self, room: &str) -> bool {
        self.0.contains_key(room)
    }

    pub(super) fn rooms(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn of(&self, room: &str) -> Option<&Gap> {
        self.0.get(room).map(|behind| &behind.gap)
    }

    /// The sync has something of a room that is behind, and it is left to the paging.
    pub(super) fn news(&mut self, room: &str) {
        if let Some(behind) = self.0.get_mut(room) {
            behind.has_news = true;
        }
    }

    /// A page is in the inbox.
    pub(super) fn paged(&mut self, room: &str, gap: Gap) {
        if let Some(behind) = self.0.get_mut(room) {
            behind.gap = gap;
        }
    }

    /// A pass has reached the end of the room, while the sync stands at `cursor`. True if nothing can have been missed: then the
    /// room may be closed, before anything else of the sync is looked at. Else the next pass begins.
    pub(super) fn is_whole(&mut self, room: &str, cursor: &str) -> bool {
        let Some(behind) = self.0.get_mut(room).filter(|behind| behind.has_news) else {
            return true;
        };
        behind.has_news = false;
        behind.gap.from = std::mem::replace(&mut behind.gap.then, cursor.to_owned());
        false
    }

    /// Nobody can page from where the room stands: it is taken up from `cursor`, after what its end holds was looked at.
    pub(super) fn reopen(&mut self, room: &str, cursor: &str) {
        if let Some(behind) = self.0.get_mut(room) {
            behind.has_news = false;
            cursor.clone_into(&mut behind.gap.from);
            cursor.clone_into(&mut behind.gap.then);
        }
    }

    /// The room is behind no longer.
    pub(super) fn close(&mut self, room: &str) {
        self.0.remove(room);
    }

    fn insert(&mut self, room: &str, gap: Gap, has_news: bool) {
        self.0.insert(room.to_owned(), Behind { gap, has_news });
    }
}

impl Gap {
    /// The mark of a room with this gap.
    pub(super) fn mark(&self, room: &str) -> Mark {
        Mark {
            key: format!("{BEHIND}{room}"),
            value: Some(serde_json::to_vec(self).unwrap_or_default()),
        }
    }
}

/// The mark of a room without a gap.
pub(super) fn closed(room: &str) -> Mark {
    Mark {
        key: format!("{BEHIND}{room}"),
        value: None,
    }
}

/// What a sync says of a joined room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Told {
    /// The server has left out older events.
    pub(super) is_limited: bool,
    /// The bot was in the room before.
    pub(super) was_joined: bool,
    /// The bot's joining stands in the timeline.
    pub(super) has_joining: bool,
}

/// What becomes of a joined room's part of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is handed in. Where the bot was outside before, only what follows its joining.
    Live {
        /// See [`Gap::is_outside`].
        is_outside: bool,
    },
    /// It is paged, from the gap that begins here if it has none yet.
    Behind(Gap),
    /// It is past.
    Past,
}

/// How far the inbox is, and how far the library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sync<'a> {
    /// Everything up to here is in the inbox; none before the first response of all.
    pub(super) cursor: Option<&'a str>,
    /// From where the server was asked; none for everything that it has.
    pub(super) since: Option<&'a str>,
    /// How far the response goes.
    pub(super) next: &'a str,
}

impl Sync<'_> {
    /// True if events lie between the inbox and the response: then every joined room is behind.
    pub(super) fn is_torn(&self) -> bool {
        self.cursor.is_some() && self.cursor != self.since
    }

    /// What becomes of a room that is not behind yet.
    pub(super) fn turn(&self, told: Told) -> Turn {
        let gap = |from: &str, is_outside| {
            Turn::Behind(Gap {
                from: from.to_owned(),
                then: self.next.to_owned(),
                is_outside,
            })
        };
        match (self.cursor, self.since) {
            (Some(cursor), _) if self.is_torn() => gap(cursor, false),
            (None, None) => Turn::Past,
            // of a room that was joined meanwhile, nothing is missing after the joining
            (_, Some(since)) if told.is_limited && (told.was_joined || !told.has_joining) => {
                gap(since, !told.was_joined)
            }
            _ => Turn::Live {
                is_outside: !told.was_joined,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOINED: Told = Told {
        is_limited: false,
        was_joined: true,
        has_joining: false,
    };

    fn sync<'a>(cursor: Option<&'a str>, since: Option<&'a str>) -> Sync<'a> {
        Sync {
            cursor,
            since,
            next: "s9",
        }
    }

    fn gap(from: &str, then: &str) -> Gap {
        Gap {
            from: from.to_owned(),
            then: then.to_owned(),
            is_outside: false,
        }
    }

    #[track_caller]
    fn check(sync: Sync<'_>, told: Told, expected: &Turn) {
        assert_eq!(&sync.turn(told), expected, "{sync:?} {told:?}");
    }

    #[test]
    fn a_whole_timeline_is_live() {
        check(sync(Some("s1"), Some("s1")), JOINED, &Turn::Live { is_outside: false });
        let new = Told {
            was_joined: false,
            ..JOINED
        };
        check(sync(Some("s1"), Some("s1")), new, &Turn::Live { is_outside: true });
        // the library was here before the inbox, which is new
        check(sync(None, Some("s1")), JOINED, &Turn::Live { is_outside: false });
    }

    #[test]
    fn what_the_server_left_out_is_paged_from_where_it_was_asked() {
        let limited = Told {
            is_limited: true,
            ..JOINED
        };
        check(sync(Some("s1"), Some("s1")), limited, &Turn::Behind(gap("s1", "s9")));
        check(sync(None, Some("s1")), limited, &Turn::Behind(gap("s1", "s9")));
        // left and joined again meanwhile
        let again = Told {
            has_joining: true,
            ..limited
        };
        check(sync(Some("s1"), Some("s1")), again, &Turn::Behind(gap("s1", "s9")));
    }

    #[test]
    fn of_a_new_room_only_what_follows_the_joining_can_be_missing() {
        let new = Told {
            is_limited: true,
            was_joined: false,
            has_joining: true,
        };
        check(sync(Some("s1"), Some("s1")), new, &Turn::Live { is_outside: true });
        let busy = Told {
            has_joining: false,
            ..new
        };
        let expected = Gap {
            is_outside: true,
            ..gap("s1", "s9")
        };
        check(sync(Some("s1"), Some("s1")), busy, &Turn::Behind(expected));
    }

    #[test]
    fn where_the_library_is_ahead_every_room_is_paged_from_the_cursor() {
        for since in [None, Some("s2")] {
            assert!(sync(Some("s1"), since).is_torn());
            check(sync(Some("s1"), since), JOINED, &Turn::Behind(gap("s1", "s9")));
        }
        assert!(!sync(Some("s1"), Some("s1")).is_torn());
    }

    #[test]
    fn nothing_is_answered_that_was_said_before_the_first_start() {
        assert!(!sync(None, None).is_torn());
        check(sync(None, None), JOINED, &Turn::Past);
    }

    #[test]
    fn a_room_is_whole_when_nothing_came_during_a_pass() {
        let mut gaps = Gaps::default();
        gaps.open("!r", gap("s1", "s2"));
        gaps.paged("!r", gap("t5-5", "s2"));
        gaps.news("!r");
        assert!(!gaps.is_whole("!r", "s4"), "something came");
        assert_eq!(gaps.of("!r"), Some(&gap("s2", "s4")));
        gaps.paged("!r", gap("t6-6", "s4"));
        assert!(gaps.is_whole("!r", "s5"));
        gaps.close("!r");
        assert!(!gaps.is_behind("!r") && gaps.is_whole("!r", "s6"));
    }

    #[test]
    fn a_second_gap_does_not_move_the_first() {
        let mut gaps = Gaps::default();
        gaps.open("!r", gap("s1", "s2"));
        gaps.open("!r", gap("s7", "s8"));
        assert_eq!(gaps.of("!r"), Some(&gap("s1", "s2")));
    }

    #[test]
    fn gaps_outlive_a_restart_and_then_need_another_pass() {
        let there = Gap {
            is_outside: true,
            ..gap("t5-5", "s2")
        };
        let other = Mark {
            key: "cursor".into(),
            value: Some(b"s3".to_vec()),
        };
        let broken = Mark {
            key: "behind/!broken".into(),
            value: Some(b"t7".to_vec()),
        };
        let (mut gaps, lost) = Gaps::by(&[other, broken, there.mark("!a/b\n:é")]);
        assert_eq!(lost, ["!broken"]);
        assert_eq!(gaps.rooms().collect::<Vec<_>>(), ["!a/b\n:é"]);
        assert_eq!(gaps.of("!a/b\n:é"), Some(&there));
        assert!(!gaps.is_whole("!a/b\n:é", "s9"));
        assert!(gaps.is_whole("!a/b\n:é", "s9"));
        assert_eq!(closed("!r").value, None);
    }

    #[test]
    fn a_place_that_the_server_forgot_is_left() {
        let mut gaps = Gaps::default();
        gaps.open("!r", gap("s1", "s2"));
        gaps.news("!r");
        gaps.reopen("!r", "s7");
        assert_eq!(gaps.of("!r"), Some(&gap("s7", "s7")));
        assert!(gaps.is_whole("!r", "s8"));
    }
}
