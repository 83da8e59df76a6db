//! Turns.

use tertulia_core::chat::{ChatMessage, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::record::{ConversationId, InboxId, RoundRecord, Slot, ToolEffect, ToolRun};
use tertulia_core::transaction::{Begin, Change, DropReason, Said, Settle, Transaction};
use tertulia_message::{Picture, SlotKind};

use super::bench::{Bench, assistant, begin, message, path, settings, settle, settled, slot, user};

pub(super) async fn a_turn_begins_once(bench: Bench) {
    let (row, conversation) = bench.say("telegram_bot/5", "a", "hi").await;
    bench.say("telegram_bot/5", "b", "there").await;
    bench.twice(Transaction::Begin(begin(row, conversation, "hi"))).await;
    let work = bench.work(conversation).await.unwrap();
    let turn = work.unfinished.unwrap();
    assert_eq!(
        (turn.attempt, turn.boot.as_str(), turn.settings),
        (1, "boot", settings())
    );
    assert_eq!((turn.partial.as_str(), turn.rounds), ("", Vec::new()));
    assert_eq!(work.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [row]);
    assert_eq!((work.history, work.epoch), (Vec::new(), 0));
    bench.commit(settled(row, "hello", Vec::new())).await;
    bench.commit(Transaction::Begin(begin(row, conversation, "hi"))).await;
    assert_eq!(
        bench.memory(conversation).await,
        [user(row, "hi"), assistant(row, "hello")]
    );
}

pub(super) async fn impossible_turns_are_refused(bench: Bench) {
    let (row, conversation) = bench.say("telegram_bot/5", "a", "hi").await;
    let (next, _) = bench.say("telegram_bot/5", "b", "there").await;
    let (_, elsewhere) = bench.say("telegram_bot/6", "c", "else").await;
    let nobody = InboxId(999);
    bench
        .refuses(Transaction::Begin(begin(nobody, conversation, "x")))
        .await;
    bench
        .refuses(Transaction::Checkpoint {
            trigger: row,
            partial: "x".to_owned(),
        })
        .await;
    bench.refuses(settled(row, "x", Vec::new())).await;
    bench
        .refuses(Transaction::Drop {
            rows: vec![row, nobody],
            why: DropReason::Stopped,
        })
        .await;
    let foreign = Begin {
        rows: vec![row, InboxId(3)],
        ..begin(row, conversation, "x")
    };
    bench.refuses(Transaction::Begin(foreign)).await;
    bench.commit(Transaction::Begin(begin(row, conversation, "hi"))).await;
    bench
        .refuses(Transaction::Begin(begin(next, conversation, "there")))
        .await;
    bench
        .refuses(Transaction::Begin(Begin {
            boot: "other".to_owned(),
            ..begin(row, conversation, "hi")
        }))
        .await;
    bench
        .refuses(Transaction::Settle(Box::new(Settle {
            attempt: 2,
            ..settle(row, "x", Vec::new())
        })))
        .await;
    bench
        .refuses(Transaction::Reply {
            trigger: row,
            slots: Vec::new(),
            changes: Vec::new(),
        })
        .await;
    assert_eq!(bench.waiting(conversation).await, [row]);
    assert_eq!(bench.waiting(elsewhere).await, [InboxId(3)]);
    bench.commit(settled(row, "hello", Vec::new())).await;
    assert_eq!(bench.waiting(conversation).await, [next]);
    bench
        .refuses(Transaction::Begin(Begin {
            rows: vec![next, row],
            ..begin(next, conversation, "x")
        }))
        .await;
}

pub(super) async fn joined_rows_become_one_turn(bench: Bench) {
    let joined = |id: &str, key: &str| {
        let mut event = message("telegram_bot/5", id, id);
        event.join = Some(key.to_owned());
        event
    };
    bench
        .accept(vec![
            message("telegram_bot/5", "a", "hi"),
            message("telegram_bot/5", "b", "there"),
        ])
        .await;
    bench
        .accept(vec![
            joined("c", "k"),
            message("telegram_bot/5", "d", "/help"),
            joined("e", "k"),
        ])
        .await;
    bench.accept(vec![joined("f", "l"), joined("g", "k")]).await;
    let conversation = bench.store.restore().await.unwrap().conversations[0].0;
    for expected in [&[1][..], &[2], &[3], &[], &[5], &[6], &[7]] {
        let rows = bench.waiting(conversation).await;
        assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), expected);
        // what was said after a command waits until it is done
        if rows.is_empty() {
            bench.commit(reply(InboxId(4))).await;
            continue;
        }
        let all = Begin {
            rows: rows.clone(),
            ..begin(rows[0], conversation, "x")
        };
        bench.commit(Transaction::Begin(all)).await;
        assert_eq!(bench.waiting(conversation).await, rows);
        bench.commit(settled(rows[0], "y", Vec::new())).await;
    }
    assert_eq!(bench.work(conversation).await, None);
}

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: "clock".to_owned(),
        arguments: "{\"a\": 1}".to_owned(),
    }
}

fn run(id: &str, effect: ToolEffect) -> ToolRun {
    let call = call(id);
    ToolRun {
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
        effect,
        result: None,
    }
}

fn calling(text: &str, ids: &[&str]) -> ChatMessage {
    let data = ProviderData {
        kind: "anthropic".to_owned(),
        model: "m".to_owned(),
        bytes: vec![0, 255],
    };
    ChatMessage::Assistant {
        text: text.to_owned(),
        calls: ids.iter().map(|id| call(id)).collect(),
        data: Some(data),
    }
}

fn result(id: &str, content: &str) -> ToolResult {
    let status = if content == "no" {
        ToolStatus::Failed
    } else {
        ToolStatus::Ok
    };
    ToolResult {
        call_id: id.to_owned(),
        name: "clock".to_owned(),
        status,
        content: content.to_owned(),
    }
}

fn started(trigger: InboxId, attempt: u32, round: u32, text: &str, ids: &[&str]) -> Transaction {
    let runs = ids.iter().map(|id| run(id, ToolEffect::Changes)).collect();
    Transaction::ToolsStarted {
        trigger,
        attempt,
        round,
        assistant: calling(text, ids),
        runs,
    }
}

fn done(trigger: InboxId, attempt: u32, round: u32, id: &str, content: &str) -> Transaction {
    Transaction::ToolDone {
        trigger,
        attempt,
        round,
        result: result(id, content),
        effectful: true,
        said: None,
    }
}

pub(super) async fn an_unfinished_turn_comes_back_whole(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    bench.twice(started(row, 1, 0, "let me see", &["z", "b"])).await;
    bench.twice(done(row, 1, 0, "b", "no")).await;
    bench
        .twice(Transaction::Checkpoint {
            trigger: row,
            partial: "so far".to_owned(),
        })
        .await;
    bench
        .twice(Transaction::OpenSlot {
            closed: None,
            open: Box::new(slot(row, SlotKind::Answer, 0, "…")),
        })
        .await;
    bench
        .twice(Transaction::Again {
            trigger: row,
            attempt: 2,
            boot: "next".to_owned(),
        })
        .await;
    bench
        .refuses(Transaction::Again {
            trigger: row,
            attempt: 1,
            boot: "boot".to_owned(),
        })
        .await;
    bench.refuses(done(row, 1, 0, "z", "late")).await;
    let work = bench.work(conversation).await.unwrap();
    let turn = work.unfinished.unwrap();
    assert_eq!(
        (turn.attempt, turn.boot.as_str(), turn.partial.as_str()),
        (2, "next", "so far")
    );
    let second = ToolRun {
        result: Some(result("b", "no")),
        ..run("b", ToolEffect::Changes)
    };
    let runs = vec![run("z", ToolEffect::Changes), second];
    assert_eq!(
        turn.rounds,
        [RoundRecord {
            assistant: calling("let me see", &["z", "b"]),
            runs
        }]
    );
    assert_eq!(work.slots.len(), 1);
    bench.twice(done(row, 2, 0, "z", "ok")).await;
    let end = Settle {
        attempt: 2,
        ..settle(row, "end", Vec::new())
    };
    bench.twice(Transaction::Settle(Box::new(end))).await;
    bench
        .commit(Transaction::Again {
            trigger: row,
            attempt: 3,
            boot: "late".to_owned(),
        })
        .await;
    bench
        .commit(Transaction::Checkpoint {
            trigger: row,
            partial: "late".to_owned(),
        })
        .await;
    assert_eq!(bench.work(conversation).await, None);
}

pub(super) async fn rounds_keep_the_order_of_the_calls(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(started(row, 1, 0, "", &["z", "b"])).await;
    bench.commit(done(row, 1, 0, "b", "2")).await;
    bench.commit(done(row, 1, 0, "z", "1")).await;
    bench.commit(done(row, 1, 0, "z", "again")).await;
    bench.commit(started(row, 1, 1, "more", &["b"])).await;
    bench.refuses(done(row, 1, 1, "z", "3")).await;
    bench.refuses(done(row, 1, 2, "b", "3")).await;
    bench.commit(done(row, 1, 1, "b", "3")).await;
    bench.commit(settled(row, "end", Vec::new())).await;
    bench.say("telegram_bot/5", "b", "next").await;
    let told: Vec<_> = bench
        .memory(conversation)
        .await
        .into_iter()
        .map(|entry| entry.message)
        .collect();
    let both = ChatMessage::Tool {
        results: vec![result("z", "1"), result("b", "2")],
    };
    let last = ChatMessage::Tool {
        results: vec![result("b", "3")],
    };
    let expected = [
        ChatMessage::user("a"),
        calling("", &["z", "b"]),
        both,
        calling("more", &["b"]),
        last,
        ChatMessage::assistant("end"),
    ];
    assert_eq!(told, expected);
}

pub(super) async fn an_incomplete_round_can_be_asked_anew(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(started(row, 1, 0, "", &["z", "b"])).await;
    bench.commit(done(row, 1, 0, "z", "1")).await;
    bench
        .commit(Transaction::Again {
            trigger: row,
            attempt: 2,
            boot: "next".to_owned(),
        })
        .await;
    bench.twice(started(row, 2, 0, "anew", &["y"])).await;
    let turn = bench.work(conversation).await.unwrap().unfinished.unwrap();
    let runs = vec![run("y", ToolEffect::Changes)];
    assert_eq!(
        turn.rounds,
        [RoundRecord {
            assistant: calling("anew", &["y"]),
            runs
        }]
    );
}

pub(super) async fn what_a_call_says_is_stored_with_its_result(bench: Bench) {
    bench.exchange("telegram_bot/6", "x", "hi", "1").await;
    let (row, _) = bench.begun("telegram_bot/5", "a").await;
    bench.commit(started(row, 1, 0, "", &["z", "b"])).await;
    let said = |part: u32, text: &str| Slot {
        conversation: ConversationId(1),
        path: path("telegram_bot/6"),
        re: "a".to_owned(),
        ..slot(row, SlotKind::Say, part, text)
    };
    let saying = |id: &str, part: u32, text: &str| {
        let words = Change::Said {
            conversation: ConversationId(1),
            text: text.to_owned(),
            now: 4_000,
        };
        let said = Said {
            slots: vec![said(part, text)],
            changes: vec![words],
        };
        match done(row, 1, 0, id, "sent") {
            Transaction::ToolDone {
                trigger,
                attempt,
                round,
                result,
                effectful,
                ..
            } => Transaction::ToolDone {
                trigger,
                attempt,
                round,
                result,
                effectful,
                said: Some(Box::new(said)),
            },
            other => other,
        }
    };
    bench.refuses(saying("nobody", 0, "lost")).await;
    bench.twice(saying("b", 0, "listen")).await;
    // the first result of a call holds, with what it said
    bench.commit(saying("b", 1000, "again")).await;
    assert_eq!(bench.slots().await, [said(0, "listen")], "it waits for no turn");
    assert_eq!(bench.texts("telegram_bot/6").await, ["hi", "1", "listen"]);
    bench.commit(settled(row, "done", Vec::new())).await;
    bench.commit(saying("z", 2000, "too late")).await;
    assert_eq!(bench.slots().await, [said(0, "listen")], "no answer's surplus");
    assert_eq!(bench.texts("telegram_bot/6").await, ["hi", "1", "listen"]);
}

pub(super) async fn settling_makes_history_once(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    let picture = tertulia_core::chat::Part::Picture(Picture {
        mime: "image/png".to_owned(),
        bytes: vec![9].into(),
    });
    let mut entries = vec![assistant(row, ""), assistant(row, "hello"), user(row, "")];
    entries[1].cut = true;
    entries.push(tertulia_core::record::Entry {
        message: ChatMessage::User { parts: vec![picture] },
        ..user(row, "")
    });
    let kept = [user(row, "a"), entries[1].clone(), entries[3].clone()];
    let settle = Settle {
        entries,
        ..settle(row, "", Vec::new())
    };
    bench.twice(Transaction::Settle(Box::new(settle.clone()))).await;
    bench.say("telegram_bot/5", "b", "next").await;
    assert_eq!(bench.memory(conversation).await, kept);
    bench.commit(Transaction::Settle(Box::new(settle))).await;
    assert_eq!(bench.memory(conversation).await, kept);
}

pub(super) async fn a_turn_that_is_not_live_leaves_no_history(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    let settle = Settle {
        live: false,
        ..settle(row, "hello", Vec::new())
    };
    bench.twice(Transaction::Settle(Box::new(settle))).await;
    bench.say("telegram_bot/5", "b", "next").await;
    assert_eq!(bench.memory(conversation).await, []);
    assert_eq!(bench.lines("telegram_bot/5", false, 9).await, []);
}

pub(super) async fn the_window_is_cut_between_turns(bench: Bench) {
    for id in ["a", "b", "c"] {
        bench.exchange("telegram_bot/5", id, id, "answer").await;
    }
    let (_, conversation) = bench.say("telegram_bot/5", "d", "next").await;
    for (limit, expected) in [(0, 0), (1, 0), (2, 2), (3, 2), (4, 4), (5, 4), (6, 6), (7, 6)] {
        let work = bench.store.next_work(conversation, limit).await.unwrap().unwrap();
        assert_eq!(work.history.len(), expected, "limit {limit}");
    }
    let work = bench.store.next_work(conversation, 3).await.unwrap().unwrap();
    assert_eq!(work.history[0].message, ChatMessage::user("c"));
}

pub(super) async fn commands_do_not_queue(bench: Bench) {
    let (row, conversation) = bench.say("telegram_bot/5", "a", "/Help all of it").await;
    assert_eq!(bench.work(conversation).await, None);
    let restored = bench.store.restore().await.unwrap();
    assert_eq!(restored.conversations.len(), 1);
    assert_eq!(restored.commands.iter().map(|row| row.id).collect::<Vec<_>>(), [row]);
    let reply = |text: &str| Transaction::Reply {
        trigger: row,
        slots: vec![slot(row, SlotKind::Command, 0, text)],
        changes: Vec::new(),
    };
    bench.twice(reply("this")).await;
    bench.commit(reply("that")).await;
    let restored = bench.store.restore().await.unwrap();
    assert_eq!((restored.conversations, restored.commands), (Vec::new(), Vec::new()));
    assert_eq!(restored.slots, [slot(row, SlotKind::Command, 0, "this")]);
}

pub(super) async fn dropped_rows_are_not_answered(bench: Bench) {
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    let (next, _) = bench.say("telegram_bot/5", "b", "there").await;
    bench
        .twice(Transaction::Drop {
            rows: vec![row, next],
            why: DropReason::Stopped,
        })
        .await;
    assert_eq!(bench.waiting(conversation).await, [row]);
    bench.commit(settled(row, "hello", Vec::new())).await;
    assert_eq!(bench.work(conversation).await, None);
    bench.refuses(Transaction::Begin(begin(next, conversation, "x"))).await;
}

fn reply(trigger: InboxId) -> Transaction {
    Transaction::Reply {
        trigger,
        slots: Vec::new(),
        changes: Vec::new(),
    }
}
