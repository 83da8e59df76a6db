//! Answering again.

use tertulia_core::record::{InboxId, MessageBody, RowBody};
use tertulia_core::transaction::Transaction;
use tertulia_ports::TurnQuery;

use super::bench::{Bench, begin, settled};

fn retry(trigger: InboxId, supersedes: InboxId) -> Transaction {
    Transaction::Retry {
        trigger,
        body: Box::new(RowBody::Message(body())),
        supersedes,
    }
}

fn body() -> MessageBody {
    MessageBody {
        text: "again".to_owned(),
        speaker: "Ana".to_owned(),
        direct: true,
        ..MessageBody::default()
    }
}

pub(super) async fn a_retry_takes_the_place_of_the_last_turn(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "first", "1").await;
    let old = bench.exchange("telegram_bot/5", "b", "second", "2").await;
    let (command, conversation) = bench.say("telegram_bot/5", "c", "/help").await;
    let (later, _) = bench.say("telegram_bot/5", "d", "later").await;
    assert_eq!(bench.waiting(conversation).await, [], "it waits for the command");
    bench.twice(retry(command, old)).await;
    assert_eq!(bench.store.restore().await.unwrap().commands, []);
    assert_eq!(bench.texts("telegram_bot/5").await, ["first", "1"]);
    let work = bench.work(conversation).await.unwrap();
    assert_eq!(work.rows.len(), 1);
    assert_eq!((work.rows[0].id, work.rows[0].ext_id.as_str()), (command, "c"));
    assert_eq!(work.rows[0].body, RowBody::Message(body()));
    assert_eq!(work.history.len(), 2);
    bench
        .commit(Transaction::Begin(begin(command, conversation, "again")))
        .await;
    bench.commit(settled(command, "3", Vec::new())).await;
    assert_eq!(bench.texts("telegram_bot/5").await, ["first", "1", "again", "3"]);
    // What was superseded stays so, and the new one can be answered again.
    bench.commit(settled(old, "late", Vec::new())).await;
    assert_eq!(bench.texts("telegram_bot/5").await, ["first", "1", "again", "3"]);
    let last = bench
        .store
        .turn(&TurnQuery::Last(conversation, later))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((last.trigger, last.rows.len()), (command, 1));
}

pub(super) async fn a_retry_happens_once(bench: Bench) {
    let old = bench.exchange("telegram_bot/5", "a", "first", "1").await;
    let (command, conversation) = bench.say("telegram_bot/5", "b", "/help").await;
    bench.twice(retry(command, old)).await;
    bench
        .commit(Transaction::Begin(begin(command, conversation, "again")))
        .await;
    bench.twice(retry(command, old)).await;
    assert_eq!(bench.waiting(conversation).await, [command]);
    bench.commit(settled(command, "2", Vec::new())).await;
    bench.twice(retry(command, command)).await;
    assert_eq!(bench.waiting(conversation).await, []);
    assert_eq!(bench.texts("telegram_bot/5").await, ["again", "2"]);
    // A command that was replied to is no command that waits.
    let (done, _) = bench.say("telegram_bot/5", "c", "/help").await;
    bench
        .commit(Transaction::Reply {
            trigger: done,
            slots: Vec::new(),
            changes: Vec::new(),
        })
        .await;
    bench.twice(retry(done, command)).await;
    assert_eq!(bench.waiting(conversation).await, []);
    assert_eq!(bench.texts("telegram_bot/5").await, ["again", "2"]);
}

pub(super) async fn impossible_retries_are_refused(bench: Bench) {
    let elsewhere = bench.exchange("telegram_bot/6", "a", "other", "1").await;
    let (running, conversation) = bench.begun("telegram_bot/5", "b").await;
    let (command, _) = bench.say("telegram_bot/5", "c", "/help").await;
    bench.refuses(retry(command, elsewhere)).await;
    bench.refuses(retry(command, running)).await;
    bench.refuses(retry(command, InboxId(99))).await;
    bench.refuses(retry(InboxId(99), running)).await;
    bench.commit(settled(running, "2", Vec::new())).await;
    let body = RowBody::Command {
        name: "help".to_owned(),
        arguments: String::new(),
        direct: true,
        button: None,
    };
    bench
        .refuses(Transaction::Retry {
            trigger: command,
            body: Box::new(body),
            supersedes: running,
        })
        .await;
    bench.twice(retry(command, running)).await;
    assert_eq!(bench.waiting(conversation).await, [command]);
}
