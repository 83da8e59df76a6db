//! A session played by hand: told one event after the other, with the effects it gave.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::time::Duration;
use tertulia_core::attachment::Attachments;

use tertulia_core::now::Now;
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{Capabilities, Format};
use tertulia_core::record::{
    ConversationId, InboxId, InboxRow, MessageBody, RowBody, Slot, TurnSettings, UnfinishedTurn, Work,
};
use tertulia_core::session::{self, AskId, Session, Surroundings};
use tertulia_core::transaction::Transaction;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Limits, Pace, PersonId, Progress, Reach, TextLimit};

pub(crate) fn now(seconds: u64) -> Now {
    Now {
        mono: Duration::from_secs(seconds),
        wall: i64::try_from(seconds).unwrap() * 1000,
        dice: u32::MAX / 2,
    }
}

pub(crate) fn limits(reach: Reach) -> Limits {
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
        buttons: false,
    }
}

pub(crate) fn settings() -> TurnSettings {
    TurnSettings {
        provider: "p".into(),
        model: "m".into(),
        system: String::new(),
        tools: None,
    }
}

pub(crate) fn surroundings(reach: Reach) -> Box<Surroundings> {
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
        prices: None,
        fallbacks: Vec::new(),
        rounds: 3,
        answer_bytes: 10_000,
        attachments: Attachments::new(),
    })
}

pub(crate) fn account() -> Account {
    Account {
        interface: "chat".into(),
        identity: "bot".into(),
    }
}

/// A row of this number, with `x` and the number as its platform's id.
pub(crate) fn row(id: i64) -> InboxRow {
    InboxRow {
        id: InboxId(id),
        account: account(),
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/a").unwrap(),
        ext_id: format!("x{id}"),
        person: PersonId::new("chat", "ann"),
        body: RowBody::Message(MessageBody {
            text: "hello".into(),
            direct: true,
            ..MessageBody::default()
        }),
        join: None,
        token: None,
        accepted_at: 0,
    }
}

/// A turn over these rows.
pub(crate) fn work(rows: &[i64], unfinished: Option<UnfinishedTurn>) -> Box<Work> {
    Box::new(Work {
        rows: rows.iter().copied().map(row).collect(),
        unfinished,
        history: Vec::new(),
        slots: Vec::new(),
        epoch: 0,
    })
}

/// A session with the effects it gave and that nobody performed yet.
pub(crate) struct Play {
    pub(crate) session: Session,
    pub(crate) effects: Vec<session::Effect>,
}

impl Play {
    pub(crate) fn begun(unfinished: Option<UnfinishedTurn>, reach: Reach) -> Self {
        Self::begun_in(work(&[1], unfinished), surroundings(reach))
    }

    pub(crate) fn begun_in(work: Box<Work>, surroundings: Box<Surroundings>) -> Self {
        let mut play = Self::new();
        play.tell(session::Event::Nudge, 0);
        play.tell(session::Event::Work(Some(work), surroundings), 0);
        play
    }

    pub(crate) fn new() -> Self {
        Self {
            session: Session::new("boot"),
            effects: Vec::new(),
        }
    }

    pub(crate) fn tell(&mut self, event: session::Event, at: u64) {
        self.session.handle(event, now(at));
        while let Some(effect) = self.session.poll() {
            self.effects.push(effect);
        }
    }

    /// Takes the oldest transaction that waits to be committed.
    pub(crate) fn commit(&mut self) -> (Transaction, session::Token) {
        let place = self
            .effects
            .iter()
            .position(|effect| matches!(effect, session::Effect::Commit(..)));
        match self.effects.remove(place.unwrap()) {
            session::Effect::Commit(transaction, token) => (transaction, token),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn commit_and_tell(&mut self, at: u64) -> Transaction {
        let (transaction, token) = self.commit();
        self.tell(session::Event::Committed(token), at);
        transaction
    }

    pub(crate) fn asked(&self) -> AskId {
        let ask = self.effects.iter().find_map(|effect| match effect {
            session::Effect::Ask(id, ..) => Some(*id),
            _ => None,
        });
        ask.unwrap()
    }

    /// The newest question.
    pub(crate) fn last_asked(&self) -> AskId {
        let ask = self.effects.iter().rev().find_map(|effect| match effect {
            session::Effect::Ask(id, ..) => Some(*id),
            _ => None,
        });
        ask.unwrap()
    }

    pub(crate) fn handed_over(&mut self) -> Vec<Slot> {
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

pub(crate) fn unfinished(partial: &str, attempt: u32) -> UnfinishedTurn {
    UnfinishedTurn {
        attempt,
        boot: "before".into(),
        settings: settings(),
        partial: partial.into(),
        rounds: Vec::new(),
    }
}
