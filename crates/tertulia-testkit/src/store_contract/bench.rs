//! A store under test, with the words in which checks are written.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use tertulia_core::access::{Access, AccessRules};
use tertulia_core::authorize::{Authorized, authorize};
use tertulia_core::chat::ChatMessage;
use tertulia_core::now::Now;
use tertulia_core::record::{ConversationId, Entry, InboxId, Slot, SlotProgress, SlotState, TurnSettings, Wish, Work};
use tertulia_core::transaction::{AcceptTx, Accepted, Begin, Change, Outcome, Settle, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Addressed, Inbound, Level, Mark, Markup, PersonId, Post, SlotId, SlotKind, What};
use tertulia_ports::{
    ConversationFacts, ConversationQuery, Governed, HistoryLine, HistoryQuery, Restored, SlotQuery, Store, StoreError,
};

use crate::fake_store::Clock;

/// Where commands are given that change other conversations.
pub(super) const OFFICE: &str = "telegram_bot/office";

pub(super) struct Bench {
    pub(super) store: Arc<dyn Store>,
    pub(super) now: Arc<AtomicI64>,
    pub(super) bound: u32,
    commands: AtomicU32,
}

impl Bench {
    pub(super) fn new(make: &impl Fn(Clock) -> Arc<dyn Store>) -> Self {
        let now = Arc::new(AtomicI64::new(1_000));
        let clock = now.clone();
        Self {
            store: make(Arc::new(move || clock.load(Ordering::Relaxed))),
            now,
            bound: 100,
            commands: AtomicU32::new(0),
        }
    }

    pub(super) async fn accept(&self, events: Vec<Inbound>) -> Vec<Accepted> {
        self.accept_with(account("1"), events, Vec::new()).await
    }

    pub(super) async fn accept_with(&self, account: Account, events: Vec<Inbound>, marks: Vec<Mark>) -> Vec<Accepted> {
        let tx = AcceptTx {
            account,
            events: events.into_iter().map(admit).collect(),
            marks,
            now: self.now.load(Ordering::Relaxed),
            queue_bound: self.bound,
        };
        self.store.accept(tx).await.unwrap()
    }

    /// Accepts one message that has to be new.
    pub(super) async fn say(&self, at: &str, id: &str, text: &str) -> (InboxId, ConversationId) {
        match self.accept(vec![message(at, id, text)]).await[..] {
            [Accepted::New(row, conversation)] => (row, conversation),
            ref other => panic!("{other:?}"),
        }
    }

    pub(super) async fn commit(&self, tx: Transaction) {
        self.store.commit(tx).await.unwrap();
    }

    /// Commits it twice: the second time must change nothing.
    pub(super) async fn twice(&self, tx: Transaction) {
        self.commit(tx.clone()).await;
        let before = self.store.restore().await.unwrap();
        self.commit(tx).await;
        assert_eq!(self.store.restore().await.unwrap(), before);
    }

    pub(super) async fn refuses(&self, tx: Transaction) {
        let before = self.store.restore().await.unwrap();
        let answer = self.store.commit(tx).await;
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{answer:?}");
        assert_eq!(self.store.restore().await.unwrap(), before);
    }

    pub(super) async fn work(&self, conversation: ConversationId) -> Option<Work> {
        self.store.next_work(conversation, 100).await.unwrap()
    }

    pub(super) async fn waiting(&self, conversation: ConversationId) -> Vec<InboxId> {
        self.work(conversation)
            .await
            .map_or_else(Vec::new, |work| work.rows.iter().map(|row| row.id).collect())
    }

    /// The model's memory as texts; a message of a person that waits is needed to see it.
    pub(super) async fn memory(&self, conversation: ConversationId) -> Vec<Entry> {
        self.work(conversation).await.unwrap().history
    }

    pub(super) async fn slots(&self) -> Vec<Slot> {
        self.store.restore().await.unwrap().slots
    }

    pub(super) async fn lines(&self, at: &str, whole_chat: bool, limit: u32) -> Vec<HistoryLine> {
        let query = HistoryQuery {
            path: path(at),
            whole_chat,
            limit,
        };
        self.store.history(&query).await.unwrap()
    }

    /// A whole turn: said, begun, answered.
    pub(super) async fn exchange(&self, at: &str, id: &str, question: &str, answer: &str) -> InboxId {
        let (row, conversation) = self.say(at, id, question).await;
        self.commit(Transaction::Begin(begin(row, conversation, question)))
            .await;
        self.commit(settled(row, answer, Vec::new())).await;
        row
    }

    /// Performs changes as a command of another conversation does, twice: the second time must change nothing.
    pub(super) async fn change(&self, changes: Vec<Change>) {
        let reply = self.reply(changes).await;
        self.commit(reply.clone()).await;
        let before = self.everything().await;
        self.commit(reply).await;
        assert_eq!(self.everything().await, before);
    }

    /// The reply of a command that was just given in another conversation.
    pub(super) async fn reply(&self, changes: Vec<Change>) -> Transaction {
        let id = format!("command {}", self.commands.fetch_add(1, Ordering::Relaxed));
        Transaction::Reply {
            trigger: self.say(OFFICE, &id, "/help").await.0,
            slots: Vec::new(),
            changes,
        }
    }

    /// All that is worth comparing.
    async fn everything(&self) -> (Restored, Governed, Vec<ConversationFacts>, Vec<Slot>) {
        let latest = ConversationQuery::Latest(99);
        (
            self.store.restore().await.unwrap(),
            self.store.governed().await.unwrap(),
            self.store.conversations(&latest).await.unwrap(),
            self.store.slots(&SlotQuery::Dead(99)).await.unwrap(),
        )
    }

    /// The texts of the history as people see it.
    pub(super) async fn texts(&self, at: &str) -> Vec<String> {
        let lines = self.lines(at, false, 99).await;
        lines.into_iter().map(|line| line.text).collect()
    }

    pub(super) async fn begun(&self, at: &str, id: &str) -> (InboxId, ConversationId) {
        let (row, conversation) = self.say(at, id, id).await;
        self.commit(Transaction::Begin(begin(row, conversation, id))).await;
        (row, conversation)
    }
}

pub(super) fn path(text: &str) -> InterfacePath {
    InterfacePath::parse(text).unwrap()
}

pub(super) fn account(identity: &str) -> Account {
    Account {
        interface: "telegram_bot".to_owned(),
        identity: identity.to_owned(),
    }
}

pub(super) fn message(at: &str, id: &str, text: &str) -> Inbound {
    event(at, id, What::Message { text: text.to_owned() })
}

pub(super) fn event(at: &str, id: &str, what: What) -> Inbound {
    Inbound {
        account: account("1"),
        path: path(at),
        id: id.to_owned(),
        sender: PersonId::new("telegram_bot", "7"),
        sender_name: "Ana".to_owned(),
        addressed: Addressed::Direct,
        what,
        files: Vec::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    }
}

fn admit(event: Inbound) -> Authorized {
    let interfaces = [(event.path.interface().to_owned(), Level::User)].into_iter().collect();
    let access = Access::from(AccessRules {
        interfaces,
        ..AccessRules::default()
    });
    authorize(event, &access, &[], None, Now::by_wall(0)).unwrap()
}

pub(super) fn user(turn: InboxId, text: &str) -> Entry {
    Entry {
        turn: Some(turn),
        speaker: Some("Ana".to_owned()),
        message: ChatMessage::user(text),
        cut: false,
    }
}

pub(super) fn assistant(turn: InboxId, text: &str) -> Entry {
    Entry {
        turn: Some(turn),
        speaker: None,
        message: ChatMessage::assistant(text),
        cut: false,
    }
}

pub(super) fn begin(trigger: InboxId, conversation: ConversationId, text: &str) -> Begin {
    Begin {
        trigger,
        rows: vec![trigger],
        conversation,
        epoch: 0,
        boot: "boot".to_owned(),
        settings: settings(),
        entries: vec![user(trigger, text)],
        now: 2_000,
    }
}

pub(super) fn settings() -> TurnSettings {
    TurnSettings {
        provider: "demo".to_owned(),
        model: "rules".to_owned(),
        system: "be kind".to_owned(),
        tools: Some(vec!["now".to_owned()]),
    }
}

pub(super) fn settle(trigger: InboxId, answer: &str, slots: Vec<Slot>) -> Settle {
    Settle {
        trigger,
        attempt: 1,
        outcome: Outcome::Answered,
        live: true,
        entries: vec![assistant(trigger, answer)],
        usage: Vec::new(),
        slots,
        now: 3_000,
    }
}

pub(super) fn settled(trigger: InboxId, answer: &str, slots: Vec<Slot>) -> Transaction {
    Transaction::Settle(Box::new(settle(trigger, answer, slots)))
}

/// A slot of the conversation `telegram_bot/5`, whose row has the id `ext`.
pub(super) fn slot(trigger: InboxId, kind: SlotKind, part: u32, text: &str) -> Slot {
    Slot {
        id: SlotId {
            trigger: trigger.0,
            kind,
            part,
        },
        account: account("1"),
        conversation: ConversationId(1),
        path: path("telegram_bot/5"),
        re: "a".to_owned(),
        token: None,
        wish: wish(1, text),
        progress: SlotProgress::default(),
        expires_at: 9_000_000,
        open: false,
    }
}

pub(super) fn wish(rev: u32, text: &str) -> Wish {
    Wish {
        shown: true,
        rev,
        post: Post::of(Markup::text(text)),
        source: Some(0..text.len()),
    }
}

pub(super) fn sending() -> SlotProgress {
    SlotProgress {
        state: SlotState::Sending,
        ..SlotProgress::default()
    }
}

pub(super) fn posted(ext_id: &str, got_rev: u32) -> SlotProgress {
    SlotProgress {
        ext_id: Some(ext_id.to_owned()),
        got_rev,
        ..SlotProgress::default()
    }
}

pub(super) fn progress(slot: SlotId, progress: SlotProgress) -> Transaction {
    Transaction::Progress {
        slot,
        progress,
        durable: true,
    }
}
