//! What the courier does with what it finds at a start.

use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Found, Limits, Markup, Pace, Post, Progress, Reach, SlotId, SlotKind, TextLimit};

use super::{Courier, Effect, Event};
use crate::now::Now;
use crate::record::{ConversationId, Slot, SlotProgress, SlotState, Wish};
use crate::transaction::Transaction;

const LIMITS: Limits = Limits {
    text: TextLimit::None,
    weigh: |markup| markup.plain().len(),
    caption: 0,
    files: 0,
    progress: Progress::Hidden,
    pace: Pace {
        every: Duration::ZERO,
        growth: 1,
    },
    keyed: false,
    reach: Reach::Always,
    threads: true,
    buttons: false,
};

const NOW: Now = Now {
    mono: Duration::ZERO,
    wall: 0,
    dice: u32::MAX,
};

/// A message that was under way at so many deaths of the process.
fn sending(tries: u32) -> Slot {
    Slot {
        id: SlotId {
            trigger: 1,
            kind: SlotKind::Answer,
            part: 0,
        },
        account: Account {
            interface: "chat".into(),
            identity: "bot".into(),
        },
        conversation: ConversationId(1),
        path: "chat/a".parse().unwrap(),
        re: "1".into(),
        token: None,
        wish: Wish {
            shown: true,
            rev: 1,
            post: Post {
                markup: Markup::text("hello"),
                ..Post::default()
            },
            source: None,
        },
        progress: SlotProgress {
            state: SlotState::Sending,
            tries,
            ..SlotProgress::default()
        },
        expires_at: i64::MAX,
        open: false,
    }
}

fn effects(courier: &mut Courier) -> Vec<Effect> {
    std::iter::from_fn(|| courier.poll()).collect()
}

#[test]
fn a_message_does_not_wait_because_the_process_died_often() {
    let mut courier = Courier::new("boot");
    let slot = sending(16);
    let id = slot.id;
    courier.handle(Event::Restored(Box::new(slot), LIMITS), NOW);
    assert!(matches!(effects(&mut courier)[..], [Effect::Find(..)]));
    courier.handle(Event::Looked(id, Found::CannotTell), NOW);
    let [Effect::Commit(_, token)] = effects(&mut courier)[..] else {
        panic!("the look-up is not noted");
    };
    courier.handle(Event::Committed(token), NOW);
    assert!(matches!(effects(&mut courier)[..], [Effect::Deliver(..)]));
}

#[test]
fn what_expires_while_its_outcome_is_unknown_says_so_if_it_is_tried_again() {
    for (limits, state, expected) in [
        (LIMITS, SlotState::Sending, true),
        (LIMITS, SlotState::Unsure, true),
        (LIMITS, SlotState::Idle, false),
        (Limits { keyed: true, ..LIMITS }, SlotState::Idle, false),
    ] {
        let mut slot = sending(0);
        slot.progress.state = state;
        slot.expires_at = NOW.wall;
        let mut courier = Courier::new("boot");
        courier.handle(Event::Restored(Box::new(slot), limits), NOW);
        let dead = effects(&mut courier).into_iter().find_map(|effect| match effect {
            Effect::Commit(Transaction::Progress { progress, .. }, _) => Some(progress),
            _ => None,
        });
        let dead = dead.unwrap();
        assert_eq!((dead.state, dead.forced), (SlotState::Dead, expected), "{state:?}");
    }
}

#[test]
fn what_somebody_else_has_moved_goes_to_the_new_place() {
    let mut courier = Courier::new("boot");
    let path = |text: &str| text.parse::<InterfacePath>().unwrap();
    let slot = Slot {
        path: path("chat/a/1"),
        ..sending(0)
    };
    let id = slot.id;
    courier.handle(Event::Restored(Box::new(slot), LIMITS), NOW);
    assert!(matches!(&effects(&mut courier)[..], [Effect::Find(_, post)] if post.path == path("chat/a/1")));
    courier.handle(Event::Moved(path("chat/a"), path("chat/b")), NOW);
    assert_eq!(effects(&mut courier), [], "who moved it has told everybody");
    courier.handle(Event::Looked(id, Found::Absent), NOW);
    let mut told = Vec::new();
    while let Some(effect) = courier.poll() {
        match effect {
            Effect::Commit(_, token) => courier.handle(Event::Committed(token), NOW),
            effect => told.push(effect),
        }
    }
    assert!(matches!(&told[..], [Effect::Deliver(_, post)] if post.path == path("chat/b/1")));
}
