//! A turn of a process before, which is stopped before it has run again.

use super::*;

/// What a process before has left, and what stands of it on the platform.
fn left(unfinished: UnfinishedTurn, texts: &[&str]) -> Box<Work> {
    let slot = |(part, text): (u32, &&str)| Slot {
        id: SlotId {
            trigger: 1,
            kind: SlotKind::Answer,
            part: part * 1000,
        },
        account: account(),
        conversation: row(1).conversation,
        path: row(1).path,
        re: "x1".into(),
        token: None,
        wish: Wish {
            shown: true,
            rev: 1,
            post: Post::of(Markup::text(*text)),
            source: None,
        },
        progress: SlotProgress {
            ext_id: Some("m".into()),
            got_rev: 1,
            ..SlotProgress::default()
        },
        expires_at: i64::MAX,
        open: true,
    };
    Box::new(Work {
        slots: (0..).zip(texts).map(slot).collect(),
        ..*work(&[1], Some(unfinished))
    })
}

/// What is shown and remembered of a turn of a process before that was stopped in the meantime.
#[track_caller]
fn check_left(left: Box<Work>, shown_then: &[&str], said_then: &[&str]) {
    let mut play = Play::new();
    play.stop(5);
    play.work(Some(left));
    assert!(!play.has(|effect| matches!(effect, Effect::Ask(..))));
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), shown_then);
    let messages: Vec<_> = said_then.iter().map(|text| ChatMessage::assistant(*text)).collect();
    assert_eq!(said(&settle), messages);
    assert_eq!(settle.attempt, 1);
}

#[test]
fn a_turn_of_a_process_before_is_not_run_again() {
    check_left(left(unfinished("", 1), &[]), &[], &[]);
    check_left(
        left(unfinished("half", 1), &["half"]),
        &["half\n\n(Stopped.)"],
        &["half"],
    );
    check_left(left(unfinished("", 1), &["half"]), &["(Stopped.)"], &[]);
    // more is shown than was saved: it stays, and the mark stands behind it
    check_left(
        left(unfinished("one", 1), &["one", "two"]),
        &["one", "two", "(Stopped.)"],
        &["one"],
    );
}

#[test]
fn a_turn_of_a_process_before_that_had_effects_tells_them() {
    let mut turn = unfinished("", 1);
    let result = |status| ToolResult {
        call_id: "pay".into(),
        name: "pay".into(),
        status,
        content: "so".into(),
    };
    let run = |result| ToolRun {
        call_id: "pay".into(),
        name: "pay".into(),
        arguments: "{}".into(),
        effect: ToolEffect::ReachesOut,
        result,
    };
    turn.rounds.push(RoundRecord {
        assistant: ChatMessage::assistant("I pay."),
        runs: vec![run(Some(result(ToolStatus::Ok)))],
    });
    let mark = "I pay.\n\n(Stopped. Done before that: pay.)";
    check_left(left(turn.clone(), &["I pay."]), &[mark], &[]);

    // nobody knows what became of it: that is told, stopped or not
    turn.rounds[0].runs = vec![run(None)];
    let mut play = Play::new();
    play.stop(5);
    play.work(Some(left(turn, &[])));
    let Transaction::Settle(settle) = play.commit_and_tell(1) else {
        panic!("{:?}", play.effects)
    };
    assert_eq!(settle.outcome, Outcome::Interrupted);
    assert!(shown(&settle)[0].contains("pay"));
    play.work(None);
    assert_eq!(play.stopped(), [(5, true, 0)]);
}

#[test]
fn a_turn_that_runs_again_keeps_what_was_shown_before_when_it_is_stopped() {
    let mut play = Play::new();
    play.tell(Event::Nudge, 0);
    play.work(Some(left(unfinished("a long beginning", 1), &["a long beginning"])));
    assert!(matches!(play.commit_and_tell(1), Transaction::Again { .. }));
    play.say("a");
    play.stop(5);
    let settle = play.settled(&[(5, true, 0)]);
    assert_eq!(shown(&settle), ["a long beginning\n\n(Stopped.)"]);
    assert_eq!(
        (said(&settle), settle.attempt),
        (vec![ChatMessage::assistant("a long beginning")], 2)
    );
}

#[test]
fn a_request_of_a_process_before_is_closed() {
    let mut play = Play::new();
    play.stop(5);
    play.work_at(Some(work(&[1], Some(unfinished("", 1)))), Reach::WhileConnected);
    assert!(matches!(play.commit_and_tell(1), Transaction::Settle(settle) if settle.outcome == Outcome::Interrupted));
    assert!(play.has(|effect| matches!(effect, Effect::Signal(_, _, Signal::Close(_)))));
    play.work(None);
    assert_eq!(play.stopped(), [(5, true, 0)]);
}
