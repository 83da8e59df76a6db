//! Stores in directories of their own, and events to put into them.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use tertulia_core::access::{Access, AccessRules};
use tertulia_core::authorize::{Authorized, authorize};
use tertulia_core::chat::ChatMessage;
use tertulia_core::now::Now;
use tertulia_core::record::{ConversationId, Entry, InboxId, Slot, SlotProgress, TurnSettings, Wish};
use tertulia_core::transaction::{AcceptTx, Accepted, Begin, Outcome, Settle, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Addressed, Inbound, Level, PersonId, Post, SlotId, SlotKind, What};
use tertulia_store::{Options, SqliteStore};

/// A directory in memory where there is one: these tests are not about the disk.
pub(crate) fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        TempDir::new().unwrap()
    }
}

pub(crate) fn options() -> Options {
    Options::new(Arc::new(|| 1_000))
}

pub(crate) fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, options()).unwrap()
}

pub(crate) fn message(at: &str, id: &str, text: &str) -> Authorized {
    let path = InterfacePath::parse(at).unwrap();
    let interfaces = [(path.interface().to_owned(), Level::User)].into_iter().collect();
    let event = Inbound {
        account: account(),
        path,
        id: id.to_owned(),
        sender: PersonId::new("telegram_bot", "7"),
        sender_name: "Ana".to_owned(),
        addressed: Addressed::Direct,
        what: What::Message { text: text.to_owned() },
        files: Vec::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    };
    let access = Access::from(AccessRules {
        interfaces,
        ..AccessRules::default()
    });
    authorize(event, &access, &[], None, Now::by_wall(0)).unwrap()
}

pub(crate) fn account() -> Account {
    Account {
        interface: "telegram_bot".to_owned(),
        identity: "1".to_owned(),
    }
}

pub(crate) fn accepting(events: Vec<Authorized>) -> AcceptTx {
    AcceptTx {
        account: account(),
        events,
        marks: Vec::new(),
        now: 1_000,
        queue_bound: 1_000,
    }
}

#[track_caller]
pub(crate) fn new_row(answers: &[Accepted]) -> (InboxId, ConversationId) {
    match answers {
        [Accepted::New(row, conversation)] => (*row, *conversation),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn begin(trigger: InboxId, conversation: ConversationId, text: &str) -> Transaction {
    let entry = Entry {
        turn: Some(trigger),
        speaker: Some("Ana".to_owned()),
        message: ChatMessage::user(text),
        cut: false,
    };
    Transaction::Begin(Begin {
        trigger,
        rows: vec![trigger],
        conversation,
        epoch: 0,
        boot: "boot".to_owned(),
        settings: TurnSettings {
            provider: "demo".to_owned(),
            model: "rules".to_owned(),
            system: String::new(),
            tools: None,
        },
        entries: vec![entry],
        now: 1_000,
    })
}

pub(crate) fn settle(trigger: InboxId, answer: &str) -> Transaction {
    let message = ChatMessage::assistant(answer);
    Transaction::Settle(Box::new(Settle {
        trigger,
        attempt: 1,
        outcome: Outcome::Answered,
        live: true,
        entries: vec![Entry {
            turn: Some(trigger),
            speaker: None,
            message,
            cut: false,
        }],
        usage: Vec::new(),
        slots: Vec::new(),
        now: 1_000,
    }))
}

/// A notice that was not posted yet.
pub(crate) fn slot(row: InboxId, conversation: ConversationId, at: &str, re: &str) -> Slot {
    Slot {
        id: SlotId {
            trigger: row.0,
            kind: SlotKind::Notice,
            part: 0,
        },
        account: account(),
        conversation,
        path: InterfacePath::parse(at).unwrap(),
        re: re.to_owned(),
        token: None,
        wish: Wish {
            shown: true,
            rev: 1,
            post: Post::default(),
            source: None,
        },
        progress: SlotProgress::default(),
        expires_at: 0,
        open: false,
    }
}
