//! Conversations with a new address.

use tertulia_core::record::{ConversationId, InboxId};
use tertulia_core::transaction::Transaction;
use tertulia_message::SlotKind;

use super::bench::{Bench, begin, path, settled, slot};

fn moved(from: &str, to: &str) -> Transaction {
    Transaction::Moved {
        from: path(from),
        to: path(to),
    }
}

async fn addresses(bench: &Bench) -> Vec<(ConversationId, String)> {
    let conversations = bench.store.restore().await.unwrap().conversations;
    conversations
        .into_iter()
        .map(|(id, path)| (id, path.to_string()))
        .collect()
}

pub(super) async fn a_chat_moves_with_its_threads(bench: Bench) {
    let places = [
        "telegram_bot/5",
        "telegram_bot/5/1",
        "telegram_bot/55",
        "telegram_bot/5/1/2",
    ];
    for (at, id) in places.into_iter().zip(["a", "b", "c", "d"]) {
        bench.say(at, id, id).await;
    }
    bench.twice(moved("telegram_bot/5", "telegram_bot/-100")).await;
    let addresses: Vec<_> = addresses(&bench).await.into_iter().map(|(_, path)| path).collect();
    let expected = [
        "telegram_bot/-100",
        "telegram_bot/-100/1",
        "telegram_bot/55",
        "telegram_bot/-100/1/2",
    ];
    assert_eq!(addresses, expected);
    assert_eq!(bench.lines("telegram_bot/-100", true, 9).await, []);
    let (_, conversation) = bench.say("telegram_bot/-100", "e", "e").await;
    assert_eq!(conversation, ConversationId(1));
    bench.twice(moved("telegram_bot/77", "telegram_bot/78")).await;
}

pub(super) async fn a_thread_moves_alone(bench: Bench) {
    for (at, id) in [
        ("telegram_bot/5", "a"),
        ("telegram_bot/5/1", "b"),
        ("telegram_bot/5/1/2", "c"),
    ] {
        bench.say(at, id, id).await;
    }
    bench.twice(moved("telegram_bot/5/1", "telegram_bot/6/1")).await;
    let addresses: Vec<_> = addresses(&bench).await.into_iter().map(|(_, path)| path).collect();
    assert_eq!(addresses, ["telegram_bot/5", "telegram_bot/6/1", "telegram_bot/5/1/2"]);
}

pub(super) async fn merging_loses_nothing(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "old", "1").await;
    bench.exchange("telegram_bot/6", "b", "new", "2").await;
    let (old, _) = bench.begun("telegram_bot/5", "c").await;
    let (new, into) = bench.begun("telegram_bot/6", "d").await;
    let (waiting, from) = bench.say("telegram_bot/5", "e", "more").await;
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(old, SlotKind::Notice, 0, "n")],
        })
        .await;
    bench.twice(moved("telegram_bot/5", "telegram_bot/6")).await;
    assert_eq!(addresses(&bench).await, [(into, "telegram_bot/6".to_owned())]);
    assert_eq!(bench.work(from).await, None);
    assert_eq!(bench.slots().await[0].path, path("telegram_bot/6"));
    assert_eq!(bench.slots().await[0].conversation, into);
    let texts: Vec<_> = bench
        .lines("telegram_bot/6", false, 9)
        .await
        .into_iter()
        .map(|line| line.text)
        .collect();
    assert_eq!(texts, ["old", "1", "new", "2"]);
    // Both turns go on, the older one first; neither was asked again.
    assert_eq!(bench.waiting(into).await, [old]);
    bench
        .twice(Transaction::Again {
            trigger: old,
            attempt: 2,
            boot: "next".to_owned(),
        })
        .await;
    bench.refuses(Transaction::Begin(begin(waiting, into, "more"))).await;
    bench.commit(settled(new, "4", Vec::new())).await;
    assert_eq!(bench.waiting(into).await, [old]);
    let end = super::bench::settle(old, "3", Vec::new());
    bench
        .commit(Transaction::Settle(Box::new(tertulia_core::transaction::Settle {
            attempt: 2,
            ..end
        })))
        .await;
    assert_eq!(bench.memory(into).await.len(), 8);
    assert_eq!(bench.waiting(into).await, [InboxId(5)]);
    // Read before the move: the number of the conversation that is no more.
    bench.commit(Transaction::Begin(begin(waiting, from, "more"))).await;
    assert_eq!(bench.waiting(into).await, [waiting]);
}
