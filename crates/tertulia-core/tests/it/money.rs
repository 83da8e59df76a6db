//! What a turn costs, on every way to its end.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use tertulia_core::price::Prices;
use tertulia_core::provider::{CallDelta, Delta, ProviderError, ProviderFault, Stop, Usage};
use tertulia_core::record::{InboxId, ToolEffect};
use tertulia_core::session::{self, AskId, OwnTool};
use tertulia_core::transaction::{Transaction, UsageRow};
use tertulia_message::{Reach, ToolOffer};

use crate::play::{Play, surroundings, work};

/// A turn that has been asked, of a model whose tokens cost a thousandth of a dollar each, and with a tool.
fn asked(trigger: i64) -> Play {
    let mut around = surroundings(Reach::Always);
    around.prices = Some(Prices {
        input: 1000.0,
        output: 1000.0,
        ..Prices::default()
    });
    around.tools = vec![OwnTool {
        offer: ToolOffer {
            name: "look".into(),
            description: String::new(),
            parameters: serde_json::Value::Null,
        },
        effect: ToolEffect::Reads,
        speaks: false,
    }];
    let mut play = Play::begun_in(work(&[trigger], None), around);
    play.commit_and_tell(0);
    play
}

fn asking(play: &Play) -> AskId {
    let asked = play.effects.iter().rev().find_map(|effect| match effect {
        session::Effect::Ask(id, ..) => Some(*id),
        _ => None,
    });
    asked.unwrap()
}

fn tell(play: &mut Play, deltas: Vec<Delta>) {
    let ask = asking(play);
    for delta in deltas {
        play.tell(session::Event::Delta(ask, delta), 1);
    }
}

fn fail(play: &mut Play) {
    let error = ProviderError::new(ProviderFault::Unavailable { after: None }, "down");
    play.tell(session::Event::Failed(asking(play), error), 1);
    play.tell(session::Event::Tick, 60);
}

fn text() -> Delta {
    Delta::Text("so".into())
}

fn tokens(tokens_in: u64) -> Delta {
    Delta::Usage(Usage {
        tokens_in: Some(tokens_in),
        ..Usage::default()
    })
}

/// Commits what waits; gives what the turn cost in the end, as round, tokens read and thousandths of a dollar.
fn spent(play: &mut Play) -> Vec<(u32, Option<u64>, Option<u64>)> {
    let told = |row: &UsageRow| {
        let cost = row.usage.cost.map(|cost| cost / 1_000_000);
        (row.round, row.usage.tokens_in, cost)
    };
    for _ in 0..20 {
        if let Transaction::Settle(settle) = play.commit_and_tell(70) {
            return settle.usage.iter().map(told).collect();
        }
    }
    panic!("{:?}", play.effects)
}

#[test]
fn an_answer_costs_what_its_last_counts_say() {
    let mut play = asked(1);
    tell(&mut play, vec![tokens(1), text(), tokens(3), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play), [(0, Some(3), Some(3))]);
}

#[test]
fn a_provider_knows_better_than_the_list_of_prices() {
    let mut play = asked(1);
    let usage = Usage {
        tokens_in: Some(3),
        cost: Some(5_000_000),
        ..Usage::default()
    };
    tell(&mut play, vec![text(), Delta::Usage(usage), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play), [(0, Some(3), Some(5))]);
}

#[test]
fn an_answer_without_counts_has_no_price() {
    let mut play = asked(1);
    tell(&mut play, vec![text(), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play), [(0, None, None)]);
    // nothing at all is kept of a request that brings its history
    let mut play = asked(-1);
    tell(&mut play, vec![text(), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play), []);
    let mut play = asked(-1);
    tell(&mut play, vec![text(), tokens(2), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play), [(0, Some(2), Some(2))]);
}

#[test]
fn what_a_stopped_answer_took_is_kept() {
    let mut play = asked(1);
    tell(&mut play, vec![tokens(4), text()]);
    play.tell(session::Event::Stop(InboxId(2)), 2);
    assert_eq!(spent(&mut play), [(0, Some(4), Some(4))]);
    let mut play = asked(1);
    tell(&mut play, vec![Delta::Alive]);
    play.tell(session::Event::Stop(InboxId(2)), 2);
    assert_eq!(spent(&mut play), [], "it had not begun");
}

#[test]
fn every_try_is_a_row_of_its_own() {
    let mut play = asked(1);
    fail(&mut play);
    tell(&mut play, vec![tokens(1)]);
    fail(&mut play);
    // hollow
    tell(&mut play, vec![tokens(2), Delta::End(Stop::Done)]);
    tell(&mut play, vec![tokens(3), text()]);
    fail(&mut play);
    let expected = [(0, Some(1), Some(1)), (1, Some(2), Some(2)), (2, Some(3), Some(3))];
    assert_eq!(spent(&mut play), expected);
}

fn commit_all(play: &mut Play) {
    let waits = |effect: &session::Effect| matches!(effect, session::Effect::Commit(..));
    while play.effects.iter().any(waits) {
        play.commit_and_tell(1);
    }
}

/// A round of the tool, with its result on disk.
fn round(play: &mut Play, count: u64) {
    let call = CallDelta {
        id: Some("c".into()),
        name: Some("look".into()),
        ..CallDelta::default()
    };
    tell(
        play,
        vec![Delta::Call(call), tokens(count), Delta::End(Stop::ToolCalls)],
    );
    play.commit_and_tell(1);
    let run = play.effects.iter().rev().find_map(|effect| match effect {
        session::Effect::RunTool(round, call) => Some((*round, call.clone())),
        _ => None,
    });
    let (round, call) = run.unwrap();
    let result = tertulia_core::chat::ToolResult {
        call_id: call.id,
        name: call.name,
        status: tertulia_core::chat::ToolStatus::Ok,
        content: "seen".into(),
    };
    play.tell(session::Event::ToolDone(round, result, None), 1);
    commit_all(play);
}

#[test]
fn every_round_is_a_row() {
    let mut play = asked(1);
    round(&mut play, 1);
    round(&mut play, 2);
    tell(&mut play, vec![tokens(3), text(), Delta::End(Stop::Done)]);
    let expected = [(0, Some(1), Some(1)), (1, Some(2), Some(2)), (2, Some(3), Some(3))];
    assert_eq!(spent(&mut play), expected);
}

#[test]
fn a_process_that_is_killed_leaves_the_bill_of_its_rounds_behind() {
    let mut play = asked(1);
    fail(&mut play);
    tell(&mut play, vec![tokens(1)]);
    fail(&mut play);
    let call = CallDelta {
        name: Some("look".into()),
        ..CallDelta::default()
    };
    tell(
        &mut play,
        vec![Delta::Call(call), tokens(2), Delta::End(Stop::ToolCalls)],
    );
    let rows = kept(&play);
    assert_eq!(rows, [(1, 0, Some(1)), (1, 1, Some(2))]);
    commit_all(&mut play);
    let result = tertulia_core::chat::ToolResult {
        call_id: "call_0_0".into(),
        name: "look".into(),
        status: tertulia_core::chat::ToolStatus::Ok,
        content: String::new(),
    };
    play.tell(session::Event::ToolDone(0, result, None), 1);
    commit_all(&mut play);
    round(&mut play, 3);
    assert_eq!(kept(&play), [], "each is told once, and with the end of the turn");
    tell(&mut play, vec![text(), Delta::End(Stop::Done)]);
    assert_eq!(spent(&mut play).len(), 4);
}

/// What goes to the disk before the turn is over: attempt, number and tokens read.
fn kept(play: &Play) -> Vec<(u32, u32, Option<u64>)> {
    let row = |effect: &session::Effect| match effect {
        session::Effect::Commit(Transaction::Spent(row), _) => Some((row.attempt, row.round, row.usage.tokens_in)),
        _ => None,
    };
    play.effects.iter().filter_map(row).collect()
}

#[test]
fn a_process_that_ends_leaves_its_bill_behind() {
    let mut play = asked(1);
    round(&mut play, 1);
    tell(&mut play, vec![tokens(2)]);
    play.tell(session::Event::Save, 2);
    assert_eq!(kept(&play), [(1, 1, Some(2))], "the round before is there already");
}
