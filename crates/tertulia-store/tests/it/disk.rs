//! A disk that is full, and a database that somebody else has locked.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use tertulia_core::record::InboxId;
use tertulia_core::transaction::Transaction;
use tertulia_ports::{Store, StoreError};
use tertulia_store::{DATABASE, SqliteStore};

use crate::bench::{accepting, begin, directory, message, new_row, open, options, settle, slot};

/// Fills the database up to its limit, with something that can be thrown away.
fn fill(directory: &Path) -> u32 {
    let raw = Connection::open(directory.join(DATABASE)).unwrap();
    raw.execute(
        "INSERT INTO meta(key, value) VALUES ('ballast', ?1)",
        ["x".repeat(1_000_000)],
    )
    .unwrap();
    raw.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_full_disk_is_busy_and_recovers() {
    let directory = directory();
    drop(open(directory.path()));
    let mut options = options();
    options.max_pages = Some(fill(directory.path()) + 2);
    let store = SqliteStore::open(directory.path(), options).unwrap();
    let text = "long ".repeat(10_000);
    let accept = |id: &str| store.accept(accepting(vec![message("telegram_bot/5", id, &text)]));
    let answer = accept("a").await;
    assert!(matches!(answer, Err(StoreError::Busy(_))), "{answer:?}");
    // Alone and in company: what fits is written, what does not is not.
    let small = store.accept(accepting(vec![message("telegram_bot/6", "s", "hi")]));
    let (large, small) = tokio::join!(accept("b"), small);
    assert!(matches!(large, Err(StoreError::Busy(_))), "{large:?}");
    assert!(matches!(small, Ok(_) | Err(StoreError::Busy(_))), "{small:?}");
    let written = usize::from(small.is_ok());
    assert_eq!(store.restore().await.unwrap().conversations.len(), written);
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    raw.execute("DELETE FROM meta WHERE key='ballast'", []).unwrap();
    let (row, conversation) = new_row(&accept("a").await.unwrap());
    store.commit(begin(row, conversation, "hi")).await.unwrap();
    store.commit(settle(row, "hello")).await.unwrap();
    assert_eq!(store.restore().await.unwrap().conversations.len(), written);
}

#[tokio::test]
async fn a_locked_database_is_busy_and_recovers() {
    let directory = directory();
    let mut options = options();
    options.patience = Duration::from_millis(20);
    let store = SqliteStore::open(directory.path(), options).unwrap();
    let (row, conversation) = new_row(
        &store
            .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
            .await
            .unwrap(),
    );
    let other = Connection::open(directory.path().join(DATABASE)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let answer = store.commit(begin(row, conversation, "hi")).await;
    assert!(matches!(answer, Err(StoreError::Busy(_))), "{answer:?}");
    assert!(
        store
            .next_work(conversation, 9)
            .await
            .unwrap()
            .unwrap()
            .unfinished
            .is_none(),
        "reading goes on"
    );
    other.execute_batch("ROLLBACK").unwrap();
    store.commit(begin(row, conversation, "hi")).await.unwrap();
    assert!(
        store
            .next_work(conversation, 9)
            .await
            .unwrap()
            .unwrap()
            .unfinished
            .is_some()
    );
}

#[tokio::test]
async fn a_damaged_row_is_broken_and_the_others_go_on() {
    let directory = directory();
    let store = open(directory.path());
    let (_, damaged) = new_row(
        &store
            .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
            .await
            .unwrap(),
    );
    let (row, sound) = new_row(
        &store
            .accept(accepting(vec![message("telegram_bot/6", "b", "hi")]))
            .await
            .unwrap(),
    );
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    raw.execute("UPDATE inbox SET body='{' WHERE ext_id='a'", []).unwrap();
    let answer = store.next_work(damaged, 9).await;
    assert!(matches!(answer, Err(StoreError::Broken(_))), "{answer:?}");
    store.commit(begin(row, sound, "hi")).await.unwrap();
    assert!(store.next_work(sound, 9).await.unwrap().is_some());
}

#[tokio::test]
async fn a_start_leaves_out_what_cannot_be_read() {
    let directory = directory();
    let store = open(directory.path());
    let mut rows = Vec::new();
    for (at, id) in [("tg/5", "a"), ("tg/6", "b"), ("tg/7", "c"), ("tg/8", "d")] {
        let answers = store.accept(accepting(vec![message(at, id, "/help")])).await.unwrap();
        let (row, conversation) = new_row(&answers);
        let slots = vec![slot(row, conversation, at, id)];
        store.commit(Transaction::Notice { slots }).await.unwrap();
        rows.push((row, conversation));
    }
    let sound = store.restore().await.unwrap();
    assert_eq!(
        (sound.conversations.len(), sound.commands.len(), sound.slots.len()),
        (4, 4, 4)
    );
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    let damage = |sql: &str, id: i64| assert_eq!(raw.execute(sql, [id]).unwrap(), 1);
    damage("UPDATE inbox SET body='{' WHERE id=?1", rows[0].0.0);
    damage("UPDATE slot SET body=CAST(x'ff' AS TEXT) WHERE trigger=?1", rows[1].0.0);
    damage("UPDATE conversation SET path='' WHERE id=?1", rows[2].1.0);
    let restored = store.restore().await.unwrap();
    let kept = |left_out: &[usize]| -> Vec<_> {
        let kept = (0..4).filter(|number| !left_out.contains(number));
        kept.map(|number| rows[number]).collect()
    };
    let commands = restored.commands.iter().map(|row| (row.id, row.conversation));
    assert_eq!(commands.collect::<Vec<_>>(), kept(&[0, 2]));
    let slots = restored
        .slots
        .iter()
        .map(|slot| (InboxId(slot.id.trigger), slot.conversation));
    assert_eq!(slots.collect::<Vec<_>>(), kept(&[1, 2]));
    let conversations = restored.conversations.iter().map(|(id, _)| *id);
    let expected: Vec<_> = kept(&[2]).into_iter().map(|(_, id)| id).collect();
    assert_eq!(conversations.collect::<Vec<_>>(), expected);
}
