//! Deleting what was said.

use tertulia_core::record::{ConversationId, Slot};
use tertulia_core::transaction::{Accepted, Change, Transaction};
use tertulia_message::SlotKind;
use tertulia_ports::{SlotQuery, TurnQuery};

use super::bench::{Bench, begin, message, path, posted, progress, settled, slot, wish};

fn forget(conversations: &[i64]) -> Vec<Change> {
    vec![Change::Forget(
        conversations.iter().copied().map(ConversationId).collect(),
    )]
}

pub(super) async fn everything_that_was_said_is_gone(bench: Bench) {
    let first = bench.exchange("telegram_bot/5", "a", "secret", "1").await;
    bench.exchange("telegram_bot/5", "b", "more", "2").await;
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(first, SlotKind::Notice, 0, "secret")],
        })
        .await;
    let delivered = slot(first, SlotKind::Notice, 0, "").id;
    bench.commit(progress(delivered, posted("m", 1))).await;
    bench.change(forget(&[1])).await;
    assert_eq!(bench.texts("telegram_bot/5").await, Vec::<String>::new());
    // What was accepted once is not accepted again, and what is repeated changes nothing.
    assert_eq!(
        bench.accept(vec![message("telegram_bot/5", "a", "secret")]).await,
        [Accepted::Duplicate]
    );
    bench.commit(settled(first, "1", Vec::new())).await;
    bench
        .commit(Transaction::Begin(begin(first, ConversationId(1), "secret")))
        .await;
    let (next, _) = bench.say("telegram_bot/5", "c", "next").await;
    assert_eq!(bench.memory(ConversationId(1)).await, []);
    for query in [TurnQuery::Last(ConversationId(1), next), TurnQuery::Of(first)] {
        assert_eq!(bench.store.turn(&query).await.unwrap(), None, "{query:?}");
    }
    bench.refuses(progress(delivered, posted("m", 1))).await;
}

pub(super) async fn what_still_waits_stays(bench: Bench) {
    let old = bench.exchange("telegram_bot/5", "a", "old", "1").await;
    let (running, conversation) = bench.begun("telegram_bot/5", "b").await;
    let (waiting, _) = bench.say("telegram_bot/5", "c", "waits").await;
    let (command, _) = bench.say("telegram_bot/5", "d", "/help").await;
    let undelivered = Slot {
        wish: wish(1, "on its way"),
        ..slot(old, SlotKind::Notice, 0, "")
    };
    bench
        .commit(Transaction::Notice {
            slots: vec![undelivered.clone()],
        })
        .await;
    let shown = slot(running, SlotKind::Answer, 0, "half");
    bench
        .commit(Transaction::OpenSlot {
            closed: None,
            open: Box::new(shown.clone()),
        })
        .await;
    bench.commit(progress(shown.id, posted("m", 1))).await;
    bench.change(forget(&[1])).await;
    assert_eq!(bench.slots().await, [undelivered]);
    let work = bench.work(conversation).await.unwrap();
    assert!(work.unfinished.is_some() && work.rows[0].id == running);
    assert_eq!(work.slots.len(), 1, "the answer that is being written");
    assert_eq!(bench.store.restore().await.unwrap().commands[0].id, command);
    bench.commit(settled(running, "2", vec![shown])).await;
    assert_eq!(bench.texts("telegram_bot/5").await, ["b", "2"]);
    assert_eq!(bench.waiting(conversation).await, [waiting]);
}

pub(super) async fn other_conversations_are_left_alone(bench: Bench) {
    for (at, id) in [
        ("telegram_bot/5", "a"),
        ("telegram_bot/5/1", "b"),
        ("telegram_bot/55", "c"),
    ] {
        bench.exchange(at, id, id, "x").await;
    }
    let (row, _) = bench.say("telegram_bot/55", "d", "/help").await;
    let said = |part: u32, conversation: i64, at: &str| Slot {
        conversation: ConversationId(conversation),
        path: path(at),
        ..slot(row, SlotKind::Say, part, "x")
    };
    let slots = vec![said(0, 1, "telegram_bot/5"), said(1, 3, "telegram_bot/55")];
    let ids: Vec<_> = slots.iter().map(|slot| slot.id).collect();
    bench
        .commit(Transaction::Reply {
            trigger: row,
            slots,
            changes: Vec::new(),
        })
        .await;
    let dead = tertulia_core::record::SlotProgress {
        state: tertulia_core::record::SlotState::Dead,
        ..posted("m", 0)
    };
    for id in &ids {
        bench.commit(progress(*id, dead.clone())).await;
    }
    bench.change(forget(&[1, 2])).await;
    assert_eq!(bench.lines("telegram_bot/5", true, 9).await, []);
    assert_eq!(bench.texts("telegram_bot/55").await, ["c", "x"]);
    let left = bench.store.slots(&SlotQuery::Dead(9)).await.unwrap();
    assert_eq!(left.iter().map(|slot| slot.id).collect::<Vec<_>>(), ids[1..]);
}
