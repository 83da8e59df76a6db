//! What was forgotten is nowhere on the disk any more.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::record::{ConversationId, InboxId, SlotProgress, Wish};
use tertulia_core::transaction::{Change, Settle, Transaction};
use tertulia_message::{Markup, Picture, Post};
use tertulia_ports::Store;
use tertulia_store::{DATABASE, SqliteStore};

use crate::bench::{accepting, begin, directory, message, new_row, open, settle, slot};

const CANARY: &str = "canary-9f3b";

/// The files of a directory, with those below it, that hold a text.
fn holding(directory: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if fs::read(&path)
            .unwrap()
            .windows(text.len())
            .any(|bytes| bytes == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

async fn accept(store: &SqliteStore, at: &str, id: &str, text: &str) -> (InboxId, ConversationId) {
    new_row(&store.accept(accepting(vec![message(at, id, text)])).await.unwrap())
}

/// A turn whose answer grows while it is shown, as live edits do, so that pages are split and cells move.
async fn talk(store: &SqliteStore, at: &str, id: &str, word: &str) {
    let said = |count: usize| format!("{word} ").repeat(count);
    let (row, conversation) = accept(store, at, id, &said(40)).await;
    store.commit(begin(row, conversation, &said(40))).await.unwrap();
    let id = slot(row, conversation, at, "").id;
    let mut shown = slot(row, conversation, at, "");
    shown.wish = wish(1, &said(1));
    store
        .commit(Transaction::Notice {
            slots: vec![shown.clone()],
        })
        .await
        .unwrap();
    for rev in 2..6 {
        shown.wish = wish(rev, &said(20 * rev as usize));
        store
            .commit(Transaction::Notice {
                slots: vec![shown.clone()],
            })
            .await
            .unwrap();
        let partial = said(30 * rev as usize);
        store
            .commit(Transaction::Checkpoint { trigger: row, partial })
            .await
            .unwrap();
    }
    store.commit(settle(row, &said(50))).await.unwrap();
    let progress = SlotProgress {
        ext_id: Some("m".to_owned()),
        got_rev: 5,
        ..SlotProgress::default()
    };
    store
        .commit(Transaction::Progress {
            slot: id,
            progress,
            durable: true,
        })
        .await
        .unwrap();
}

fn wish(rev: u32, text: &str) -> Wish {
    Wish {
        shown: true,
        rev,
        post: Post::of(Markup::text(text)),
        source: None,
    }
}

async fn forget(store: &SqliteStore, conversation: ConversationId) {
    let (row, _) = accept(
        store,
        "telegram_bot/office",
        &format!("forget {}", conversation.0),
        "/help",
    )
    .await;
    let reply = Transaction::Reply {
        trigger: row,
        slots: Vec::new(),
        changes: vec![Change::Forget(vec![conversation])],
    };
    store.commit(reply).await.unwrap();
}

#[tokio::test]
async fn nothing_of_it_stays_in_any_file() {
    let directory = directory();
    let store = open(directory.path());
    for number in 0..40 {
        talk(&store, "telegram_bot/5", &format!("a{number}"), CANARY).await;
        talk(&store, "telegram_bot/6", &format!("b{number}"), "harmless").await;
    }
    fs::write(directory.path().join("tertulia.db.pre-2"), CANARY).unwrap();
    assert!(!holding(directory.path(), CANARY).is_empty());
    forget(&store, ConversationId(1)).await;
    assert_eq!(holding(directory.path(), CANARY), Vec::<PathBuf>::new());
    assert!(!holding(directory.path(), "harmless").is_empty());
    assert!(fs::exists(directory.path().join(DATABASE)).unwrap());
    store.close().await;
    assert_eq!(holding(directory.path(), CANARY), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_reader_may_be_in_the_way_for_a_while() {
    let directory = directory();
    let store = open(directory.path());
    talk(&store, "telegram_bot/5", "a", CANARY).await;
    let reader = Connection::open(directory.path().join(DATABASE)).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM entry").unwrap();
    forget(&store, ConversationId(1)).await;
    assert!(
        !holding(directory.path(), CANARY).is_empty(),
        "the reader still sees it"
    );
    reader.execute_batch("COMMIT").unwrap();
    accept(&store, "telegram_bot/6", "b", "hi").await;
    assert_eq!(holding(directory.path(), CANARY), Vec::<PathBuf>::new());
}

async fn see(store: &SqliteStore, at: &str, id: &str, pictures: &[&str]) -> ConversationId {
    let (row, conversation) = accept(store, at, id, "see").await;
    let picture = |bytes: &&str| {
        Part::Picture(Picture {
            mime: "image/png".to_owned(),
            bytes: bytes.as_bytes().to_vec().into(),
        })
    };
    let mut begun = begin(row, conversation, "");
    if let Transaction::Begin(begin) = &mut begun {
        begin.entries[0].message = ChatMessage::User {
            parts: pictures.iter().map(picture).collect(),
        };
    }
    store.commit(begun).await.unwrap();
    let Transaction::Settle(end) = settle(row, "nice") else {
        panic!("it settles");
    };
    store
        .commit(Transaction::Settle(Box::new(Settle { ..*end })))
        .await
        .unwrap();
    conversation
}

#[tokio::test]
async fn pictures_go_once_nothing_else_uses_them() {
    let directory = directory();
    let store = open(directory.path());
    let first = see(&store, "telegram_bot/5", "a", &["only here", "also there"]).await;
    let second = see(&store, "telegram_bot/6", "b", &["also there"]).await;
    let files = || {
        let files = fs::read_dir(directory.path().join("media")).unwrap();
        let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
        let rows = raw.query_row("SELECT count(*) FROM media", [], |row| row.get::<_, usize>(0));
        (files.count(), rows.unwrap())
    };
    assert_eq!(files(), (2, 2));
    forget(&store, first).await;
    assert_eq!(files(), (1, 1));
    assert_eq!(holding(directory.path(), "only here"), Vec::<PathBuf>::new());
    forget(&store, second).await;
    assert_eq!(files(), (0, 0));
    // What is seen again afterwards is kept again.
    let third = see(&store, "telegram_bot/5", "c", &["only here"]).await;
    assert_eq!(files(), (1, 1));
    store
        .accept(accepting(vec![message("telegram_bot/5", "d", "next")]))
        .await
        .unwrap();
    let history = store.next_work(third, 9).await.unwrap().unwrap().history;
    assert!(matches!(&history[0].message, ChatMessage::User { parts } if parts.len() == 1));
}

#[tokio::test]
async fn files_without_a_row_are_cleared_at_the_next_start() {
    let directory = directory();
    let store = open(directory.path());
    see(&store, "telegram_bot/5", "a", &["kept"]).await;
    drop(store);
    let media = directory.path().join("media");
    fs::write(media.join("0".repeat(64)), "left behind").unwrap();
    fs::write(media.join("note"), "not ours").unwrap();
    drop(open(directory.path()));
    assert!(!media.join("0".repeat(64)).exists() && media.join("note").exists());
    assert_eq!(fs::read_dir(&media).unwrap().count(), 2);
}

#[tokio::test]
async fn what_a_process_could_not_clear_away_the_next_one_does() {
    let guard = directory();
    let directory = guard.path();
    let store = open(directory);
    let (_, conversation) = accept(&store, "telegram_bot/1", "a", CANARY).await;
    forget(&store, conversation).await;
    store.close().await;
    // as if it had ended right after the transaction
    let note = "INSERT INTO meta(key, value) VALUES ('forgotten', '1')";
    let db = Connection::open(directory.join(DATABASE)).unwrap();
    db.execute(note, []).unwrap();
    drop(db);
    let copy = directory.join(format!("{DATABASE}.pre-2"));
    fs::write(&copy, CANARY).unwrap();
    open(directory).close().await;
    assert!(!copy.exists());
    // what is made since is kept
    fs::write(&copy, CANARY).unwrap();
    open(directory).close().await;
    assert!(copy.exists());
}
