//! What is said elsewhere.

use std::time::Duration;

use tertulia_message::{Act, Outbound, Pace, PersonId, Progress, Reach, TextLimit};

use super::*;
use crate::courier::{Courier, Effect, Event};
use crate::now::Now;
use crate::record::{InboxId, RowBody};

fn command(id: i64, ext_id: &str) -> InboxRow {
    InboxRow {
        id: InboxId(id),
        account: account("chat"),
        conversation: ConversationId(1),
        path: "chat/room".parse().unwrap(),
        ext_id: ext_id.into(),
        person: PersonId::new("chat", "ann"),
        body: RowBody::Command {
            name: "say".into(),
            arguments: String::new(),
            direct: true,
            button: None,
        },
        join: None,
        token: Some(tertulia_message::Secret::new("good in the room")),
        accepted_at: 0,
    }
}

fn account(interface: &str) -> Account {
    Account {
        interface: interface.into(),
        identity: "bot".into(),
    }
}

fn place() -> Place {
    Place {
        account: account("other"),
        conversation: ConversationId(2),
        path: "other/hall".parse().unwrap(),
        limits: Limits {
            text: TextLimit::Chars(100),
            weigh: |markup| markup.plain().chars().count(),
            caption: 0,
            files: 0,
            progress: Progress::Edit,
            pace: Pace {
                every: Duration::ZERO,
                growth: 1,
            },
            keyed: true,
            reach: Reach::Always,
            threads: false,
            buttons: false,
        },
    }
}

/// What the platform is asked to do with the first of the slots.
fn outbound(slots: &[Slot]) -> Outbound {
    let mut courier = Courier::new("boot");
    courier.handle(
        Event::Wished(Box::new(slots[0].clone()), place().limits),
        Now::by_wall(0),
    );
    match courier.poll() {
        Some(Effect::Deliver(_, outbound)) => outbound,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_stands_where_it_is_said_and_answers_nothing() {
    let slots = say(&command(1, "5"), &place(), "hello", 0);
    let [slot] = &slots[..] else { panic!("{slots:?}") };
    assert_eq!(
        (slot.conversation, slot.path.as_str()),
        (ConversationId(2), "other/hall")
    );
    let outbound = outbound(&slots);
    assert_eq!((outbound.path.as_str(), outbound.re), ("other/hall", None));
    assert!(matches!(outbound.act, Act::Post(post) if !post.quote && post.markup.plain() == "hello"));
}

#[test]
fn no_two_have_the_same_key() {
    let key = |row: &InboxRow| outbound(&say(row, &place(), "hello", 0)).key;
    let again = key(&command(1, "5"));
    assert_eq!(again, key(&command(1, "5")));
    assert_ne!(again, key(&command(1, "6")));
    // another account's message may have the same id
    assert_ne!(again, key(&command(2, "5")));
}

#[test]
fn a_long_text_has_several_parts() {
    let slots = say(&command(1, "5"), &place(), &"word ".repeat(50), 0);
    let parts: Vec<_> = slots.iter().map(|slot| (slot.id.kind, slot.id.part)).collect();
    assert_eq!(parts, [0, 1000, 2000].map(|part| (SlotKind::Say, part)));
}
