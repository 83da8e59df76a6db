//! Random transactions give the same answers and the same state on SQLite as in memory.

mod govern;

use std::sync::Arc;

use tertulia_core::access::{Access, AccessRules};
use tertulia_core::authorize::authorize;
use tertulia_core::chat::{ChatMessage, ToolCall, ToolResult, ToolStatus};
use tertulia_core::now::Now;
use tertulia_core::record::{
    ConversationId, Entry, InboxId, Slot, SlotProgress, SlotState, ToolEffect, ToolRun, TurnSettings, Wish,
};
use tertulia_core::transaction::{AcceptTx, Begin, DropReason, Outcome, Settle, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{
    Account, Addressed, Inbound, Level, Mark, Markup, PersonId, Post, Secret, SlotId, SlotKind, What,
};
use tertulia_ports::{HistoryQuery, Store, StoreError};
use tertulia_testkit::fake_store::FakeStore;

use crate::bench::{directory, open};

const PATHS: [&str; 6] = ["tg/1", "tg/1/2", "tg/1/2/3", "tg/11", "tg/4", "other/1"];

/// A small generator of numbers (xorshift): the same seed gives the same run.
struct Dice {
    state: u64,
    /// A row that is about to be answered, so that most transactions mean something.
    focus: InboxId,
    /// The present attempt at it.
    attempt: u32,
}

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % sides
    }

    fn small(&mut self, sides: u64) -> u32 {
        u32::try_from(self.roll(sides)).unwrap()
    }

    fn coin(&mut self) -> bool {
        self.roll(2) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        let index = usize::try_from(self.roll(choices.len() as u64)).unwrap();
        choices[index].clone()
    }

    fn path(&mut self) -> InterfacePath {
        InterfacePath::parse(self.of(&PATHS)).unwrap()
    }

    fn row(&mut self) -> InboxId {
        let any = InboxId(i64::try_from(self.roll(30)).unwrap());
        if self.roll(4) > 0 { self.focus } else { any }
    }

    fn text(&mut self) -> String {
        self.of(&["", "a", "b", "longer text"]).to_owned()
    }

    fn slot_id(&mut self) -> SlotId {
        let kind = self.of(&[
            SlotKind::Answer,
            SlotKind::Answer,
            SlotKind::Notice,
            SlotKind::Command,
            SlotKind::Say,
        ]);
        SlotId {
            trigger: self.row().0,
            kind,
            part: self.small(3),
        }
    }

    fn wish(&mut self) -> Wish {
        let post = Post::of(Markup::text(self.text()));
        Wish {
            shown: self.roll(4) > 0,
            rev: self.small(4),
            post,
            source: self.coin().then_some(1..2),
        }
    }

    fn progress(&mut self) -> SlotProgress {
        SlotProgress {
            state: self.of(&[
                SlotState::Idle,
                SlotState::Idle,
                SlotState::Sending,
                SlotState::Unsure,
                SlotState::Dead,
            ]),
            ext_id: self.coin().then(|| "m".to_owned()),
            got_rev: self.small(4),
            forced: self.coin(),
            tries: self.small(2),
            not_before: self.coin().then_some(5),
            error: self.coin().then(|| "why".to_owned()),
        }
    }

    fn slot(&mut self, id: SlotId) -> Slot {
        Slot {
            id,
            account: account("1"),
            conversation: self.conversation(),
            path: self.path(),
            re: String::new(),
            token: None,
            wish: self.wish(),
            progress: self.progress(),
            expires_at: 7,
            open: false,
        }
    }

    fn entries(&mut self, turn: InboxId) -> Vec<Entry> {
        let count = self.roll(3);
        let mut entry = |_| {
            let text = self.text();
            let message = if self.coin() {
                ChatMessage::user(text)
            } else {
                ChatMessage::assistant(text)
            };
            Entry {
                turn: Some(turn),
                speaker: self.coin().then(|| "Ana".to_owned()),
                message,
                cut: self.coin(),
            }
        };
        (0..count).map(&mut entry).collect()
    }

    fn event(&mut self) -> Inbound {
        let id = self.roll(40).to_string();
        let of = self.roll(40).to_string();
        let what = match self.roll(8) {
            0 => What::Edit { of, text: self.text() },
            1 => What::Redact { of },
            2 => What::Slash {
                name: "help".to_owned(),
                arguments: self.text(),
            },
            _ => What::Message { text: self.text() },
        };
        Inbound {
            account: account("1"),
            path: self.path(),
            id,
            sender: PersonId::new("tg", self.of(&["7", "7", "8"])),
            sender_name: "Ana".to_owned(),
            addressed: Addressed::Direct,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: self.of(&[None, Some("k"), Some("l")]).map(str::to_owned),
            token: self.coin().then(|| Secret::new("t")),
            sent_at: None,
        }
    }

    fn accept(&mut self) -> AcceptTx {
        let interfaces = ["tg", "other"]
            .into_iter()
            .map(|name| (name.to_owned(), Level::User))
            .collect();
        let access = Access::from(AccessRules {
            interfaces,
            ..AccessRules::default()
        });
        let count = self.roll(3);
        let events = (0..count)
            .map(|_| authorize(self.event(), &access, &[], None, Now::by_wall(0)).unwrap())
            .collect();
        let mark = Mark {
            key: self.of(&["a", "ab", "b"]).to_owned(),
            value: self.coin().then(|| vec![1]),
        };
        AcceptTx {
            account: account(self.of(&["1", "1", "2"])),
            events,
            marks: vec![mark],
            now: 0,
            queue_bound: 6,
        }
    }

    fn begin(&mut self, store_rows: &[InboxId], conversation: ConversationId) -> Transaction {
        let rows = if store_rows.is_empty() {
            vec![self.row()]
        } else {
            store_rows.to_vec()
        };
        Transaction::Begin(Begin {
            trigger: rows[0],
            entries: self.entries(rows[0]),
            rows,
            conversation,
            epoch: i64::from(self.small(2)),
            boot: self.of(&["x", "y"]).to_owned(),
            settings: TurnSettings {
                provider: "p".to_owned(),
                model: "m".to_owned(),
                system: self.text(),
                tools: None,
            },
            now: 3,
        })
    }

    fn settle(&mut self) -> Transaction {
        let trigger = self.row();
        let parts = self.roll(3);
        let slots = (0..parts).map(|part| {
            let part = u32::try_from(part).unwrap();
            self.slot(SlotId {
                trigger: trigger.0,
                kind: SlotKind::Answer,
                part,
            })
        });
        let slots = slots.collect();
        Transaction::Settle(Box::new(Settle {
            trigger,
            attempt: self.attempt,
            outcome: Outcome::Answered,
            live: self.roll(4) > 0,
            entries: self.entries(trigger),
            usage: Vec::new(),
            slots,
            now: 4,
        }))
    }

    fn tools(&mut self) -> Transaction {
        let (trigger, attempt, round) = (self.row(), self.attempt, self.small(2));
        if self.coin() {
            let result = ToolResult {
                call_id: self.of(&["z", "b"]).to_owned(),
                name: "t".to_owned(),
                status: self.of(&[ToolStatus::Ok, ToolStatus::Failed]),
                content: self.text(),
            };
            return Transaction::ToolDone {
                trigger,
                attempt,
                round,
                result,
                effectful: self.coin(),
                said: None,
            };
        }
        let call = |id: &str| ToolCall {
            id: id.to_owned(),
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
        };
        let run = |id: &str| ToolRun {
            call_id: id.to_owned(),
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
            effect: ToolEffect::Changes,
            result: None,
        };
        let calls = ["z", "b"].map(call).to_vec();
        let assistant = ChatMessage::Assistant {
            text: self.text(),
            calls,
            data: None,
        };
        Transaction::ToolsStarted {
            trigger,
            attempt,
            round,
            assistant,
            runs: ["z", "b"].map(run).to_vec(),
        }
    }

    fn slots(&mut self) -> Transaction {
        let id = self.slot_id();
        match self.roll(7) {
            0 => {
                let closed = self.coin().then(|| (self.slot_id(), self.wish()));
                Transaction::OpenSlot {
                    closed,
                    open: Box::new(self.slot(id)),
                }
            }
            1 => Transaction::Reply {
                trigger: InboxId(id.trigger),
                slots: vec![self.slot(id)],
                changes: (0..self.roll(3)).map(|_| self.change()).collect(),
            },
            2 => Transaction::Notice {
                slots: vec![self.slot(id)],
            },
            3 => {
                let rest = SlotId {
                    part: id.part + 1,
                    ..id
                };
                Transaction::Split {
                    slot: id,
                    wish: self.wish(),
                    progress: self.progress(),
                    rest: vec![self.slot(rest)],
                }
            }
            4 => {
                let (progress, conversation) = (self.progress(), ConversationId(1));
                Transaction::Block {
                    slot: id,
                    progress,
                    conversation,
                    why: "kicked".to_owned(),
                }
            }
            _ => Transaction::Progress {
                slot: id,
                progress: self.progress(),
                durable: self.coin(),
            },
        }
    }

    fn conversation(&mut self) -> ConversationId {
        ConversationId(i64::try_from(1 + self.roll(7)).unwrap())
    }

    fn other(&mut self) -> Transaction {
        let trigger = self.row();
        match self.roll(5) {
            0 => Transaction::Again {
                trigger,
                attempt: self.attempt + self.small(2),
                boot: "z".to_owned(),
            },
            1 => Transaction::Drop {
                rows: vec![trigger, self.row()],
                why: DropReason::Stopped,
            },
            2 if self.roll(3) == 0 => Transaction::Moved {
                from: self.path(),
                to: self.path(),
            },
            _ => Transaction::Checkpoint {
                trigger,
                partial: self.text(),
            },
        }
    }
}

fn account(identity: &str) -> Account {
    Account {
        interface: "tg".to_owned(),
        identity: identity.to_owned(),
    }
}

fn outcome<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> Result<T, &'static str> {
    answer.map_err(|error| match error {
        StoreError::Refused(_) => "refused",
        StoreError::Busy(_) => "busy",
        StoreError::Broken(_) => "broken",
    })
}

#[tokio::test]
async fn random_transactions_agree_with_the_store_in_memory() {
    let mut performed = 0;
    for seed in 1..=6_u64 {
        let directory = directory();
        let real = open(directory.path());
        let model = FakeStore::with_clock(Arc::new(|| 1_000));
        let mut dice = Dice {
            state: seed * 0x9E37_79B9,
            focus: InboxId(1),
            attempt: 1,
        };
        for step in 0..200 {
            let place = format!("seed {seed}, step {step}");
            performed += play(&mut dice, &real, &model, &place).await;
            if step % 4 == 3 {
                compare(&real, &model, &place).await;
            }
        }
    }
    assert!(performed > 300, "only {performed} transactions were not refused");
}

/// Performs something on both; 1 if it was a transaction that was performed.
async fn play(dice: &mut Dice, real: &dyn Store, model: &dyn Store, place: &str) -> u32 {
    if dice.roll(4) == 0 {
        let tx = dice.accept();
        let same = AcceptTx {
            account: tx.account.clone(),
            events: tx.events.clone(),
            marks: tx.marks.clone(),
            now: tx.now,
            queue_bound: tx.queue_bound,
        };
        let (ours, theirs) = (outcome(real.accept(tx).await), outcome(model.accept(same).await));
        assert_eq!(ours, theirs, "{place}");
        return 0;
    }
    if dice.roll(20) == 0 {
        let lines = dice.lines();
        let (ours, theirs) = (real.import(lines.clone()).await, model.import(lines).await);
        assert_eq!(outcome(ours), outcome(theirs), "{place}");
        return 0;
    }
    let conversation = dice.conversation();
    let work = model.next_work(conversation, 0).await.unwrap();
    dice.attempt = work
        .as_ref()
        .and_then(|work| work.unfinished.as_ref())
        .map_or(1, |turn| turn.attempt);
    let rows: Vec<_> = work.into_iter().flat_map(|work| work.rows).map(|row| row.id).collect();
    dice.focus = rows.first().copied().unwrap_or(dice.focus);
    let tx = match dice.roll(8) {
        0 | 1 => dice.begin(&rows, conversation),
        2 => dice.settle(),
        3 => dice.tools(),
        4 => dice.slots(),
        5 | 6 => dice.govern(),
        _ => dice.other(),
    };
    let times = 1 + dice.roll(2);
    let mut performed = false;
    for _ in 0..times {
        let (ours, theirs) = (
            outcome(real.commit(tx.clone()).await),
            outcome(model.commit(tx.clone()).await),
        );
        assert_eq!(ours, theirs, "{place}: {tx:?}");
        performed = ours.is_ok();
    }
    u32::from(performed)
}

async fn compare(real: &dyn Store, model: &dyn Store, place: &str) {
    assert_eq!(real.restore().await.unwrap(), model.restore().await.unwrap(), "{place}");
    for number in 1..=7 {
        let id = ConversationId(number);
        let (ours, theirs) = (
            real.next_work(id, 5).await.unwrap(),
            model.next_work(id, 5).await.unwrap(),
        );
        assert_eq!(ours, theirs, "{place}, conversation {number}");
    }
    govern::agrees(real, model, place).await;
    let marks = async |store: &dyn Store| store.marks(&account("1"), "a").await.unwrap();
    assert_eq!(marks(real).await, marks(model).await, "{place}");
    for (path, whole_chat) in [("tg/1", true), ("tg/1/2", false), ("tg/4", false)] {
        let query = HistoryQuery {
            path: InterfacePath::parse(path).unwrap(),
            whole_chat,
            limit: 7,
        };
        assert_eq!(
            real.history(&query).await.unwrap(),
            model.history(&query).await.unwrap(),
            "{place}, {path}"
        );
    }
}
