//! Group commit: many callers, few fsyncs, order kept, failures alone.

use std::sync::Arc;

use tertulia_core::record::InboxId;
use tertulia_core::transaction::{Accepted, Transaction};
use tertulia_ports::{Store, StoreError};
use tokio::task::JoinSet;

use crate::bench::{accepting, begin, directory, message, new_row, open, settle};

#[tokio::test]
async fn callers_share_a_commit_and_keep_their_order() {
    let directory = directory();
    let store = Arc::new(open(directory.path()));
    let mut callers = JoinSet::new();
    for caller in 0..200 {
        let store = store.clone();
        callers.spawn(async move {
            let event = message("telegram_bot/5", &caller.to_string(), "hi");
            (caller, store.accept(accepting(vec![event])).await.unwrap())
        });
    }
    let mut rows: Vec<_> = callers.join_all().await;
    rows.sort_by_key(|(caller, _)| *caller);
    let ids: Vec<_> = rows.iter().map(|(_, answers)| new_row(answers).0).collect();
    assert_eq!(
        ids,
        (1..=200).map(InboxId).collect::<Vec<_>>(),
        "asked for in this order"
    );
    let counters = store.counters();
    assert_eq!(counters.commands, 200);
    assert!(counters.full < 100, "{counters:?}");
}

#[tokio::test]
async fn a_failing_command_is_rolled_back_alone() {
    let directory = directory();
    let store = open(directory.path());
    let answers = store
        .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
        .await
        .unwrap();
    let (row, conversation) = new_row(&answers);
    let checkpoint = |text: &str| Transaction::Checkpoint {
        trigger: row,
        partial: text.to_owned(),
    };
    let nobody = || Transaction::Checkpoint {
        trigger: InboxId(99),
        partial: String::new(),
    };
    // Drops the row, then stumbles: the drop must not stay.
    let half = Transaction::Drop {
        rows: vec![row, InboxId(99)],
        why: tertulia_core::transaction::DropReason::Stopped,
    };
    let before = store.counters();
    let (first, second, third, fourth, fifth) = tokio::join!(
        store.commit(half),
        store.commit(begin(row, conversation, "hi")),
        store.commit(nobody()),
        store.commit(checkpoint("one")),
        store.commit(checkpoint("two")),
    );
    assert!(matches!(first, Err(StoreError::Refused(_))), "{first:?}");
    assert!(matches!(third, Err(StoreError::Refused(_))), "{third:?}");
    assert!(second.is_ok() && fourth.is_ok() && fifth.is_ok());
    assert_eq!(store.counters().commands - before.commands, 3);
    let work = store.next_work(conversation, 9).await.unwrap().unwrap();
    assert_eq!(work.unfinished.unwrap().partial, "two");
}

#[tokio::test]
async fn only_what_needs_it_is_synced() {
    let directory = directory();
    let store = open(directory.path());
    let answers = store
        .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
        .await
        .unwrap();
    let (row, conversation) = new_row(&answers);
    assert_eq!((store.counters().full, store.counters().normal), (1, 0));
    store.commit(begin(row, conversation, "hi")).await.unwrap();
    store
        .commit(Transaction::Checkpoint {
            trigger: row,
            partial: "x".to_owned(),
        })
        .await
        .unwrap();
    assert_eq!((store.counters().full, store.counters().normal), (1, 2));
    store.commit(settle(row, "hello")).await.unwrap();
    assert_eq!((store.counters().full, store.counters().normal), (2, 2));
}

#[tokio::test]
async fn a_closed_store_is_broken_and_complete() {
    let directory = directory();
    let store = Arc::new(open(directory.path()));
    let mut callers = JoinSet::new();
    for caller in 0..50 {
        let store = store.clone();
        let event = message("telegram_bot/5", &caller.to_string(), "hi");
        callers.spawn(async move { store.accept(accepting(vec![event])).await });
    }
    tokio::task::yield_now().await;
    store.close().await;
    store.close().await;
    let answers = callers.join_all().await;
    let accepted = answers.iter().filter(|answer| answer.is_ok()).count();
    assert!(
        answers
            .iter()
            .all(|answer| !matches!(answer, Err(StoreError::Busy(_) | StoreError::Refused(_))))
    );
    let late = store
        .accept(accepting(vec![message("telegram_bot/5", "late", "hi")]))
        .await;
    assert!(matches!(late, Err(StoreError::Broken(_))), "{late:?}");
    let late = store.restore().await;
    assert!(matches!(late, Err(StoreError::Broken(_))), "{late:?}");
    let log = directory.path().join("tertulia.db-wal");
    assert_eq!(log.metadata().map_or(0, |file| file.len()), 0);
    let store = open(directory.path());
    let answer = store
        .accept(accepting(vec![message("telegram_bot/5", "next", "hi")]))
        .await
        .unwrap();
    let next = i64::try_from(accepted).unwrap() + 1;
    assert!(
        matches!(answer[..], [Accepted::New(InboxId(row), _)] if row == next),
        "{answer:?} after {accepted}"
    );
}
