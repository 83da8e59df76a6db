//! What those who govern the bot read, and what they do with it.

use std::sync::atomic::Ordering;

use tertulia_core::provider::Usage;
use tertulia_core::record::{ConversationId, InboxId, Slot, SlotProgress, SlotState, Wish};
use tertulia_core::transaction::{Change, DropReason, Settle, Transaction, UsageRow};
use tertulia_message::{SlotId, SlotKind};
use tertulia_ports::{ConversationQuery, SlotQuery, TurnQuery, UsageSum};

use super::bench::{Bench, account, message, path, posted, progress, settle, settled, slot, wish};

fn answer(trigger: InboxId, part: u32, text: &str) -> Slot {
    slot(trigger, SlotKind::Answer, part, text)
}

fn dead() -> SlotProgress {
    SlotProgress {
        state: SlotState::Dead,
        tries: 7,
        not_before: Some(5),
        error: Some("why".to_owned()),
        ..SlotProgress::default()
    }
}

fn ids(slots: &[Slot]) -> Vec<SlotId> {
    slots.iter().map(|slot| slot.id).collect()
}

pub(super) async fn conversations_are_described(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "hi", "1").await;
    bench.exchange("telegram_bot/5/1", "b", "hi", "1").await;
    bench.exchange("telegram_bot/55", "c", "hi", "1").await;
    bench.begun("telegram_bot/5", "d").await;
    bench.say("telegram_bot/5", "e", "waits").await;
    bench.now.store(7_000, Ordering::Relaxed);
    let event = message("telegram_bot/5", "f", "/help");
    bench.accept_with(account("2"), vec![event], Vec::new()).await;
    let asked = async |query: ConversationQuery| bench.store.conversations(&query).await.unwrap();
    let numbers = async |query: ConversationQuery| {
        let facts = asked(query).await;
        facts.iter().map(|facts| facts.id.0).collect::<Vec<_>>()
    };
    assert_eq!(numbers(ConversationQuery::Latest(9)).await, [1, 3, 2]);
    assert_eq!(numbers(ConversationQuery::Latest(2)).await, [1, 3]);
    assert_eq!(numbers(ConversationQuery::Chat(path("telegram_bot/5"))).await, [1, 2]);
    assert_eq!(numbers(ConversationQuery::Chat(path("telegram_bot/5/1"))).await, [1, 2]);
    assert_eq!(numbers(ConversationQuery::At(path("telegram_bot/5/1"))).await, [2]);
    assert_eq!(numbers(ConversationQuery::At(path("telegram_bot/6"))).await, [0; 0]);
    let first = &asked(ConversationQuery::Latest(1)).await[0];
    assert_eq!((first.path.as_str(), &first.account), ("telegram_bot/5", &account("2")));
    assert_eq!((first.last_at, first.epoch, &first.blocked), (7_000, 0, &None));
    assert_eq!((first.waiting, first.running, first.entries), (1, true, 2));
}

pub(super) async fn the_last_turn_is_the_newest_that_counts(bench: Bench) {
    let conversation = ConversationId(1);
    let last = async |before: i64| {
        let last = bench
            .store
            .turn(&TurnQuery::Last(conversation, InboxId(before)))
            .await
            .unwrap();
        last.map(|last| (last.trigger.0, last.rows.iter().map(|row| row.id.0).collect::<Vec<_>>()))
    };
    assert_eq!(last(9).await, None);
    bench.exchange("telegram_bot/5", "a", "one", "1").await;
    bench.exchange("telegram_bot/6", "b", "other", "1").await;
    let (row, _) = bench.say("telegram_bot/5", "c", "two").await;
    let (joined, _) = bench.say("telegram_bot/5", "d", "and more").await;
    let mut begin = super::bench::begin(row, conversation, "two");
    begin.rows.push(joined);
    bench.commit(Transaction::Begin(begin)).await;
    assert_eq!(last(9).await, Some((1, vec![1])), "one that runs is none");
    bench
        .commit(Transaction::Settle(Box::new(Settle {
            live: false,
            ..settle(row, "2", Vec::new())
        })))
        .await;
    assert_eq!(last(9).await, Some((3, vec![3, 4])));
    assert_eq!(last(3).await, Some((1, vec![1])));
    assert_eq!(last(1).await, None);
    let (dropped, _) = bench.say("telegram_bot/5", "e", "stopped").await;
    bench
        .commit(Transaction::Drop {
            rows: vec![dropped],
            why: DropReason::Stopped,
        })
        .await;
    assert_eq!(last(9).await, Some((3, vec![3, 4])));
}

pub(super) async fn a_button_is_for_whoever_caused_the_turn(bench: Bench) {
    let of = async |row: InboxId| {
        let turn = bench.store.turn(&TurnQuery::Of(row)).await.unwrap()?;
        assert_eq!((turn.trigger, turn.rows.len()), (row, 1));
        let trigger = turn.rows.into_iter().next()?;
        assert_eq!(trigger.id, row);
        Some((
            trigger.conversation.0,
            trigger.person.to_string(),
            trigger.path.to_string(),
        ))
    };
    let asked = |conversation: i64, path: &str| {
        let who = message(path, "x", "").sender.to_string();
        Some((conversation, who, path.to_owned()))
    };
    assert_eq!(of(InboxId(1)).await, None, "there is no such row");
    let (row, conversation) = bench.say("telegram_bot/5", "a", "one").await;
    let (joined, _) = bench.say("telegram_bot/5", "b", "and more").await;
    assert_eq!(of(row).await, None, "it waits, and nothing of it is shown");
    let mut begin = super::bench::begin(row, conversation, "one");
    begin.rows.push(joined);
    bench.commit(Transaction::Begin(begin)).await;
    assert_eq!(of(row).await, asked(1, "telegram_bot/5"), "it runs");
    assert_eq!(of(joined).await, None, "it triggers nothing");
    bench.commit(settled(row, "2", Vec::new())).await;
    assert_eq!(of(row).await, asked(1, "telegram_bot/5"), "it is settled");
    let moved = Transaction::Moved {
        from: path("telegram_bot/5"),
        to: path("telegram_bot/9"),
    };
    bench.commit(moved).await;
    assert_eq!(of(row).await, asked(1, "telegram_bot/9"), "rows keep their numbers");
    // What was answered again was asked all the same.
    let (command, _) = bench.say("telegram_bot/9", "c", "/help").await;
    let retry = Transaction::Retry {
        trigger: command,
        body: Box::new(tertulia_core::record::RowBody::Message(
            tertulia_core::record::MessageBody::default(),
        )),
        supersedes: row,
    };
    bench.commit(retry).await;
    assert_eq!(of(row).await, asked(1, "telegram_bot/9"));
    assert_eq!(of(command).await, None, "it waits");
}

pub(super) async fn unsent_answers_come_whole(bench: Bench) {
    let (first, conversation) = bench.begun("telegram_bot/5", "a").await;
    let slots = vec![answer(first, 0, "x"), answer(first, 1, "y"), answer(first, 2, "z")];
    bench.commit(settled(first, "xyz", slots)).await;
    bench.commit(progress(answer(first, 0, "").id, posted("m", 1))).await;
    bench.commit(progress(answer(first, 2, "").id, dead())).await;
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(first, SlotKind::Notice, 0, "n")],
        })
        .await;
    let (shown, _) = bench.begun("telegram_bot/5", "b").await;
    bench.commit(settled(shown, "x", vec![answer(shown, 0, "x")])).await;
    bench.commit(progress(answer(shown, 0, "").id, posted("m", 1))).await;
    let (running, _) = bench.begun("telegram_bot/5", "c").await;
    bench
        .commit(Transaction::OpenSlot {
            closed: None,
            open: Box::new(answer(running, 0, "x")),
        })
        .await;
    let unsent = async |before: InboxId| {
        let query = SlotQuery::Unsent(conversation, before);
        ids(&bench.store.slots(&query).await.unwrap())
    };
    let due = async |before: InboxId| {
        let query = SlotQuery::Due(conversation, before);
        ids(&bench.store.slots(&query).await.unwrap())
    };
    let notice = slot(first, SlotKind::Notice, 0, "n");
    let [.., third] = [0, 1, 2].map(|part| answer(first, part, "").id);
    assert!(due(InboxId(99)).await.contains(&notice.id), "of every kind");
    assert!(
        due(InboxId(99)).await.contains(&answer(running, 0, "").id),
        "also of a turn that runs"
    );
    assert!(
        !due(running).await.contains(&answer(running, 0, "").id),
        "of older rows"
    );
    assert!(!due(InboxId(99)).await.contains(&third), "not what is shown or gone");
    let whole = [0, 1, 2].map(|part| answer(first, part, "").id);
    assert_eq!(unsent(InboxId(99)).await, whole);
    assert_eq!(unsent(first).await, []);
    bench.commit(progress(whole[1], posted("n", 1))).await;
    assert_eq!(unsent(InboxId(99)).await, []);
    bench.commit(settled(running, "x", Vec::new())).await;
    assert_eq!(unsent(InboxId(99)).await, [], "it was never posted and never will be");
}

pub(super) async fn dead_letters_are_tried_again_or_deleted(bench: Bench) {
    let (first, _) = bench.begun("telegram_bot/5", "a").await;
    let (second, _) = bench.begun("telegram_bot/6", "b").await;
    let notices = [
        slot(first, SlotKind::Notice, 0, "n"),
        slot(first, SlotKind::Notice, 1, "n"),
    ];
    let other = slot(second, SlotKind::Notice, 0, "n");
    let all = vec![notices[0].clone(), notices[1].clone(), other.clone()];
    bench.commit(Transaction::Notice { slots: all.clone() }).await;
    for slot in &all {
        bench.commit(progress(slot.id, dead())).await;
    }
    let letters = async |count: u32| ids(&bench.store.slots(&SlotQuery::Dead(count)).await.unwrap());
    assert_eq!(letters(9).await, [other.id, notices[0].id, notices[1].id]);
    assert_eq!(letters(2).await, [other.id, notices[0].id]);
    let nowhere = SlotId { part: 77, ..other.id };
    bench.commit(progress(notices[1].id, posted("m", 0))).await;
    let alive = bench.slots().await;
    bench
        .change(vec![
            Change::Revive {
                slots: vec![other.id, nowhere, notices[1].id],
                expires_at: 77,
            },
            Change::Bury(vec![notices[0].id, nowhere, notices[1].id]),
        ])
        .await;
    assert_eq!(letters(9).await, []);
    let slots = bench.slots().await;
    assert_eq!(slots[0], alive[0], "it was not dead");
    assert_eq!((slots.len(), slots[1].id, slots[1].expires_at), (2, other.id, 77));
    assert_eq!(slots[1].progress, SlotProgress::default());
    // What was posted before it died is not posted again.
    let edited = SlotProgress {
        ext_id: Some("m".to_owned()),
        forced: true,
        ..dead()
    };
    bench.commit(progress(other.id, edited)).await;
    bench
        .change(vec![Change::Revive {
            slots: vec![other.id],
            expires_at: 78,
        }])
        .await;
    let expected = SlotProgress {
        forced: true,
        ..posted("m", 0)
    };
    assert_eq!(bench.slots().await[1].progress, expected);
}

pub(super) async fn wishes_of_settled_turns_change(bench: Bench) {
    let (first, _) = bench.begun("telegram_bot/5", "a").await;
    let slots = vec![answer(first, 0, "x"), answer(first, 1, "y"), answer(first, 2, "z")];
    bench.commit(settled(first, "xyz", slots)).await;
    bench.commit(progress(answer(first, 0, "").id, posted("m", 1))).await;
    let (running, _) = bench.begun("telegram_bot/5", "b").await;
    let open = answer(running, 0, "x");
    bench
        .commit(Transaction::OpenSlot {
            closed: None,
            open: Box::new(open.clone()),
        })
        .await;
    let gone = |rev: u32| Wish {
        shown: false,
        ..wish(rev, "")
    };
    bench
        .change(vec![Change::Rewish(vec![
            (answer(first, 0, "").id, wish(2, "x, stopped")),
            (answer(first, 1, "").id, gone(2)),
            (answer(first, 2, "").id, wish(1, "too old")),
            (answer(first, 9, "").id, gone(2)),
            (open.id, wish(9, "not settled")),
        ])])
        .await;
    let slots = bench.slots().await;
    let first = Slot {
        wish: wish(2, "x, stopped"),
        progress: posted("m", 1),
        ..answer(first, 0, "")
    };
    assert_eq!(slots[0], first);
    assert_eq!(slots[1].wish, wish(1, "z"));
    assert_eq!(slots[2].wish, wish(1, "x"));
    assert_eq!(slots.len(), 3, "what was never posted is gone already");
}

pub(super) async fn spending_is_summed_up(bench: Bench) {
    let row = |at: i64, trigger: i64, round: u32, person: &str, model: &str| UsageRow {
        trigger: InboxId(trigger),
        attempt: 1,
        round,
        person: person.to_owned(),
        provider: "demo".to_owned(),
        model: model.to_owned(),
        usage: Usage {
            tokens_in: Some(10),
            tokens_out: (round == 0).then_some(1),
            cache_read: Some(4),
            cache_written: None,
            // the first round of every turn has a price
            cost: (round == 0).then_some(1_000_000),
        },
        at,
    };
    let rows = [
        row(99, 1, 0, "tg/1", "a"),
        row(100, 1, 1, "tg/1", "a"),
        row(100, 1, 2, "tg/1", "a"),
        row(101, 2, 0, "tg/1", "a"),
        row(101, 2, 1, "tg/1", "b"),
        row(102, 0, 0, "tg/2", "a"),
        row(103, 0, 0, "tg/2", "a"),
    ];
    for row in rows {
        bench.twice(Transaction::Spent(row)).await;
    }
    let sum = |person: &str, model: &str, turns: u64, tokens: (u64, u64), money: (u64, u64)| UsageSum {
        person: person.to_owned(),
        provider: "demo".to_owned(),
        model: model.to_owned(),
        turns,
        tokens_in: tokens.0,
        tokens_out: tokens.1,
        cost: money.0,
        unpriced: money.1,
    };
    let expected = [
        sum("tg/1", "a", 2, (30, 1), (1_000_000, 1)),
        sum("tg/2", "a", 2, (20, 2), (2_000_000, 0)),
        sum("tg/1", "b", 1, (10, 0), (0, 1)),
    ];
    assert_eq!(bench.store.usage(100).await.unwrap(), expected);
    assert_eq!(bench.store.usage(104).await.unwrap(), []);
    for at in 200..203 {
        let dear = Usage {
            cost: Some(u64::MAX),
            ..Usage::default()
        };
        let row = UsageRow {
            usage: dear,
            ..row(at, 3, 0, "tg/3", "c")
        };
        bench.twice(Transaction::Spent(row)).await;
    }
    let dearest = bench.store.usage(200).await.unwrap();
    assert_eq!(dearest[0].cost, u64::MAX);
}
