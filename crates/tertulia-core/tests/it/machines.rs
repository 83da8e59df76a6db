//! Session and courier at moments that a whole run seldom meets.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::time::Duration;

use tertulia_core::chat::ChatMessage;
use tertulia_core::courier::{self, Courier};
use tertulia_core::now::Now;
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{Capabilities, Delta, Format, Stop};
use tertulia_core::record::{
    ConversationId, InboxId, InboxRow, MessageBody, RowBody, Slot, SlotProgress, SlotState, TurnSettings,
    UnfinishedTurn, Wish, Work,
};
use tertulia_core::session::{self, AskId, Session, Surroundings};
use tertulia_core::transaction::{Outcome, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{
    Account, DeliverError, Finish, Limits, Markup, Pace, PersonId, Post, Progress, RateScope, Reach, Receipt, Signal,
    SlotId, SlotKind, TextLimit,
};

fn now(seconds: u64) -> Now {
    Now {
        mono: Duration::from_secs(seconds),
        wall: i64::try_from(seconds).unwrap() * 1000,
        dice: u32::MAX / 2,
    }
}

fn limits(reach: Reach) -> Limits {
    Limits {
        text: TextLimit::Chars(500),
        weigh: |markup| markup.plain().chars().count(),
        caption: 0,
        files: 0,
        progress: Progress::Edit,
        pace: Pace {
            every: Duration::from_secs(1),
            growth: 1,
        },
        keyed: false,
        reach,
        threads: false,
    }
}

fn settings() -> TurnSettings {
    TurnSettings {
        provider: "p".into(),
        model: "m".into(),
        system: String::new(),
        tools: None,
    }
}

fn surroundings(reach: Reach) -> Box<Surroundings> {
    Box::new(Surroundings {
        limits: limits(reach),
        settings: settings(),
        capabilities: Capabilities {
            conversation: true,
            system: true,
            tool_calls: true,
            vision: false,
            thinking: false,
            format: Format::Standard,
            max_context: 10_000,
        },
        tools: Vec::new(),
        deadlines: Deadlines::default(),
        rounds: 3,
        answer_bytes: 10_000,
    })
}

fn account() -> Account {
    Account {
        interface: "chat".into(),
        identity: "bot".into(),
    }
}

fn work(unfinished: Option<UnfinishedTurn>) -> Box<Work> {
    let row = InboxRow {
        id: InboxId(1),
        account: account(),
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/a").unwrap(),
        ext_id: "x1".into(),
        person: PersonId::new("chat", "ann"),
        body: RowBody::Message(MessageBody {
            text: "hello".into(),
            direct: true,
            ..MessageBody::default()
        }),
        join: None,
        token: None,
        accepted_at: 0,
    };
    Box::new(Work {
        rows: vec![row],
        unfinished,
        history: Vec::new(),
        slots: Vec::new(),
        epoch: 0,
    })
}

/// A session with the effects it gave and that nobody performed yet.
struct Play {
    session: Session,
    effects: Vec<session::Effect>,
}

impl Play {
    fn begun(unfinished: Option<UnfinishedTurn>, reach: Reach) -> Self {
        let mut play = Self {
            session: Session::new("boot"),
            effects: Vec::new(),
        };
        play.tell(session::Event::Nudge, 0);
        play.tell(session::Event::Work(Some(work(unfinished)), surroundings(reach)), 0);
        play
    }

    fn tell(&mut self, event: session::Event, at: u64) {
        self.session.handle(event, now(at));
        while let Some(effect) = self.session.poll() {
            self.effects.push(effect);
        }
    }

    /// Takes the oldest transaction that waits to be committed.
    fn commit(&mut self) -> (Transaction, session::Token) {
        let place = self
            .effects
            .iter()
            .position(|effect| matches!(effect, session::Effect::Commit(..)));
        match self.effects.remove(place.unwrap()) {
            session::Effect::Commit(transaction, token) => (transaction, token),
            other => panic!("{other:?}"),
        }
    }

    fn commit_and_tell(&mut self, at: u64) -> Transaction {
        let (transaction, token) = self.commit();
        self.tell(session::Event::Committed(token), at);
        transaction
    }

    fn asked(&self) -> AskId {
        let ask = self.effects.iter().find_map(|effect| match effect {
            session::Effect::Ask(id, ..) => Some(*id),
            _ => None,
        });
        ask.unwrap()
    }

    fn handed_over(&mut self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.effects.retain(|effect| match effect {
            session::Effect::Slot(slot, _) => {
                slots.push((**slot).clone());
                false
            }
            _ => true,
        });
        slots
    }
}

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

fn unfinished(partial: &str, attempt: u32) -> UnfinishedTurn {
    UnfinishedTurn {
        attempt,
        boot: "before".into(),
        settings: settings(),
        partial: partial.into(),
        rounds: Vec::new(),
    }
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
