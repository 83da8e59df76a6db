//! Opening: after a crash, after another version, and what is no database.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use rusqlite::Connection;
use tertulia_ports::Store;
use tertulia_store::{DATABASE, OpenError, SqliteStore};

use crate::bench::{accepting, begin, directory, message, new_row, open, options, settle};

fn raw(directory: &Path) -> Connection {
    Connection::open(directory.join(DATABASE)).unwrap()
}

#[track_caller]
fn refusal(directory: &Path) -> OpenError {
    match SqliteStore::open(directory, options()) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

async fn fill(store: &SqliteStore) {
    let answers = store
        .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
        .await
        .unwrap();
    let (row, conversation) = new_row(&answers);
    store.commit(begin(row, conversation, "hi")).await.unwrap();
    store.commit(settle(row, "hello")).await.unwrap();
    let answers = store
        .accept(accepting(vec![message("telegram_bot/5", "b", "more")]))
        .await
        .unwrap();
    let (row, conversation) = new_row(&answers);
    store.commit(begin(row, conversation, "more")).await.unwrap();
}

#[tokio::test]
async fn a_copy_of_the_files_of_a_running_store_has_everything() {
    // On a real disk: what a killed process leaves behind is what lies in its files.
    let (running, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(running.path());
    fill(&store).await;
    for name in [DATABASE.to_owned(), format!("{DATABASE}-wal")] {
        fs::copy(running.path().join(&name), copy.path().join(&name)).unwrap();
    }
    let conversation = store.restore().await.unwrap().conversations[0].0;
    let expected = store.next_work(conversation, 9).await.unwrap().unwrap();
    assert_eq!(expected.history.len(), 2);
    assert!(expected.unfinished.is_some());
    let other = open(copy.path());
    assert_eq!(other.next_work(conversation, 9).await.unwrap().unwrap(), expected);
    assert_eq!(other.restore().await.unwrap(), store.restore().await.unwrap());
}

#[tokio::test]
async fn dropping_without_closing_keeps_everything() {
    let directory = directory();
    let store = open(directory.path());
    fill(&store).await;
    let before = store.restore().await.unwrap();
    drop(store);
    assert_eq!(open(directory.path()).restore().await.unwrap(), before);
}

#[test]
fn an_edited_migration_is_refused() {
    let directory = directory();
    drop(open(directory.path()));
    raw(directory.path())
        .execute("UPDATE refinery_schema_history SET checksum='1'", [])
        .unwrap();
    assert!(matches!(refusal(directory.path()), OpenError::Edited(1)));
}

#[test]
fn a_newer_schema_is_refused() {
    let directory = directory();
    drop(open(directory.path()));
    let newer =
        "INSERT INTO refinery_schema_history SELECT 9, 'later', applied_on, checksum FROM refinery_schema_history LIMIT 1;
        UPDATE meta SET value='9' WHERE key='min_reader'";
    raw(directory.path()).execute_batch(newer).unwrap();
    assert!(matches!(
        refusal(directory.path()),
        OpenError::TooNew { found: 9, known: 3 }
    ));
    raw(directory.path())
        .execute("UPDATE meta SET value='2' WHERE key='min_reader'", [])
        .unwrap();
    drop(open(directory.path()));
}

#[test]
fn what_is_no_database_is_left_alone() {
    let directory = directory();
    let text = "not a database, but long enough to be taken for one: ".repeat(40);
    fs::write(directory.path().join(DATABASE), &text).unwrap();
    let error = refusal(directory.path());
    assert!(matches!(error, OpenError::Corrupt(_)), "{error:?}");
    assert_eq!(fs::read_to_string(directory.path().join(DATABASE)).unwrap(), text);
}

#[test]
fn a_directory_that_cannot_be_made_is_named_as_such() {
    let directory = directory();
    fs::write(directory.path().join("file"), "").unwrap();
    let error = refusal(&directory.path().join("file"));
    assert!(matches!(error, OpenError::Io(_)), "{error:?}");
}

#[test]
fn a_locked_database_is_named_as_such() {
    let directory = directory();
    drop(open(directory.path()));
    let other = raw(directory.path());
    other
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let mut options = options();
    options.patience = std::time::Duration::from_millis(10);
    let error = SqliteStore::open(directory.path(), options).err().unwrap();
    assert!(matches!(error, OpenError::Locked(_)), "{error:?}");
}

#[tokio::test]
async fn nobody_else_may_read_what_people_said() {
    let parent = directory();
    let directory = parent.path().join("state");
    let store = open(&directory);
    fill(&store).await;
    let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(rights(&directory), 0o700);
    assert_eq!(rights(&directory.join("media")), 0o700);
    assert_eq!(rights(&directory.join(DATABASE)), 0o600);
    assert_eq!(rights(&directory.join(format!("{DATABASE}-wal"))), 0o600);
}

/// Overwrites a page of a table, as a disk does that lied about what it had written.
fn damage(directory: &Path) {
    let page: u64 = raw(directory)
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name='entry'", [], |row| {
            row.get(0)
        })
        .unwrap();
    let file = fs::OpenOptions::new()
        .write(true)
        .open(directory.join(DATABASE))
        .unwrap();
    file.write_all_at(&[0x55; 4096], (page - 1) * 4096).unwrap();
}

#[tokio::test]
async fn damage_is_found_after_a_stop_in_the_middle() {
    let directory = directory();
    let store = open(directory.path());
    fill(&store).await;
    let mark = directory.path().join("tertulia.db.open");
    assert!(mark.exists());
    store.close().await;
    assert!(!mark.exists(), "it stopped as it should");
    drop(open(directory.path()));
    assert!(!mark.exists());
    fs::write(&mark, "").unwrap();
    drop(open(directory.path()));
    assert!(!mark.exists(), "it was looked over and is sound");
    damage(directory.path());
    fs::write(&mark, "").unwrap();
    for _ in 0..2 {
        let error = refusal(directory.path());
        assert!(matches!(error, OpenError::Corrupt(_)), "{error:?}");
        assert_eq!(error.to_string(), "the database is damaged");
        assert!(mark.exists(), "it is looked over again until somebody has mended it");
    }
}
