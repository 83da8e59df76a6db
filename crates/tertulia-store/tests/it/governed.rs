//! What cannot be read of what governs the bot, and disks that cannot be written.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;
use tertulia_core::preferences::{Key, Preference, Scope};
use tertulia_core::transaction::{Change, ImportedLine, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_ports::{Desk, Governed, Store, StoreError};
use tertulia_store::{DATABASE, OpenError, SqliteStore};

use crate::bench::{accepting, directory, message, new_row, open, options};

fn set(value: &str) -> Change {
    Change::Set {
        scope: Scope::Everywhere,
        key: Key::System,
        preference: Some(Preference {
            value: value.to_owned(),
            set_by: "tg/7".to_owned(),
            set_at: 1,
        }),
    }
}

async fn reply(store: &SqliteStore, id: &str, change: Change) -> Transaction {
    let (row, _) = new_row(
        &store
            .accept(accepting(vec![message("tg/5", id, "/help")]))
            .await
            .unwrap(),
    );
    Transaction::Reply {
        trigger: row,
        slots: Vec::new(),
        changes: vec![change],
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_left_out() {
    let directory = directory();
    let store = open(directory.path());
    let good = reply(&store, "a", set("kind")).await;
    store.commit(good).await.unwrap();
    let sound = store.governed().await.unwrap();
    assert_eq!(sound.preferences.0.len(), 1);
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    raw.execute_batch(
        "INSERT INTO setting VALUES ('tg/', 'model', 'x', 'me', 0), ('tg/5', 'colour', 'x', 'me', 0),
            ('tg/6', 'model', CAST(x'ff' AS TEXT), 'me', 0);
        INSERT INTO permit VALUES ('@tg', 'user', 'me', 0, NULL), ('tg/5', 'emperor', 'me', 0, NULL);",
    )
    .unwrap();
    assert_eq!(store.governed().await.unwrap(), sound);
    // They stay where they are: a later version may read them.
    let path = |text: &str| InterfacePath::parse(text).unwrap();
    store
        .commit(Transaction::Moved {
            from: path("tg/5"),
            to: path("tg/7"),
        })
        .await
        .unwrap();
    let left: i64 = raw
        .query_row(
            "SELECT (SELECT count(*) FROM setting)+(SELECT count(*) FROM permit)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 6);
}

#[tokio::test]
async fn a_full_disk_is_busy_for_commands_and_imports_too() {
    let directory = directory();
    let store = open(directory.path());
    let large = "long ".repeat(100_000);
    let command = reply(&store, "a", set(&large)).await;
    store.close().await;
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    let pages: u32 = raw.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let mut options = options();
    options.max_pages = Some(pages + 4);
    let store = SqliteStore::open(directory.path(), options).unwrap();
    let answer = store.commit(command.clone()).await;
    assert!(matches!(answer, Err(StoreError::Busy(_))), "{answer:?}");
    let line = |key: &str, text: &str| ImportedLine {
        key: key.to_owned(),
        path: InterfacePath::parse("tg/5").unwrap(),
        speaker: None,
        text: text.to_owned(),
        at: 1,
    };
    let answer = store.import(vec![line("1", "small"), line("2", &large)]).await;
    assert!(matches!(answer, Err(StoreError::Busy(_))), "{answer:?}");
    assert_eq!(store.governed().await.unwrap(), Governed::default());
    assert_eq!(
        store.restore().await.unwrap().commands.len(),
        1,
        "it waits for a better time"
    );
    let told = store.import(vec![line("1", "small")]).await.unwrap();
    assert_eq!(
        (told.added, told.known),
        (1, 0),
        "nothing of the import before was kept"
    );
    store.close().await;
    let store = open(directory.path());
    store.commit(command).await.unwrap();
    assert_eq!(store.governed().await.unwrap().preferences.0.len(), 1);
}

/// As an administrator one may write everything: then there is nothing to see here.
#[tokio::test]
async fn files_that_may_not_be_written_are_named_as_such() {
    let directory = directory();
    drop(open(directory.path()));
    let file = directory.path().join(DATABASE);
    fs::set_permissions(&file, Permissions::from_mode(0o400)).unwrap();
    if fs::OpenOptions::new().append(true).open(&file).is_ok() {
        println!("skipped: rights do not bind whoever runs this");
        return;
    }
    let error = SqliteStore::open(directory.path(), options()).err().unwrap();
    assert!(matches!(error, OpenError::Io(_)), "{error:?}");
}
