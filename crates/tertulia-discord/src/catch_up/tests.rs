//! What is fetched after an absence, and what is left out.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn id(number: u64) -> Snowflake {
    Snowflake::new(number).unwrap()
}

/// The first message that can have been written so many hours ago.
fn ago(hours: i64) -> Snowflake {
    Snowflake::at(NOW - hours * HOUR)
}

fn bounds(hours: u64, number: usize) -> CatchUp {
    CatchUp {
        age: Duration::from_hours(hours),
        number,
    }
}

fn of(seen: Option<Snowflake>, newest: Option<Snowflake>) -> Standing {
    Standing {
        channel: id(5),
        seen,
        newest,
    }
}

fn gap(due: Due) -> Gap {
    match due {
        Due::Fetch(gap) => gap,
        other => panic!("nothing to fetch: {other:?}"),
    }
}

#[test]
fn only_what_moved_is_fetched() {
    let due = |seen, newest| due(of(seen, newest), Some(ago(2)), NOW, bounds(24, 50));
    assert_eq!(due(None, None), Due::Nothing);
    assert_eq!(due(None, Some(ago(1))), Due::Begin(ago(1)));
    assert_eq!(due(Some(ago(2)), Some(ago(2))), Due::Nothing);
    assert_eq!(due(Some(ago(2)), Some(ago(3))), Due::Nothing);
    assert_eq!(gap(due(Some(ago(2)), Some(ago(1)))).next(), Some(ago(2)));
    assert_eq!(gap(due(Some(ago(2)), None)).next(), Some(ago(2)));
}

#[test]
fn a_thread_that_is_new_is_read_from_its_first_message() {
    let thread = Standing {
        channel: ago(1),
        seen: None,
        newest: Some(ago(1)),
    };
    let gap = gap(due(thread, Some(ago(2)), NOW, bounds(24, 50)));
    assert_eq!(gap.next(), Some(ago(1).before()));
    assert_eq!(due(thread, None, NOW, bounds(24, 50)), Due::Begin(ago(1)));
}

#[test]
fn what_is_too_old_is_left_out() {
    let due = |seen, newest| due(of(Some(ago(seen)), Some(ago(newest))), None, NOW, bounds(24, 50));
    let partly = gap(due(48, 1));
    assert_eq!(
        (partly.next(), partly.missed().has_older),
        (Some(ago(24).before()), true)
    );
    let wholly = gap(due(48, 30));
    assert_eq!(
        (wholly.next(), wholly.read_to(), wholly.missed().has_older),
        (None, ago(30), true)
    );
    assert!(!gap(due(23, 1)).missed().has_older);
}

#[test]
fn who_wants_nothing_gets_nothing() {
    for bounds in [bounds(0, 50), bounds(24, 0)] {
        let gap = gap(due(of(Some(ago(2)), Some(ago(1))), None, NOW, bounds));
        assert_eq!((gap.next(), gap.read_to()), (None, ago(1)));
    }
}

#[test]
fn more_than_wanted_is_counted_and_told_once() {
    let mut gap = gap(due(of(Some(ago(2)), Some(ago(1))), None, NOW, bounds(24, 2)));
    let admitted = (0..5).filter(|_| gap.admits()).count();
    assert_eq!((admitted, gap.missed().more), (2, 3));
    let older = Missed {
        has_older: true,
        more: 0,
    };
    let text = summary(&[gap.missed(), Missed::default(), older], bounds(24, 2)).unwrap();
    assert!(
        text.contains("in 1 conversations there may be messages older than 24 hours"),
        "{text}"
    );
    assert!(
        text.contains("in 1 there were more than 2 messages, at least 3"),
        "{text}"
    );
    assert_eq!(summary(&[Missed::default()], bounds(24, 2)), None);
}

#[test]
fn what_discord_does_not_list_is_asked_for() {
    let seen = |channel, hours, parent: Option<u64>, is_direct| Seen {
        channel: id(channel),
        last: ago(hours),
        parent: parent.map(id),
        is_direct,
    };
    let all = [
        seen(1, 900, None, true),
        seen(2, 1, Some(9), false),
        seen(3, 30, Some(9), false),
        seen(4, 1, None, false),
        seen(5, 2, None, true),
        seen(6, 1, Some(9), false),
    ];
    let listed = BTreeSet::from([id(6)]);
    let due = unlisted(&all, &listed, NOW, bounds(24, 50));
    let channels: Vec<u64> = due.iter().map(|seen| seen.channel.get()).collect();
    assert_eq!(channels, [2, 5, 1]);
    let many: Vec<Seen> = (1..2000).map(|nth| seen(nth, 1, None, true)).collect();
    assert_eq!(unlisted(&many, &listed, NOW, bounds(24, 50)).len(), MOST_UNLISTED);
}

#[test]
fn the_form_of_marks_is_frozen() {
    let usual = Seen {
        channel: id(5),
        last: id(7),
        parent: None,
        is_direct: false,
    };
    for (seen, value) in [
        (usual, "7"),
        (
            Seen {
                parent: Some(id(9)),
                ..usual
            },
            "7 9",
        ),
        (
            Seen {
                is_direct: true,
                ..usual
            },
            "7 direct",
        ),
    ] {
        let mark = seen.mark();
        assert_eq!(
            (mark.key.as_str(), mark.value.as_deref()),
            ("channel/5", Some(value.as_bytes()))
        );
        assert_eq!(Seen::read(&mark), Some(seen));
    }
    assert_eq!(Seen::read(&Seen::removed(id(5))), None);
    let mut moving = usual;
    assert_eq!(
        (moving.handled(id(6)), moving.handled(id(8)), moving.last),
        (false, true, id(8))
    );
}

proptest! {
    /// A channel as Discord keeps it: a page holds the oldest messages behind one, the newest of them first.
    #[test]
    fn everything_that_was_missed_is_found_once(
        gaps in prop::collection::vec(1u64..1000, 0..900),
        read in 0usize..900,
    ) {
        let start = ago(20).get();
        let ids: Vec<Snowflake> = gaps.iter().scan(start, |at, gap| { *at += gap; Some(id(*at)) }).collect();
        let read = read.min(ids.len());
        let seen = read.checked_sub(1).map_or(id(start), |at| ids[at]);
        let mut found = Vec::new();
        match due(of(Some(seen), ids.last().copied()), None, NOW, bounds(24, 1000)) {
            Due::Nothing => {}
            Due::Begin(_) => prop_assert!(false),
            Due::Fetch(mut gap) => {
                while let Some(after) = gap.next() {
                    let mut page: Vec<Snowflake> = ids.iter().copied().filter(|id| *id > after).take(PAGE).collect();
                    page.reverse();
                    gap.page(&page);
                    page.reverse();
                    found.extend(page);
                    prop_assert!(gap.read_to() >= *found.last().unwrap_or(&seen));
                }
                prop_assert_eq!(gap.read_to(), ids.last().copied().unwrap_or(seen));
                prop_assert_eq!(gap.missed(), Missed::default());
            }
        }
        prop_assert_eq!(found.as_slice(), &ids[read..]);
    }

    #[test]
    fn no_server_keeps_us_for_ever(pages in prop::collection::vec(prop::collection::vec(1..u64::MAX, 100..120), 0..60)) {
        let mut gap = gap(due(of(Some(ago(2)), Some(ago(1))), None, NOW, bounds(24, 50)));
        let mut asked = 0;
        for page in &pages {
            if gap.next().is_none() {
                break;
            }
            asked += 1;
            let page: Vec<Snowflake> = page.iter().map(|number| id(*number)).collect();
            gap.page(&page);
        }
        prop_assert!(asked <= MOST_PAGES);
    }
}
