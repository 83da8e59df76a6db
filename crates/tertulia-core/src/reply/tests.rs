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
    let slots = say(&command(1, "5"), &place(), "hello", 0, 0);
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
    let key = |row: &InboxRow| outbound(&say(row, &place(), "hello", 0, 0)).key;
    let again = key(&command(1, "5"));
    assert_eq!(again, key(&command(1, "5")));
    assert_ne!(again, key(&command(1, "6")));
    // another account's message may have the same id
    assert_ne!(again, key(&command(2, "5")));
}

#[test]
fn a_long_text_has_several_parts() {
    let slots = say(&command(1, "5"), &place(), &"word ".repeat(50), 0, 0);
    let parts: Vec<_> = slots.iter().map(|slot| (slot.id.kind, slot.id.part)).collect();
    assert_eq!(parts, [0, 1000, 2000].map(|part| (SlotKind::Say, part)));
}

fn file(name: &str) -> FileRef {
    FileRef {
        handle: name.into(),
        name: name.into(),
        mime: None,
        size: None,
    }
}

/// What each message shows: its text, and its files.
fn shown(text: &str, files: usize, limits: Limits) -> Vec<(String, usize)> {
    let names: Vec<FileRef> = (0..files).map(|nth| file(&nth.to_string())).collect();
    let slots = with_files(&command(1, "5"), SlotKind::Command, text, &names, limits, 0);
    let parts: Vec<u32> = slots.iter().map(|slot| slot.id.part).collect();
    let expected: Vec<u32> = (0..).step_by(1000).take(slots.len()).collect();
    assert_eq!(parts, expected);
    let names_again = slots.iter().flat_map(|slot| slot.wish.post.files.clone());
    assert!(limits.files == 0 || names_again.eq(names));
    let post = |slot: &Slot| (slot.wish.post.markup.plain(), slot.wish.post.files.len());
    slots.iter().map(post).collect()
}

#[test]
fn files_carry_the_text_where_they_can() {
    let limits = |caption, files| Limits {
        caption,
        files,
        ..place().limits
    };
    let long = "word ".repeat(30);
    let (head, tail) = ("word ".repeat(20), "word ".repeat(10));
    let (head, tail) = (head.trim_end(), tail.trim_end());
    for (text, files, limits, expected) in [
        ("hello", 1, limits(5, 1), vec![("hello", 1)]),
        ("hello", 1, limits(4, 1), vec![("hello", 0), ("", 1)]),
        ("hello", 2, limits(5, 1), vec![("hello", 1), ("", 1)]),
        ("hello", 3, limits(5, 2), vec![("hello", 2), ("", 1)]),
        ("hello", 2, limits(0, 10), vec![("hello", 0), ("", 2)]),
        ("", 1, limits(5, 1), vec![("", 1)]),
        (&long, 1, limits(99, 1), vec![(head, 0), (tail, 0), ("", 1)]),
        (&long, 1, limits(1000, 1), vec![(head, 0), (tail, 0), ("", 1)]),
        ("hello", 1, limits(5, 0), vec![("hello", 0)]),
        ("hello", 0, limits(5, 1), vec![("hello", 0)]),
    ] {
        let shown = shown(text, files, limits);
        let shown: Vec<_> = shown.iter().map(|(text, files)| (text.as_str(), *files)).collect();
        assert_eq!(
            shown, expected,
            "{text:?} with {files} files, caption {}",
            limits.caption
        );
    }
}

#[test]
fn a_caption_has_room_for_the_mark_where_that_can_become_necessary() {
    let limits = |caption| Limits {
        caption,
        files: 1,
        keyed: false,
        ..place().limits
    };
    let mark = crate::courier::RESENT_MARK.chars().count() + 2;
    assert_eq!(shown("hello", 1, limits(mark + 5)), [("hello".to_owned(), 1)]);
    assert_eq!(
        shown("hello", 1, limits(mark + 4)),
        [("hello".to_owned(), 0), (String::new(), 1)]
    );
}
