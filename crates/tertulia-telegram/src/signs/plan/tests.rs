//! What is shown when, on a clock of the test.

use super::*;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn draft(text: &str) -> Arc<Draft> {
    Arc::new(Draft {
        id: 7,
        text: text.to_owned(),
        entities: Vec::new(),
    })
}

fn typing(is_group: bool) -> Plan {
    let mut plan = Plan::new(is_group, ms(0));
    plan.begin(ms(0));
    assert_eq!(plan.next(ms(0)), Step::Show(Sign::Typing));
    plan
}

#[test]
fn typing_is_renewed_before_it_fades_and_ends_when_it_is_told() {
    let mut plan = typing(false);
    assert_eq!(plan.next(ms(0)), Step::Sleep(ms(4_500)));
    assert_eq!(plan.next(ms(4_499)), Step::Sleep(ms(4_500)));
    assert_eq!(plan.next(ms(4_500)), Step::Show(Sign::Typing));
    plan.end();
    assert_eq!(plan.next(ms(4_501)), Step::End);
}

#[test]
fn nothing_goes_on_for_ever() {
    let mut plan = typing(false);
    plan.preview(draft("a"), ms(10));
    let (mut now, mut calls) = (ms(10), 0);
    loop {
        match plan.next(now) {
            Step::Show(_) => calls += 1,
            Step::Sleep(until) => {
                assert!(until > now);
                now = until;
            }
            Step::End => break,
        }
    }
    assert_eq!((now, calls), (LONGEST, 45));
}

#[test]
fn a_turn_that_begins_after_another_is_shown_for_as_long() {
    let mut plan = typing(false);
    plan.end();
    plan.begin(LONGEST);
    assert_eq!(plan.next(LONGEST), Step::Show(Sign::Typing));
    assert_eq!(plan.next(LONGEST), Step::Sleep(LONGEST + ms(4_500)));
}

#[test]
fn a_message_that_is_on_its_way_is_not_followed_by_typing() {
    let mut plan = typing(false);
    plan.preview(draft("a"), ms(10));
    assert_eq!(plan.next(ms(10)), Step::Show(Sign::Draft(draft("a"))));
    plan.make_way(ms(9_000));
    assert_eq!(plan.next(ms(9_000)), Step::Sleep(ms(13_500)));
}

#[test]
fn typing_comes_back_soon_after_a_part_was_posted() {
    let mut plan = typing(false);
    plan.delivered(true, ms(100));
    assert_eq!(plan.next(ms(100)), Step::Sleep(ms(1_100)));
    assert_eq!(plan.next(ms(1_100)), Step::Show(Sign::Typing));
    plan.delivered(false, ms(1_200));
    assert_eq!(plan.next(ms(1_200)), Step::Sleep(ms(5_600)), "an edit does not end it");
}

#[test]
fn in_groups_what_is_delivered_stands_for_typing() {
    let mut plan = typing(true);
    for was_posted in [true, false] {
        plan.delivered(was_posted, ms(3_000));
        assert_eq!(plan.next(ms(4_500)), Step::Sleep(ms(7_500)));
    }
}

#[test]
fn what_is_delivered_where_nothing_is_shown_shows_nothing() {
    let mut plan = Plan::new(false, ms(0));
    plan.delivered(true, ms(0));
    assert_eq!(plan.next(ms(0)), Step::Sleep(LONGEST));
}

#[test]
fn the_newest_draft_wins_and_is_kept_alive() {
    let mut plan = typing(false);
    plan.preview(draft("a"), ms(100));
    let newest = draft("ab");
    plan.preview(Arc::clone(&newest), ms(200));
    let shown = Step::Show(Sign::Draft(newest));
    assert_eq!(plan.next(ms(200)), shown);
    assert_eq!(plan.next(ms(5_000)), Step::Sleep(ms(20_200)), "typing would replace it");
    assert_eq!(plan.next(ms(20_200)), shown);
}

#[test]
fn typing_goes_on_when_the_draft_has_become_a_message() {
    let mut plan = typing(false);
    plan.preview(draft("a"), ms(100));
    assert!(matches!(plan.next(ms(100)), Step::Show(Sign::Draft(_))));
    plan.drop_draft();
    plan.delivered(true, ms(9_000));
    assert_eq!(plan.next(ms(9_000)), Step::Sleep(ms(10_000)));
    assert_eq!(plan.next(ms(10_000)), Step::Show(Sign::Typing));
}

#[test]
fn what_was_put_off_is_shown_later_unless_something_newer_came() {
    let mut plan = typing(false);
    plan.put_off(&Sign::Typing, ms(9_000));
    assert_eq!(plan.next(ms(5_000)), Step::Sleep(ms(9_000)));
    plan.preview(draft("a"), ms(5_000));
    let Step::Show(old) = plan.next(ms(5_000)) else {
        panic!("it is due")
    };
    plan.put_off(&old, ms(6_000));
    assert_eq!(plan.next(ms(5_000)), Step::Sleep(ms(6_000)));
    let newer = draft("ab");
    plan.preview(Arc::clone(&newer), ms(5_500));
    plan.put_off(&old, ms(8_000));
    assert_eq!(plan.next(ms(5_500)), Step::Show(Sign::Draft(newer)));
}
