//! Slots.

use tertulia_core::record::{InboxId, Slot, SlotProgress, SlotState, Wish};
use tertulia_core::transaction::Transaction;
use tertulia_message::{Block, Button, Inline, Markup, Post, SlotId, SlotKind};

use super::bench::{Bench, posted, progress, sending, settled, slot, wish};

fn answer(trigger: InboxId, part: u32, text: &str) -> Slot {
    slot(trigger, SlotKind::Answer, part, text)
}

fn open(slot: Slot) -> Transaction {
    Transaction::OpenSlot {
        closed: None,
        open: Box::new(slot),
    }
}

fn rich() -> Post {
    let text = |text: &str| vec![Inline::Text(text.to_owned())];
    let link = Inline::Link {
        url: "https://example.org".to_owned(),
        text: text("link"),
    };
    let mention = Inline::Mention {
        id: "7".to_owned(),
        name: "Ana".to_owned(),
    };
    let inlines = vec![
        Inline::Strong(text("strong")),
        Inline::Emphasis(text("emphasis")),
        Inline::Code("code".to_owned()),
        Inline::Strike(text("strike")),
        Inline::Spoiler(text("spoiler")),
        link,
        mention,
    ];
    let item = vec![Block::Paragraph(inlines.clone())];
    let blocks = vec![
        Block::Heading(2, text("head")),
        Block::Code {
            language: "rust".to_owned(),
            text: "fn".to_owned(),
        },
        Block::Quote(vec![Block::Rule]),
        Block::List {
            start: Some(3),
            items: vec![item.clone(), item],
        },
        Block::List {
            start: None,
            items: Vec::new(),
        },
        Block::Table(vec![vec![inlines, text("cell")]]),
    ];
    let button = Button {
        label: "yes".to_owned(),
        token: "t".to_owned(),
    };
    Post {
        markup: Markup { blocks },
        files: Vec::new(),
        buttons: vec![button],
        quote: true,
    }
}

pub(super) async fn a_slot_is_opened_once(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    let first = Slot {
        wish: Wish {
            post: rich(),
            ..wish(1, "…")
        },
        progress: sending(),
        ..answer(row, 0, "")
    };
    bench.twice(open(first.clone())).await;
    bench.commit(progress(first.id, posted("m1", 1))).await;
    let closed = Some((first.id, wish(2, "part one")));
    let second = Slot {
        progress: sending(),
        ..answer(row, 1, "part two")
    };
    bench
        .twice(Transaction::OpenSlot {
            closed,
            open: Box::new(second.clone()),
        })
        .await;
    let slots = bench.work(conversation).await.unwrap().slots;
    let first = Slot {
        wish: wish(2, "part one"),
        progress: posted("m1", 1),
        open: true,
        ..first
    };
    assert_eq!(
        slots,
        [
            first.clone(),
            Slot {
                open: true,
                ..second.clone()
            }
        ]
    );
    // A later attempt finds the slot and changes its wish only.
    bench
        .twice(open(Slot {
            wish: wish(2, "other"),
            ..answer(row, 1, "")
        }))
        .await;
    let slots = bench.slots().await;
    assert_eq!(
        slots,
        [
            first,
            Slot {
                wish: wish(2, "other"),
                open: true,
                ..second
            }
        ]
    );
}

pub(super) async fn session_and_courier_keep_to_their_fields(bench: Bench) {
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(open(answer(row, 0, "…"))).await;
    let there = SlotProgress {
        state: SlotState::Unsure,
        ext_id: Some("m".to_owned()),
        got_rev: 1,
        forced: true,
        tries: 3,
        not_before: Some(77),
        error: Some("slow".to_owned()),
    };
    bench.twice(progress(answer(row, 0, "").id, there.clone())).await;
    let last = Slot {
        wish: wish(3, "all"),
        ..answer(row, 0, "")
    };
    bench.twice(settled(row, "all", vec![last.clone()])).await;
    assert_eq!(
        bench.slots().await,
        [Slot {
            progress: there,
            ..last.clone()
        }]
    );
    bench.commit(progress(last.id, posted("m", 3))).await;
    assert_eq!(bench.slots().await, []);
    bench
        .commit(progress(
            last.id,
            SlotProgress {
                state: SlotState::Dead,
                ..posted("m", 0)
            },
        ))
        .await;
    assert_eq!(bench.slots().await, []);
}

pub(super) async fn surplus_answers_are_deleted(bench: Bench) {
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    for part in 0..4 {
        bench.commit(open(answer(row, part, "…"))).await;
    }
    for part in 0..3 {
        bench
            .commit(progress(answer(row, part, "").id, posted(&format!("m{part}"), 1)))
            .await;
    }
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(row, SlotKind::Notice, 0, "wait")],
        })
        .await;
    let kept = Slot {
        wish: wish(2, "all"),
        ..answer(row, 0, "")
    };
    let mut gone = Slot {
        wish: wish(1, "…"),
        ..answer(row, 1, "")
    };
    gone.wish.shown = false;
    gone.wish.rev = 2;
    bench.twice(settled(row, "all", vec![kept.clone(), gone.clone()])).await;
    let slots = bench.slots().await;
    let ids: Vec<_> = slots
        .iter()
        .map(|slot| (slot.id.kind, slot.id.part, slot.wish.shown, slot.wish.rev))
        .collect();
    let expected = [
        (SlotKind::Answer, 0, true, 2),
        (SlotKind::Answer, 1, false, 2),
        (SlotKind::Answer, 2, false, 2),
        (SlotKind::Notice, 0, true, 1),
    ];
    assert_eq!(ids, expected);
    assert_eq!(slots[1].wish, gone.wish);
}

pub(super) async fn what_was_never_posted_is_not_due(bench: Bench) {
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(open(answer(row, 0, "…"))).await;
    bench
        .commit(open(Slot {
            progress: sending(),
            ..answer(row, 1, "…")
        }))
        .await;
    bench.twice(settled(row, "", Vec::new())).await;
    let slots = bench.slots().await;
    assert_eq!(slots.iter().map(|slot| slot.id.part).collect::<Vec<_>>(), [1]);
    assert_eq!((slots[0].progress.clone(), slots[0].wish.rev), (sending(), 2));
}

pub(super) async fn a_long_slot_is_split_once(bench: Bench) {
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(settled(row, "long", vec![answer(row, 0, "long")])).await;
    let split = |rev: u32, text: &str| Transaction::Split {
        slot: answer(row, 0, "").id,
        wish: wish(rev, text),
        progress: posted("m", 0),
        rest: vec![answer(row, 1, "ng")],
    };
    bench.twice(split(2, "lo")).await;
    bench.refuses(split(2, "l")).await;
    bench.refuses(split(1, "long")).await;
    let slots = bench.slots().await;
    let first = Slot {
        wish: wish(2, "lo"),
        progress: posted("m", 0),
        ..answer(row, 0, "")
    };
    assert_eq!(slots, [first, answer(row, 1, "ng")]);
    let dead = SlotProgress {
        state: SlotState::Dead,
        error: Some("kicked".to_owned()),
        ..SlotProgress::default()
    };
    let block = Transaction::Block {
        slot: answer(row, 0, "").id,
        progress: dead,
        conversation: slots[0].conversation,
        why: "kicked".to_owned(),
    };
    bench.twice(block).await;
    assert_eq!(bench.slots().await, [answer(row, 1, "ng")]);
}

pub(super) async fn due_slots_come_in_order(bench: Bench) {
    let (first, _) = bench.begun("telegram_bot/5", "a").await;
    let (other, _) = bench.begun("telegram_bot/6", "b").await;
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(other, SlotKind::Notice, 0, "n")],
        })
        .await;
    let kinds = [
        (SlotKind::Say, 0),
        (SlotKind::Command, 0),
        (SlotKind::Notice, 0),
        (SlotKind::Answer, 1000),
    ];
    for (kind, part) in kinds {
        bench
            .twice(Transaction::Notice {
                slots: vec![slot(first, kind, part, "n")],
            })
            .await;
    }
    bench.commit(open(answer(first, 1, "n"))).await;
    let slots = bench.slots().await;
    let order: Vec<_> = slots
        .iter()
        .map(|slot| (slot.id.trigger, slot.id.kind, slot.id.part))
        .collect();
    let expected = [
        (first.0, SlotKind::Answer, 1),
        (first.0, SlotKind::Answer, 1000),
        (first.0, SlotKind::Notice, 0),
        (first.0, SlotKind::Command, 0),
        (first.0, SlotKind::Say, 0),
        (other.0, SlotKind::Notice, 0),
    ];
    assert_eq!(order, expected);
    // the turn changes the wishes of its answer only
    assert!(slots.iter().all(|slot| slot.open == (slot.id.kind == SlotKind::Answer)));
    bench
        .commit(settled(
            first,
            "x",
            vec![answer(first, 1, "n"), answer(first, 1000, "n")],
        ))
        .await;
    assert!(bench.slots().await.iter().all(|slot| !slot.open));
}

pub(super) async fn impossible_slots_are_refused(bench: Bench) {
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    bench.refuses(progress(answer(row, 0, "").id, sending())).await;
    bench.refuses(open(answer(InboxId(99), 0, "x"))).await;
    bench
        .refuses(Transaction::Notice {
            slots: vec![slot(row, SlotKind::Notice, 0, "x"), answer(InboxId(99), 0, "x")],
        })
        .await;
    let nowhere = SlotId {
        trigger: row.0,
        kind: SlotKind::Answer,
        part: 9,
    };
    let closed = Some((nowhere, wish(2, "x")));
    bench
        .refuses(Transaction::OpenSlot {
            closed,
            open: Box::new(answer(row, 1, "x")),
        })
        .await;
    bench.commit(open(answer(row, 0, "x"))).await;
    bench.commit(settled(row, "x", vec![answer(row, 0, "x")])).await;
    bench.refuses(open(answer(row, 1, "x"))).await;
    bench
        .twice(open(Slot {
            wish: wish(7, "late"),
            ..answer(row, 0, "")
        }))
        .await;
    assert_eq!(bench.slots().await, [answer(row, 0, "x")]);
}
