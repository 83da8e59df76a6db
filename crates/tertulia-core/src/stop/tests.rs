//! What is held back, by table.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Pace, Progress, Reach, SlotKind, TextLimit};

use super::*;
use crate::record::{ConversationId, SlotProgress};

fn limits() -> Limits {
    Limits {
        // a mark of 36 characters with its gap is left room for
        text: TextLimit::Chars(76),
        weigh: |markup| markup.plain().chars().count(),
        caption: 0,
        files: 0,
        progress: Progress::Edit,
        pace: Pace {
            every: std::time::Duration::ZERO,
            growth: 1,
        },
        keyed: false,
        reach: Reach::Always,
        threads: false,
        buttons: false,
    }
}

/// `posted`, `edit` (posted, an edit is due), `sending`, `unsure`, `forced` (about to be sent again), `new`, `dead` (never posted), `stuck` (posted, then
/// dead), `gone` (to be deleted), `full` (posted, without room).
fn slot(trigger: i64, nth: usize, word: &str) -> Slot {
    let state = match word {
        "sending" => SlotState::Sending,
        "unsure" => SlotState::Unsure,
        "dead" | "stuck" => SlotState::Dead,
        _ => SlotState::Idle,
    };
    let is_posted = matches!(word, "posted" | "edit" | "stuck" | "gone" | "full");
    let text = if word == "full" {
        "x".repeat(40)
    } else {
        format!("part {nth}")
    };
    Slot {
        id: SlotId {
            trigger,
            kind: SlotKind::Answer,
            part: u32::try_from(nth).unwrap() * 1000,
        },
        account: Account {
            interface: "chat".into(),
            identity: "bot".into(),
        },
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/room").unwrap(),
        re: "x".into(),
        token: None,
        wish: Wish {
            shown: word != "gone",
            rev: 2,
            post: Post {
                quote: true,
                ..Post::of(Markup::text(&text))
            },
            source: Some(0..6),
        },
        progress: SlotProgress {
            state,
            forced: word == "forced",
            ext_id: is_posted.then(|| "m".to_owned()),
            got_rev: u32::from(is_posted) * if word == "edit" { 1 } else { 2 },
            ..SlotProgress::default()
        },
        expires_at: 0,
        open: false,
    }
}

/// The parts of one turn, and afterwards: `-` taken back, `+` marked, `!` the mark alone, `.` as it was.
#[track_caller]
fn check(turn: &str, expected: &str) {
    check_on(limits(), turn, expected);
}

#[track_caller]
fn check_on(limits: Limits, turn: &str, expected: &str) {
    let slots: Vec<Slot> = turn
        .split(' ')
        .enumerate()
        .map(|(nth, word)| slot(1, nth, word))
        .collect();
    let wishes = withhold(&slots, limits);
    let sign = |slot: &Slot| match wishes.iter().find(|(id, _)| *id == slot.id) {
        None => ".",
        Some((_, wish)) => {
            assert_eq!(wish.rev, 3);
            let text = wish.post.markup.plain();
            match text.strip_suffix(STOPPED_MARK).map(str::trim_end) {
                None => {
                    assert!(!wish.shown);
                    "-"
                }
                Some("") => "!",
                Some(before) => {
                    assert_eq!(before, slot.wish.post.markup.plain());
                    "+"
                }
            }
        }
    };
    assert_eq!(slots.iter().map(sign).collect::<String>(), expected, "{turn}");
}

#[test]
fn what_is_whole_is_not_touched() {
    check("posted", ".");
    check("edit", ".");
    check("posted edit", "..");
    check("sending", ".");
    check("posted unsure", "..");
}

#[test]
fn what_was_never_posted_is_taken_back() {
    check("new", "-");
    check("new new new", "---");
    check("posted new new", "+--");
    check("posted posted new", ".+-");
    check("edit new", "+-");
}

#[test]
fn what_may_have_arrived_counts_as_posted() {
    check("sending new", "+-");
    check("posted unsure new", ".+-");
    check("forced new", "+-");
    check("forced", ".");
}

#[test]
fn there_are_no_holes() {
    check("posted new posted", "...");
    check("posted new posted new", "..+-");
}

#[test]
fn a_mark_always_stands_where_something_is_missing() {
    check("full new new", ".!-");
    check("posted full new", "..!");
    check("stuck new new", ".!-");
}

#[test]
fn what_is_dead_or_gone_stays_so() {
    check("posted dead", "..");
    check("dead new", ".-");
    check("posted dead new", "+.-");
    check("posted gone", "..");
    check("gone new", ".-");
    check("posted gone new", "+.-");
}

#[test]
fn turns_are_judged_one_by_one() {
    let slots = [
        slot(1, 0, "posted"),
        slot(1, 1, "new"),
        slot(2, 0, "new"),
        slot(3, 0, "posted"),
    ];
    let wishes = withhold(&slots, limits());
    let ids: Vec<_> = wishes
        .iter()
        .map(|(id, wish)| (id.trigger, id.part, wish.shown))
        .collect();
    assert_eq!(ids, [(1, 0, true), (1, 1000, false), (2, 0, false)]);
}

#[test]
fn where_nothing_is_noted_before_a_post_the_next_one_may_be_under_way() {
    let keyed = Limits {
        keyed: true,
        text: TextLimit::Chars(40),
        ..limits()
    };
    check_on(keyed, "new", ".");
    check_on(keyed, "new new new", "+--");
    check_on(keyed, "posted new new", ".+-");
    check_on(keyed, "posted new", "..");
    check_on(keyed, "dead new new", ".+-");
    check_on(keyed, "unsure new new", ".+-");
    // only the first of a conversation: the others wait for it
    let slots = [slot(1, 0, "new"), slot(2, 0, "new"), slot(2, 1, "new")];
    let ids: Vec<_> = withhold(&slots, keyed)
        .iter()
        .map(|(id, wish)| (id.trigger, wish.shown))
        .collect();
    assert_eq!(ids, [(2, false), (2, false)]);
}

#[test]
fn room_is_left_for_the_mark_of_a_message_that_is_sent_again() {
    let limits = Limits {
        text: TextLimit::Chars(60),
        ..limits()
    };
    check_on(limits, "posted new", "+-");
    let mut posted = slot(1, 0, "posted");
    posted.wish.post = Post::of(Markup::text("x".repeat(30)));
    let wishes = withhold(&[posted, slot(1, 1, "new")], limits);
    assert!(
        matches!(&wishes[..], [(id, wish)] if id.part == 1000 && wish.shown),
        "{wishes:?}"
    );
}

#[test]
fn what_was_stopped_can_be_tried_again_where_there_are_buttons() {
    let tokens = |slots: &[Slot], buttons| {
        let wishes = withhold(slots, Limits { buttons, ..limits() });
        let tokens = |wish: &Wish| wish.post.buttons.iter().map(|button| button.token.clone()).collect();
        let shown = wishes.iter().filter(|(_, wish)| wish.shown);
        shown
            .map(|(id, wish)| (id.part, tokens(wish)))
            .collect::<Vec<(u32, Vec<String>)>>()
    };
    let marked = [slot(7, 0, "posted"), slot(7, 1, "new")];
    let alone = [slot(7, 0, "full"), slot(7, 1, "new")];
    assert_eq!(tokens(&marked, true), [(0, vec!["retry.7".to_owned()])]);
    assert_eq!(tokens(&alone, true), [(1000, vec!["retry.7".to_owned()])]);
    assert_eq!(tokens(&marked, false), [(0, vec![])]);
    assert_eq!(tokens(&alone, false), [(1000, vec![])]);
}
