//! What lies beside the conversations: blocks, tokens, usage, settings and permits.

use rusqlite::Connection;
use tertulia_core::provider::Usage;
use tertulia_core::record::{InboxId, SlotProgress, SlotState};
use tertulia_core::transaction::{Transaction, UsageRow};
use tertulia_message::path::InterfacePath;
use tertulia_ports::Store;
use tertulia_store::DATABASE;

use crate::bench::{accepting, directory, message, new_row, open, slot};

fn texts(raw: &Connection, sql: &str) -> Vec<String> {
    let mut statement = raw.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
    rows.map(|text| text.unwrap().unwrap_or_default()).collect()
}

#[tokio::test]
async fn settings_and_permits_move_with_the_chat() {
    let directory = directory();
    let store = open(directory.path());
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    for scope in ["", "tg", "tg/5", "tg/5/1", "tg/55", "tg/6"] {
        let value = format!("of {scope}");
        raw.execute("INSERT INTO setting VALUES (?1, 'model', ?2, 'me', 0)", [scope, &value])
            .unwrap();
        raw.execute("INSERT INTO permit VALUES (?1, 'user', 'me', 0, NULL)", [scope])
            .unwrap();
    }
    raw.execute("INSERT INTO setting VALUES ('tg/5', 'system', 'kept', 'me', 0)", [])
        .unwrap();
    let path = |text: &str| InterfacePath::parse(text).unwrap();
    store
        .commit(Transaction::Moved {
            from: path("tg/5"),
            to: path("tg/6"),
        })
        .await
        .unwrap();
    let settings = texts(&raw, "SELECT scope||'='||value FROM setting ORDER BY scope, key");
    assert_eq!(
        settings,
        [
            "=of ",
            "tg=of tg",
            "tg/55=of tg/55",
            "tg/6=of tg/6",
            "tg/6=kept",
            "tg/6/1=of tg/5/1"
        ]
    );
    assert_eq!(
        texts(&raw, "SELECT subject FROM permit ORDER BY subject"),
        ["", "tg", "tg/55", "tg/6", "tg/6/1"]
    );
}

#[tokio::test]
async fn a_block_holds_until_something_comes() {
    let directory = directory();
    let store = open(directory.path());
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    let answers = store
        .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
        .await
        .unwrap();
    let (row, conversation) = new_row(&answers);
    let slot = slot(row, conversation, "telegram_bot/5", "a");
    let id = slot.id;
    store.commit(Transaction::Notice { slots: vec![slot] }).await.unwrap();
    let dead = SlotProgress {
        state: SlotState::Dead,
        ..SlotProgress::default()
    };
    let block = Transaction::Block {
        slot: id,
        progress: dead,
        conversation,
        why: "kicked".to_owned(),
    };
    store.commit(block.clone()).await.unwrap();
    assert_eq!(texts(&raw, "SELECT blocked FROM conversation"), ["kicked"]);
    store
        .accept(accepting(vec![message("telegram_bot/5", "b", "hi")]))
        .await
        .unwrap();
    assert_eq!(texts(&raw, "SELECT blocked FROM conversation"), [""]);
    // A repetition does not block again what has been heard of since.
    store.commit(block).await.unwrap();
    assert_eq!(texts(&raw, "SELECT blocked FROM conversation"), [""]);
}

#[tokio::test]
async fn what_was_spent_is_counted_once() {
    let directory = directory();
    let store = open(directory.path());
    let row = |at: i64| UsageRow {
        trigger: InboxId(0),
        attempt: 1,
        round: 0,
        person: "web/1".to_owned(),
        provider: "demo".to_owned(),
        model: "rules".to_owned(),
        usage: Usage {
            tokens_in: Some(u64::MAX),
            tokens_out: None,
            cache_read: Some(2),
            cache_written: Some(3),
            cost: Some(4),
        },
        at,
    };
    for at in [1, 1, 2] {
        store.commit(Transaction::Spent(row(at))).await.unwrap();
    }
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    assert_eq!(texts(&raw, "SELECT CAST(at AS TEXT) FROM usage"), ["1", "2"]);
    let told = "SELECT concat_ws(' ', tokens_in, tokens_out, cache_read, cache_written, cost) FROM usage LIMIT 1";
    assert_eq!(texts(&raw, told), [format!("{} 2 3 4", i64::MAX)]);
}

#[tokio::test]
async fn old_reply_tokens_are_emptied() {
    let directory = directory();
    let store = open(directory.path());
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    store
        .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
        .await
        .unwrap();
    store.close().await;
    raw.execute("UPDATE inbox SET reply_token='secret'", []).unwrap();
    let mut options = crate::bench::options();
    options.clock = std::sync::Arc::new(|| 1_000 + 15 * 60 * 1_000);
    let store = tertulia_store::SqliteStore::open(directory.path(), options).unwrap();
    store
        .accept(accepting(vec![message("telegram_bot/5", "b", "hi")]))
        .await
        .unwrap();
    assert_eq!(texts(&raw, "SELECT reply_token FROM inbox"), ["", ""]);
}
