//! Session and courier at moments that a whole run seldom meets.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::time::Duration;

use tertulia_core::chat::ChatMessage;
use tertulia_core::courier::{self, Courier};
use tertulia_core::provider::{Delta, Stop};
use tertulia_core::record::{ConversationId, Slot, SlotProgress, SlotState, Wish};
use tertulia_core::session;
use tertulia_core::transaction::{Outcome, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, Finish, Markup, Post, RateScope, Reach, Receipt, Signal, SlotId, SlotKind};

use crate::play::{Play, account, limits, now, unfinished};

#[test]
fn a_slot_is_handed_over_as_it_was_committed() {
    let mut play = Play::begun(None, Reach::Always);
    play.commit_and_tell(0);
    let ask = play.asked();
    play.tell(session::Event::Delta(ask, Delta::Text("begin".into())), 1);
    let (open, opened) = play.commit();
    assert!(matches!(open, Transaction::OpenSlot { .. }), "{open:?}");
    play.tell(session::Event::Delta(ask, Delta::Text(" and end".into())), 1);
    play.tell(session::Event::Delta(ask, Delta::End(Stop::Done)), 1);
    play.tell(session::Event::Committed(opened), 1);
    let first = play.handed_over();
    assert_eq!(first.len(), 1);
    assert_eq!(
        (first[0].wish.rev, first[0].wish.post.markup.plain().as_str()),
        (1, "begin")
    );
    assert!(first[0].open);
    assert!(matches!(play.commit_and_tell(1), Transaction::Settle(_)));
    let last = play.handed_over();
    assert_eq!(
        (last[0].wish.rev, last[0].wish.post.markup.plain().as_str()),
        (2, "begin and end")
    );
    assert!(!last[0].open);
}

#[test]
fn the_text_is_saved_although_nothing_more_comes() {
    let mut play = Play::begun(None, Reach::Always);
    play.commit_and_tell(0);
    let ask = play.asked();
    play.tell(session::Event::Delta(ask, Delta::Text("begin".into())), 0);
    play.commit_and_tell(0);
    let wakes = play.effects.iter().filter_map(|effect| match effect {
        session::Effect::Wake(at) => Some(*at),
        _ => None,
    });
    assert!(wakes.min().unwrap() <= Duration::from_secs(2));
    play.tell(session::Event::Tick, 2);
    assert!(matches!(play.commit_and_tell(2), Transaction::Checkpoint { partial, .. } if partial == "begin"));
}

#[test]
fn saves_do_not_pile_up_while_the_store_is_busy() {
    let mut play = Play::begun(None, Reach::Always);
    play.commit_and_tell(0);
    let ask = play.asked();
    for second in 0..60 {
        play.tell(session::Event::Delta(ask, Delta::Text("more ".into())), second);
    }
    let waiting = play
        .effects
        .iter()
        .filter(|effect| matches!(effect, session::Effect::Commit(..)));
    assert_eq!(waiting.count(), 2, "the slot and one save: {:?}", play.effects);
}

#[test]
fn a_reader_who_still_waits_is_told_of_the_interruption() {
    let mut play = Play::begun(Some(unfinished("", 1)), Reach::WhileConnected);
    let Transaction::Settle(settle) = play.commit_and_tell(0) else {
        panic!("{:?}", play.effects)
    };
    assert_eq!((settle.outcome, settle.live), (Outcome::Interrupted, false));
    let closed = play.effects.iter().any(|effect| {
        matches!(effect, session::Effect::Signal(_, re, Signal::Close(ending))
            if re == "x1" && matches!(ending.finish, Finish::Failed { .. }))
    });
    assert!(closed, "{:?}", play.effects);
    assert!(
        play.effects
            .iter()
            .any(|effect| matches!(effect, session::Effect::Fetch))
    );
}

#[test]
fn rounds_are_not_remembered_twice() {
    let mut turn = unfinished("I look.\n\nIt is", 3);
    turn.rounds.push(tertulia_core::record::RoundRecord {
        assistant: ChatMessage::assistant("I look.".to_owned()),
        runs: Vec::new(),
    });
    let mut play = Play::begun(Some(turn), Reach::Always);
    let Transaction::Settle(settle) = play.commit_and_tell(0) else {
        panic!("{:?}", play.effects)
    };
    assert_eq!(settle.entries[0].message, ChatMessage::assistant("It is".to_owned()));
    assert!(settle.slots[0].wish.post.markup.plain().starts_with("I look."));
}

fn slot(conversation: i64) -> Box<Slot> {
    Box::new(Slot {
        id: SlotId {
            trigger: conversation,
            kind: SlotKind::Answer,
            part: 0,
        },
        account: account(),
        conversation: ConversationId(conversation),
        path: InterfacePath::parse(&format!("chat/{conversation}")).unwrap(),
        re: "x".into(),
        token: None,
        wish: Wish {
            shown: true,
            rev: 1,
            post: Post::of(Markup::text("text")),
            source: None,
        },
        progress: SlotProgress {
            state: SlotState::Sending,
            ..SlotProgress::default()
        },
        expires_at: i64::MAX,
        open: false,
    })
}

fn effects(courier: &mut Courier) -> Vec<courier::Effect> {
    std::iter::from_fn(|| courier.poll()).collect()
}

#[test]
fn whoever_waits_for_a_place_gets_it_and_is_posted_without_a_look() {
    const PLACES: i64 = 64;
    let mut courier = Courier::new("boot");
    for conversation in 1..=PLACES + 2 {
        // told twice, it still waits only once
        for _ in 0..3 {
            courier.handle(
                courier::Event::Wished(slot(conversation), limits(Reach::Always)),
                now(0),
            );
        }
    }
    let begun = effects(&mut courier);
    assert_eq!(begun.len(), 64);
    for done in [1, 2] {
        let receipt = Receipt { id: format!("m{done}") };
        courier.handle(courier::Event::Delivered(slot(done).id, Ok(receipt)), now(1));
        let next = effects(&mut courier);
        let posted = next
            .iter()
            .any(|effect| matches!(effect, courier::Effect::Deliver(id, _) if id.trigger == PLACES + done));
        assert!(posted, "{next:?}");
    }
}

#[test]
fn a_slot_expires_although_its_gate_is_shut_for_longer() {
    let mut courier = Courier::new("boot");
    let expires_at = 1000 * 1000;
    let slot = Box::new(Slot { expires_at, ..*slot(1) });
    courier.handle(courier::Event::Wished(slot.clone(), limits(Reach::Always)), now(0));
    effects(&mut courier);
    let limited = DeliverError::RateLimited {
        after: Duration::from_secs(1_000_000),
        scope: RateScope::Account,
    };
    courier.handle(courier::Event::Delivered(slot.id, Err(limited)), now(0));
    let token = match effects(&mut courier).pop() {
        Some(courier::Effect::Commit(_, token)) => token,
        other => panic!("{other:?}"),
    };
    courier.handle(courier::Event::Committed(token), now(0));
    assert_eq!(
        effects(&mut courier),
        [courier::Effect::Wake(Duration::from_secs(1000))]
    );
    courier.handle(courier::Event::Tick, now(1000));
    let buried = effects(&mut courier);
    assert!(
        matches!(&buried[..], [courier::Effect::Commit(Transaction::Progress { progress, .. }, _)]
            if progress.state == SlotState::Dead),
        "{buried:?}"
    );
}
