//! `/stop` at every moment of a session's life.

#![expect(clippy::panic, reason = "test code")]

mod before;

use tertulia_core::chat::{ChatMessage, ToolResult, ToolStatus};
use tertulia_core::provider::{CallDelta, Delta, ProviderError, ProviderFault, Stop};
use tertulia_core::record::{
    InboxId, RoundRecord, Slot, SlotProgress, ToolEffect, ToolRun, UnfinishedTurn, Wish, Work,
};
use tertulia_core::session::{Effect, Event, OwnTool, Stopped, Surroundings};
use tertulia_core::transaction::{DropReason, Outcome, Settle, Transaction};
use tertulia_message::{Finish, Markup, Post, Reach, Signal, SlotId, SlotKind, ToolOffer};

use crate::play::{Play, account, row, surroundings, unfinished, work};

impl Play {
    fn work(&mut self, work: Option<Box<Work>>) {
        self.work_at(work, Reach::Always);
    }

    fn work_at(&mut self, work: Option<Box<Work>>, reach: Reach) {
        self.effects.retain(|effect| !matches!(effect, Effect::Fetch));
        self.tell(Event::Work(work, with_tools(reach)), 1);
    }

    fn stop(&mut self, by: i64) {
        self.tell(Event::Stop(InboxId(by)), 1);
    }

    fn fetches(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Fetch))
    }

    /// What was said to be done since the last look: by, turn, rows.
    fn stopped(&mut self) -> Vec<(i64, bool, usize)> {
        let mut all = Vec::new();
        self.effects.retain(|effect| match effect {
            Effect::Stopped(Stopped { by, turn, rows }) => {
                all.push((by.0, *turn, *rows));
                false
            }
            _ => true,
        });
        all
    }

    /// The end of the stopped turn: its settlement, and what is told after it once nothing more waits.
    #[track_caller]
    fn settled(&mut self, expected: &[(i64, bool, usize)]) -> Settle {
        assert_eq!(self.stopped(), [], "not before it is on disk");
        let Transaction::Settle(settle) = self.commit_and_tell(1) else {
            panic!("{:?}", self.effects)
        };
        assert_eq!(settle.outcome, Outcome::Stopped);
        assert_eq!(self.stopped(), [], "not before it is known that nothing waits");
        assert!(self.fetches());
        self.work(None);
        assert_eq!(self.stopped(), expected);
        assert!(self.session.is_idle());
        *settle
    }

    /// A turn over row 1 whose provider was asked.
    fn asking() -> Self {
        let mut play = Self::new();
        play.tell(Event::Nudge, 0);
        play.work(Some(work(&[1], None)));
        assert!(matches!(play.commit_and_tell(1), Transaction::Begin(_)));
        play
    }

    fn say(&mut self, text: &str) {
        let ask = self.asked();
        self.tell(Event::Delta(ask, Delta::Text(text.into())), 1);
    }

    /// The model calls these tools.
    fn call(&mut self, tools: &[&str]) {
        let ask = self.asked();
        for (index, name) in (0..).zip(tools) {
            let call = CallDelta {
                index,
                id: Some((*name).to_owned()),
                name: Some((*name).to_owned()),
                arguments: "{}".into(),
            };
            self.tell(Event::Delta(ask, Delta::Call(call)), 1);
        }
        self.tell(Event::Delta(ask, Delta::End(Stop::ToolCalls)), 1);
    }

    fn done(&mut self, tool: &str, status: ToolStatus) {
        let result = ToolResult {
            call_id: tool.into(),
            name: tool.into(),
            status,
            content: "so".into(),
        };
        self.tell(Event::ToolDone(0, result, None), 1);
    }

    fn has(&self, is_it: impl Fn(&Effect) -> bool) -> bool {
        self.effects.iter().any(is_it)
    }
}

/// `look` reads, `pay` has an effect.
fn with_tools(reach: Reach) -> Box<Surroundings> {
    let tool = |name: &str, effect| OwnTool {
        offer: ToolOffer {
            name: name.into(),
            description: String::new(),
            parameters: serde_json::json!({"type": "object"}),
        },
        effect,
        speaks: false,
    };
    Box::new(Surroundings {
        tools: vec![tool("look", ToolEffect::Reads), tool("pay", ToolEffect::ReachesOut)],
        ..*surroundings(reach)
    })
}

fn shown(settle: &Settle) -> Vec<String> {
    settle.slots.iter().map(|slot| slot.wish.post.markup.plain()).collect()
}

fn said(settle: &Settle) -> Vec<ChatMessage> {
    settle.entries.iter().map(|entry| entry.message.clone()).collect()
}

#[test]
fn with_nothing_at_work_it_looks_once_and_is_done() {
    let mut play = Play::new();
    play.stop(5);
    assert!(!play.session.is_idle() && play.fetches());
    play.work(None);
    assert_eq!(play.stopped(), [(5, false, 0)]);
    assert!(play.session.is_idle());
}

#[test]
fn rows_that_wait_are_dropped_and_counted() {
    let mut play = Play::new();
    play.stop(5);
    for rows in [&[1, 2][..], &[4]] {
        play.work(Some(work(rows, None)));
        let Transaction::Drop { rows: dropped, why } = play.commit_and_tell(1) else {
            panic!("{:?}", play.effects)
        };
        assert_eq!(
            (dropped, why),
            (rows.iter().copied().map(InboxId).collect(), DropReason::Stopped)
        );
        assert_eq!(play.stopped(), []);
    }
    play.work(None);
    assert_eq!(play.stopped(), [(5, false, 3)]);
}

#[test]
fn what_was_read_before_the_stop_is_dropped_and_what_was_missed_is_looked_for() {
    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.stop(5);
    play.work(Some(work(&[1], None)));
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { .. }));
    play.work(None);
    assert_eq!(play.stopped(), [(5, false, 1)]);

    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.stop(5);
    play.work(None);
    assert_eq!(play.stopped(), [], "a row may have been accepted since that look");
    assert!(play.fetches() && !play.session.is_idle());
    play.work(None);
    assert_eq!(play.stopped(), [(5, false, 0)]);
}

#[test]
fn a_younger_row_is_answered_and_holds_up_nothing() {
    let mut play = Play::new();
    play.stop(5);
    play.work(Some(work(&[6], None)));
    assert_eq!(play.stopped(), [(5, false, 0)]);
    assert!(matches!(play.commit_and_tell(1), Transaction::Begin(_)));
    play.asked();

    // given while the answer to a younger row is already on its way
    play.stop(4);
    assert_eq!(play.stopped(), [(4, false, 0)]);
    assert!(!play.has(|effect| matches!(effect, Effect::StopAsking(..))));
    play.say("on");
    assert!(matches!(play.commit_and_tell(1), Transaction::OpenSlot { .. }));
}

#[test]
fn joined_rows_on_both_sides_of_the_stop() {
    let mut play = Play::new();
    play.stop(2);
    play.work(Some(work(&[1, 3], None)));
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { rows, .. } if rows == [InboxId(1)]));
    play.work(Some(work(&[3], None)));
    assert_eq!(play.stopped(), [(2, false, 1)]);
    assert!(matches!(play.commit_and_tell(1), Transaction::Begin(begin) if begin.trigger == InboxId(3)));

    // once begun they are one
    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.work(Some(work(&[1, 3], None)));
    play.commit_and_tell(1);
    play.stop(2);
    play.settled(&[(2, true, 0)]);
}

#[test]
fn a_turn_that_just_begins_leaves_nothing() {
    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.work(Some(work(&[1], None)));
    play.stop(5);
    assert!(matches!(play.commit_and_tell(1), Transaction::Begin(_)));
    assert!(!play.has(|effect| matches!(effect, Effect::Ask(..))));
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!((shown(&settle), said(&settle)), (vec![], vec![]));
}

#[test]
fn a_turn_that_has_shown_nothing_leaves_nothing() {
    let mut play = Play::asking();
    play.stop(5);
    assert!(play.has(|effect| matches!(effect, Effect::StopAsking(..))));
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), [""; 0]);
    assert!(play.handed_over().is_empty());
}

#[test]
fn what_was_shown_stays_with_a_mark() {
    let mut play = Play::asking();
    play.say("half an");
    assert!(matches!(play.commit_and_tell(1), Transaction::OpenSlot { .. }));
    play.say(" answer");
    play.stop(5);
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), ["half an answer\n\n(Stopped.)"]);
    assert_eq!(said(&settle), [ChatMessage::assistant("half an answer")]);
    assert!(settle.live && settle.entries[0].cut);
    let late = play.asked();
    play.tell(Event::Delta(late, Delta::Text("late".into())), 2);
    assert!(play.session.is_idle());
}

#[test]
fn between_two_tries_it_ends_at_once() {
    let mut play = Play::asking();
    let ask = play.asked();
    let busy = ProviderError::new(ProviderFault::Unavailable { after: None }, "busy");
    play.tell(Event::Failed(ask, busy), 1);
    play.stop(5);
    play.settled(&[(5, true, 0)]);
}

#[test]
fn tools_that_have_not_begun_do_not_begin() {
    for tool in ["look", "pay"] {
        let mut play = Play::asking();
        play.say("I see.");
        play.commit_and_tell(1);
        play.call(&[tool]);
        play.stop(5);
        assert!(matches!(play.commit_and_tell(1), Transaction::ToolsStarted { .. }));
        assert!(!play.has(|effect| matches!(effect, Effect::RunTool(..))));
        assert!(matches!(play.commit_and_tell(1), Transaction::Spent(_)));
        let settle = play.settled(&[(5, true, 0)]);
        assert_eq!(shown(&settle), ["I see.\n\n(Stopped.)"]);
        assert_eq!(said(&settle), [], "these words are part of the round");
    }
}

/// A turn whose tools run.
fn running(tools: &[&str]) -> Play {
    let mut play = Play::asking();
    play.call(tools);
    while play.has(|effect| matches!(effect, Effect::Commit(..))) {
        play.commit_and_tell(1);
    }
    play
}

#[test]
fn tools_that_read_are_not_waited_for() {
    let mut play = running(&["look"]);
    play.stop(5);
    assert!(play.has(|effect| matches!(effect, Effect::StopTools)));
    let settle = play.settled(&[(5, true, 0)]);
    // their status line was on its way to the people
    assert_eq!(shown(&settle), ["(Stopped.)"]);
}

#[track_caller]
fn check_effect(status: ToolStatus, mark: &str) {
    let mut play = running(&["pay", "look"]);
    play.stop(5);
    play.done("other", ToolStatus::Ok);
    assert!(!play.has(|effect| matches!(effect, Effect::StopTools | Effect::Commit(..))));
    play.done("pay", status);
    assert!(matches!(
        play.commit_and_tell(1),
        Transaction::ToolDone { effectful: true, .. }
    ));
    assert!(
        play.has(|effect| matches!(effect, Effect::StopTools)),
        "the other one only reads"
    );
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), [mark]);
}

#[test]
fn tools_with_effects_are_waited_for_and_told() {
    check_effect(ToolStatus::Ok, "(Stopped. Done before that: pay.)");
    check_effect(ToolStatus::Failed, "(Stopped. May have happened: pay.)");
}

#[test]
fn the_last_tool_of_a_round_ends_the_turn() {
    let mut play = running(&["pay"]);
    play.stop(5);
    play.done("pay", ToolStatus::Ok);
    assert!(matches!(play.commit_and_tell(1), Transaction::ToolDone { .. }));
    let questions = play.effects.iter().filter(|effect| matches!(effect, Effect::Ask(..)));
    assert_eq!(questions.count(), 1);
    play.settled(&[(5, true, 0)]);
}

#[test]
fn an_effect_of_a_round_before_is_told_as_well() {
    let mut play = running(&["pay"]);
    play.done("pay", ToolStatus::Ok);
    play.effects.retain(|effect| !matches!(effect, Effect::Ask(..)));
    assert!(matches!(play.commit_and_tell(1), Transaction::ToolDone { .. }));
    play.asked();
    play.stop(5);
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), ["(Stopped. Done before that: pay.)"]);
}

#[test]
fn a_turn_that_is_being_settled_is_not_stopped_any_more() {
    let mut play = Play::asking();
    play.say("whole");
    play.commit_and_tell(1);
    let ask = play.asked();
    play.tell(Event::Delta(ask, Delta::End(Stop::Done)), 1);
    play.stop(5);
    assert_eq!(play.stopped(), []);
    assert!(matches!(play.commit_and_tell(1), Transaction::Settle(settle) if settle.outcome == Outcome::Answered));
    assert_eq!(play.stopped(), []);
    play.work(None);
    assert_eq!(play.stopped(), [(5, false, 0)]);
}

#[test]
fn two_stops_at_once_are_both_told_and_each_once() {
    let mut play = Play::asking();
    play.stop(5);
    play.stop(9);
    play.stop(5);
    assert!(matches!(play.commit_and_tell(1), Transaction::Settle(_)));
    play.work(Some(work(&[7], None)));
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { rows, .. } if rows == [InboxId(7)]));
    assert_eq!(play.stopped(), []);
    play.work(None);
    assert_eq!(play.stopped(), [(5, true, 0), (9, false, 1)]);
    play.tell(Event::Nudge, 2);
    play.work(None);
    assert_eq!(play.stopped(), []);
}

#[test]
fn a_stop_while_rows_are_being_dropped() {
    let mut play = Play::new();
    play.stop(3);
    play.work(Some(work(&[1], None)));
    play.stop(5);
    assert_eq!(play.stopped(), []);
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { .. }));
    play.work(Some(work(&[4], None)));
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { .. }));
    play.work(None);
    assert_eq!(play.stopped(), [(3, false, 1), (5, false, 1)]);
}

#[test]
fn readers_of_a_door_are_told() {
    let mut play = Play::new();
    play.stop(5);
    play.work_at(Some(work(&[1], None)), Reach::WhileConnected);
    let closed = |effect: &Effect| matches!(effect, Effect::Signal(_, re, Signal::Close(ending)) if re == "x1" && ending.finish == Finish::Stopped);
    assert!(!play.has(closed), "not before it is on disk");
    assert!(matches!(play.commit_and_tell(1), Transaction::Drop { .. }));
    assert!(play.has(closed));

    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.work_at(Some(work(&[1], None)), Reach::WhileConnected);
    play.commit_and_tell(1);
    play.call(&["pay"]);
    play.commit_and_tell(1);
    assert!(matches!(play.commit_and_tell(1), Transaction::Spent(_)));
    play.stop(5);
    play.done("pay", ToolStatus::Failed);
    play.commit_and_tell(1);
    assert!(
        play.has(|effect| matches!(effect, Effect::Signal(_, _, Signal::Emit(message))
        if format!("{message:?}").contains("May have happened: pay.")))
    );
    play.settled(&[(5, true, 0)]);
    assert!(play.has(closed));
}
