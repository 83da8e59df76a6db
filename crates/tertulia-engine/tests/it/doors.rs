//! Requests at a door: in order, ended by one end mark after the turn is settled.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tertulia_core::provider::Stop;
use tertulia_core::record::ToolEffect;
use tertulia_core::transaction::DropReason;
use tertulia_interface::Verdict;
use tertulia_message::{Finish, Signal, ToolOffer};
use tertulia_testkit::chat_double::Kind;
use tertulia_testkit::fake_store::RowState;

use crate::rig::{Mood, Piece, Rig, TestTool, call, words};

fn finish(rig: &Rig, id: &str) -> Option<Finish> {
    rig.door.ending(id).map(|ending| ending.finish)
}

async fn until_closed(rig: &Rig, id: &str) -> Finish {
    rig.until("a request ends", |rig| rig.door.ending(id).is_some()).await;
    finish(rig, id).unwrap()
}

/// Frame, content, frame, end mark; nothing after it, and settled when it came.
fn check_order(rig: &Rig, id: &str) {
    let signalled = rig.door.signalled(id);
    let words: Vec<String> = signalled
        .iter()
        .filter_map(|signalled| match &signalled.signal {
            Signal::Emit(message) => {
                let event = message.props.get("event").and_then(|event| event.as_str());
                Some(event.unwrap_or(&message.kind).to_owned())
            }
            Signal::Close(_) => Some("close".to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(words.first().unwrap(), "stream_start");
    assert_eq!(words[words.len() - 2..], ["stream_end", "close"]);
    assert_eq!(words.iter().filter(|word| *word == "close").count(), 1);
    let sequence: Vec<u64> = rig
        .door
        .emitted(id)
        .iter()
        .map(|message| message.metadata.as_ref().unwrap().sequence)
        .collect();
    assert!(sequence.is_sorted_by(|a, b| a < b), "{sequence:?}");
    let last = signalled.last().unwrap();
    assert!(matches!(last.signal, Signal::Close(_)), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_after_it_is_settled() {
    let rig = Rig::started(Kind::Findable);
    let answer = vec![
        Piece::Text("one ".into()),
        Piece::Wait(Duration::from_secs(1)),
        Piece::Text("two".into()),
        Piece::Usage(3, 2),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("hello", [answer]);
    assert_eq!(rig.door.stored("r1", "talk", "hello").await, Verdict::Accepted);
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stop);
    check_order(&rig, "r1");
    assert_eq!(rig.door.text("r1"), "one two");
    let signalled = rig.door.signalled("r1");
    assert_eq!(
        signalled.last().unwrap().rows,
        [RowState::Done],
        "settled when the end mark came"
    );
    assert_eq!(signalled[signalled.len() - 2].rows, [RowState::Taken]);
    assert_eq!(rig.door.ending("r1").unwrap().spent.tokens_in, Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_reader_is_told_that_a_filter_cut_the_answer() {
    let rig = Rig::started(Kind::Findable);
    let answer = vec![Piece::Text("Well".into()), Piece::End(Stop::Filtered)];
    rig.provider.on("hello", [answer]);
    rig.door.stored("r1", "talk", "hello").await;
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stop);
    let expected = "Well\n\n(The provider's filter ended the answer here.)";
    assert_eq!(rig.door.text("r1"), expected);
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_conversation_are_answered_in_order() {
    let rig = Rig::started(Kind::Findable);
    let slow = vec![
        Piece::Wait(Duration::from_secs(5)),
        Piece::Text("first".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("one", [slow]);
    rig.door.stored("r1", "talk", "one").await;
    rig.door.stored("r2", "talk", "two").await;
    until_closed(&rig, "r2").await;
    assert_eq!(rig.door.text("r1"), "first");
    assert_eq!(rig.door.text("r2"), "You said two.");
    assert_eq!(
        rig.door.signalled("r2").last().unwrap().rows,
        [RowState::Done, RowState::Done]
    );
    assert_eq!(
        rig.provider.asked()[1].1.messages.len(),
        3,
        "the second knows the first"
    );
    check_order(&rig, "r1");
    check_order(&rig, "r2");
}

#[tokio::test(start_paused = true)]
async fn of_a_request_with_its_own_history_only_usage_is_kept() {
    let rig = Rig::started(Kind::Findable);
    let answer = vec![Piece::Text("yes".into()), Piece::Usage(7, 1), Piece::End(Stop::Done)];
    rig.provider.on("question", [answer]);
    assert_eq!(rig.door.supplied("s1", "question", Vec::new()).await, Verdict::Accepted);
    assert_eq!(until_closed(&rig, "s1").await, Finish::Stop);
    assert_eq!(rig.door.text("s1"), "yes");
    check_order(&rig, "s1");
    assert!(rig.store.row_states().is_empty());
    assert!(rig.store.slots().is_empty());
    assert_eq!(rig.store.usage().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_clients_tools_are_passed_back() {
    let mut rig = Rig::new(Kind::Findable);
    let own = TestTool::quick("look");
    rig.tools = vec![own.clone()];
    rig.start();
    let calls = vec![call(0, "theirs", "{\"a\":1}"), Piece::End(Stop::ToolCalls)];
    rig.provider.on("use it", [calls]);
    let offer = ToolOffer {
        name: "theirs".to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    rig.door.supplied("s1", "use it", vec![offer.clone()]).await;
    assert_eq!(until_closed(&rig, "s1").await, Finish::ToolCalls);
    let emitted = rig.door.emitted("s1");
    let calls: Vec<_> = emitted.iter().filter(|message| message.kind == "tool_call").collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].props["arguments"], "{\"a\":1}");
    assert_eq!(rig.provider.asked()[0].1.tools, [offer], "only the client's own");
    assert_eq!(own.begun(), 0);
}

#[tokio::test(start_paused = true)]
async fn our_tools_run_inside_when_the_client_has_none() {
    let mut rig = Rig::new(Kind::Findable);
    let own = TestTool::quick("look");
    rig.tools = vec![own.clone()];
    rig.start();
    let calls = vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)];
    rig.provider.on("look", [calls, words("seen")]);
    rig.door.supplied("s1", "look", Vec::new()).await;
    assert_eq!(until_closed(&rig, "s1").await, Finish::Stop);
    assert_eq!((own.done(), rig.door.text("s1").as_str()), (1, "seen"));
    assert!(rig.door.emitted("s1").iter().all(|message| message.kind != "tool_call"));
}

#[tokio::test(start_paused = true)]
async fn hanging_up_drops_the_stream_and_settles() {
    let rig = Rig::started(Kind::Findable);
    rig.provider
        .on("long", [vec![Piece::Text("so".into()), Piece::Silence]]);
    rig.door.stored("r1", "talk", "long").await;
    rig.until("it streams", |rig| rig.door.text("r1") == "so").await;
    rig.door.hang_up("r1").await;
    rig.until("the stream is dropped", |rig| rig.provider.open() == 0).await;
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stopped);
    assert_eq!(rig.store.row_states()[0].1, RowState::Done);
    rig.door.stored("r2", "talk", "more").await;
    until_closed(&rig, "r2").await;
    assert_eq!(rig.door.text("r2"), "You said more.");
}

#[tokio::test(start_paused = true)]
async fn hanging_up_while_queued_drops_the_row() {
    let rig = Rig::started(Kind::Findable);
    let slow = vec![
        Piece::Wait(Duration::from_secs(5)),
        Piece::Text("first".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("one", [slow]);
    for (id, text) in [("r1", "one"), ("r2", "two"), ("r3", "three")] {
        rig.door.stored(id, "talk", text).await;
    }
    rig.door.hang_up("r2").await;
    until_closed(&rig, "r3").await;
    assert_eq!(rig.door.text("r3"), "You said three.");
    assert_eq!(rig.door.text("r2"), "");
    assert_eq!(rig.store.row_states()[1].1, RowState::Dropped(DropReason::Stopped));
    assert_eq!(rig.provider.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn hanging_up_on_nothing_is_harmless() {
    let mut rig = Rig::started(Kind::Findable);
    for nth in 0..2000 {
        rig.door.hang_up(&format!("nothing {nth}")).await;
    }
    rig.door.stored("r1", "talk", "hello").await;
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stop);
    rig.door.hang_up("r1").await;
    rig.door.stored("r2", "talk", "again").await;
    assert_eq!(until_closed(&rig, "r2").await, Finish::Stop);
    assert!(rig.is_running());
}

#[tokio::test(start_paused = true)]
async fn hanging_up_before_acceptance_asks_nobody() {
    let rig = Rig::started(Kind::Findable);
    rig.door.hang_up("r1").await;
    rig.door.hang_up("s1").await;
    rig.door.stored("r1", "talk", "hello").await;
    rig.door.supplied("s1", "hello", Vec::new()).await;
    rig.door.stored("r2", "talk", "again").await;
    until_closed(&rig, "r2").await;
    assert_eq!(rig.provider.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_that_nobody_waits_for_is_followed_up() {
    let rig = Rig::started(Kind::Findable);
    rig.moody.slow_accept(Duration::from_secs(1));
    let dropped = tokio::time::timeout(Duration::from_millis(500), rig.door.stored("r1", "talk", "hello")).await;
    assert!(dropped.is_err());
    assert_eq!(rig.store.row_states().len(), 1, "it is on disk");
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stop);
}

#[tokio::test(start_paused = true)]
async fn hanging_up_before_a_tool_runs_keeps_it_from_running() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("act", ToolEffect::ReachesOut, Duration::ZERO));
    rig.tools = vec![tool.clone()];
    rig.start();
    let calls = vec![
        Piece::Wait(Duration::from_secs(1)),
        call(0, "act", "{}"),
        Piece::End(Stop::ToolCalls),
    ];
    rig.provider.on("act", [calls]);
    rig.door.stored("r1", "talk", "act").await;
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    // the round cannot be stored for a while, and meanwhile the reader goes
    rig.moody.feel(Mood::Busy);
    rig.until("the model has called", |rig| rig.provider.open() == 0).await;
    rig.door.hang_up("r1").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.moody.feel(Mood::Well);
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stopped);
    assert_eq!(tool.begun(), 0);
}

#[tokio::test(start_paused = true)]
async fn requests_from_before_a_crash_are_not_asked() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider.on("wait", [vec![Piece::Silence]]);
    rig.door.stored("r1", "talk", "wait").await;
    rig.door.stored("r2", "talk", "two").await;
    rig.until("the first is asked", |rig| rig.provider.open() == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.crash().await;
    rig.door.stored("r3", "talk", "three").await;
    assert_eq!(until_closed(&rig, "r3").await, Finish::Stop);
    assert_eq!(rig.provider.asked().len(), 2, "the first and the third");
    let states: Vec<RowState> = rig.store.row_states().into_iter().map(|(_, state)| state).collect();
    assert_eq!(
        states,
        [RowState::Done, RowState::Dropped(DropReason::Stopped), RowState::Done]
    );
}

#[tokio::test(start_paused = true)]
async fn a_reader_is_told_when_its_answer_cannot_be_stored() {
    let rig = Rig::started(Kind::Findable);
    let slowly = vec![
        Piece::Wait(Duration::from_secs(1)),
        Piece::Text("hi".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("hello", [slowly]);
    rig.door.stored("r1", "talk", "hello").await;
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.moody.feel(Mood::Busy);
    let finish = until_closed(&rig, "r1").await;
    assert!(
        matches!(finish, Finish::Failed { code: "not_stored", .. }),
        "{finish:?}"
    );
    rig.moody.feel(Mood::Well);
    // what was asked is settled all the same, and the conversation goes on
    rig.provider.on("again", [words("here")]);
    rig.door.stored("r2", "talk", "again").await;
    assert_eq!(until_closed(&rig, "r2").await, Finish::Stop);
    assert!(rig.store.row_states().iter().all(|(_, state)| *state == RowState::Done));
}

#[tokio::test(start_paused = true)]
async fn results_of_a_stopped_turn_do_not_reach_the_next() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("look", ToolEffect::Reads, Duration::from_secs(3)));
    rig.tools = vec![tool.clone()];
    rig.start();
    let calls = vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)];
    rig.provider.on("one", [calls.clone(), words("first")]);
    rig.provider.on("two", [calls, words("second")]);
    rig.door.stored("r1", "talk", "one").await;
    rig.until("the tool runs", |_| tool.begun() == 1).await;
    rig.door.hang_up("r1").await;
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stopped);
    rig.door.stored("r2", "talk", "two").await;
    until_closed(&rig, "r2").await;
    assert_eq!(rig.door.text("r2"), "second");
    assert_eq!((tool.begun(), tool.done()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_door_that_hangs_counts_as_gone() {
    let rig = Rig::started(Kind::Findable);
    rig.door.hang();
    rig.door.stored("r1", "talk", "hello").await;
    rig.until("it is settled", |rig| {
        rig.store.row_states().iter().all(|(_, state)| *state == RowState::Done)
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_soft_stop_ends_requests_with_a_word() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider
        .on("long", [vec![Piece::Text("so".into()), Piece::Silence]]);
    rig.door.stored("r1", "talk", "long").await;
    rig.until("it streams", |rig| rig.door.text("r1") == "so").await;
    rig.stop().await.unwrap();
    let Some(Finish::Failed { code, .. }) = finish(&rig, "r1") else {
        panic!("{:?}", rig.door.signalled("r1"))
    };
    assert_eq!(code, "interrupted");
    check_order(&rig, "r1");
    rig.restart();
    rig.door.stored("r2", "talk", "again").await;
    until_closed(&rig, "r2").await;
    assert_eq!(
        rig.provider.asked()[1].1.messages.len(),
        1,
        "what was interrupted is no history"
    );
}

#[tokio::test(start_paused = true)]
async fn commands_work_at_a_door() {
    let rig = Rig::started(Kind::Findable);
    rig.door.stored("r1", "talk", "/path").await;
    assert_eq!(until_closed(&rig, "r1").await, Finish::Stop);
    assert!(rig.door.text("r1").contains("door/talk"), "{}", rig.door.text("r1"));
    check_order(&rig, "r1");
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_refused_and_nothing_is_delivered() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.queue_bound = 2;
    rig.settings.passing_requests = 2;
    rig.start();
    rig.provider.on("wait", [vec![Piece::Silence]]);
    for id in ["r1", "r2"] {
        assert_eq!(rig.door.stored(id, "talk", "wait").await, Verdict::Accepted);
    }
    // commands do not queue
    assert_eq!(rig.door.stored("r3", "talk", "/help").await, Verdict::Accepted);
    assert_eq!(rig.door.stored("r4", "talk", "wait").await, Verdict::Busy);
    for id in ["s1", "s2"] {
        assert_eq!(rig.door.supplied(id, "wait", Vec::new()).await, Verdict::Accepted);
    }
    assert_eq!(rig.door.supplied("s3", "wait", Vec::new()).await, Verdict::Busy);
    rig.door.hang_up("s1").await;
    until_closed(&rig, "s1").await;
    assert_eq!(rig.door.supplied("s4", "hello", Vec::new()).await, Verdict::Accepted);
    until_closed(&rig, "s4").await;
    assert_eq!(rig.door.delivered(), 0);
    assert!(rig.store.slots().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_retry_whose_reader_has_gone_with_the_process_is_not_answered() {
    let mut rig = Rig::started(Kind::Findable);
    rig.door.stored("r1", "visitor", "hi").await;
    rig.until_quiet().await;
    rig.moody.slow_accept(Duration::from_mins(1));
    tokio::select! {
        verdict = rig.door.stored("r2", "visitor", "/retry") => panic!("{verdict:?}"),
        () = rig.until("it is on disk", |rig| rig.store.row_states().len() == 2) => {}
    }
    rig.moody.slow_accept(Duration::ZERO);
    rig.crash().await;
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().len(), 1, "nobody would read it");
    rig.door.stored("r3", "visitor", "/retry").await;
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().len(), 2, "the last answer is still there");
}
