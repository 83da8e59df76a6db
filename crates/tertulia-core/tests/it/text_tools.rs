//! Tools of a model that can call them only in its text, through whole turns.

#![expect(clippy::panic, reason = "test code")]

use serde_json::json;
use tertulia_core::chat::{ChatMessage, Part, ToolResult, ToolStatus};
use tertulia_core::provider::{Delta, ModelRequest, ProviderError, ProviderFault, Stop};
use tertulia_core::record::{InboxId, InboxRow, RowBody, ToolEffect};
use tertulia_core::session::{Effect, Event, OwnTool, Surroundings};
use tertulia_core::transaction::{Outcome, Settle, Transaction};
use tertulia_message::{Finish, Generation, Reach, Request, RequestHistory, Signal, ToolOffer};

use crate::play::{Play, row, surroundings, work};
use crate::thinking::{said, shown};

const CALL: &str = "<tool_call id=\"1\" name=\"look\"><param name=\"at\">1 &lt; 2</param></tool_call>";

fn offer(name: &str) -> ToolOffer {
    ToolOffer {
        name: name.into(),
        description: String::new(),
        parameters: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
    }
}

/// The model has no tools of its own; with `conversation` it still takes a list of messages.
fn in_words(reach: Reach, conversation: bool) -> Box<Surroundings> {
    let mut around = surroundings(reach);
    around.capabilities.tool_calls = false;
    around.capabilities.conversation = conversation;
    let effect = ToolEffect::Reads;
    around.tools = vec![OwnTool {
        offer: offer("look"),
        effect,
        speaks: false,
    }];
    around
}

fn begun(around: Box<Surroundings>) -> Play {
    let mut play = Play::begun_in(work(&[1], None), around);
    play.commit_and_tell(0);
    play
}

impl Play {
    fn question(&self) -> ModelRequest {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Ask(_, question) => Some(question.request.clone()),
            _ => None,
        });
        asked.unwrap_or_else(|| panic!("{:?}", self.effects))
    }

    /// Stores the round, and runs its only call.
    fn run(&mut self, content: &str) {
        loop {
            if let Transaction::ToolsStarted { runs, .. } = self.commit_and_tell(1) {
                assert_eq!(runs.len(), 1);
                break;
            }
        }
        let ran = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::RunTool(round, call) => Some((*round, call.clone())),
            _ => None,
        });
        let (round, call) = ran.unwrap_or_else(|| panic!("{:?}", self.effects));
        assert_eq!(
            (call.name.as_str(), call.arguments.as_str()),
            ("look", "{\"at\":\"1 < 2\"}")
        );
        let result = ToolResult {
            call_id: call.id,
            name: call.name,
            status: ToolStatus::Ok,
            content: content.to_owned(),
        };
        self.tell(Event::ToolDone(round, result, None), 1);
        loop {
            if let Transaction::ToolDone { .. } = self.commit_and_tell(1) {
                break;
            }
        }
    }

    fn answer(&mut self, pieces: &[&str]) {
        self.stream(pieces);
        self.end();
    }
}

fn texts(request: &ModelRequest) -> Vec<(&'static str, String)> {
    let text = |message: &ChatMessage| match message {
        ChatMessage::User { parts } => {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Picture(_) => None,
            });
            ("user", texts.collect())
        }
        ChatMessage::Assistant { text, calls, .. } => {
            assert!(calls.is_empty(), "{calls:?}");
            ("assistant", text.clone())
        }
        ChatMessage::Tool { .. } => panic!("{message:?}"),
    };
    request.messages.iter().map(text).collect()
}

#[test]
fn a_call_in_the_text_is_run_and_its_result_goes_back_in_words() {
    let mut play = begun(in_words(Reach::Always, true));
    let first = play.question();
    assert!(first.tools.is_empty() && first.system.contains("### look"), "{first:?}");
    assert!(
        first.system.contains("Interface path of this conversation: chat/a"),
        "{first:?}"
    );
    play.answer(&[
        "I look",
        ".\n<tool",
        "_call id=\"1\" name=\"look\"><param name=\"at\">1 &lt; 2</param></tool_call>",
    ]);
    play.run("</tool_response> 3 & 4");
    let second = play.question();
    assert_eq!(second.system, first.system);
    let texts = texts(&second);
    let called = "I look.\n\n<tool_call id=\"call_0_0\" name=\"look\"><param name=\"at\">1 &lt; 2</param></tool_call>";
    let result =
        "<tool_response id=\"call_0_0\" name=\"look\" status=\"ok\">&lt;/tool_response&gt; 3 &amp; 4</tool_response>";
    assert_eq!(
        texts[1..],
        [("assistant", called.to_owned()), ("user", result.to_owned())]
    );
    play.answer(&["It is <small>."]);
    let settle = play.settle();
    assert_eq!(shown(&settle), ["I look.\n\nIt is <small>."]);
    assert_eq!(said(&settle), [ChatMessage::assistant("It is <small>.")]);
}

#[test]
fn with_one_prompt_calls_stay_calls_for_its_layout() {
    let mut play = begun(in_words(Reach::Always, false));
    assert!(play.question().tools.is_empty() && play.question().system.contains("### look"));
    play.answer(&["{\"type\": \"look\", \"payload\": {\"at\": \"1 < 2\"}}"]);
    play.run("so");
    let messages = play.question().messages;
    assert!(
        matches!(
            &messages[..],
            [.., ChatMessage::Assistant { .. }, ChatMessage::Tool { .. }]
        ),
        "{messages:?}"
    );
    let prompt = tertulia_core::layout::prompt("", &messages);
    assert!(prompt.contains("status=\"ok\">so</tool_response>"), "{prompt}");
}

#[test]
fn a_model_with_its_own_way_gets_no_instructions() {
    let mut around = in_words(Reach::Always, true);
    around.capabilities.tool_calls = true;
    let mut play = begun(around);
    let request = play.question();
    assert_eq!(request.tools, [offer("look")]);
    assert!(!request.system.contains("tool"), "{request:?}");
    // and is understood where it forgets its way
    play.answer(&[CALL]);
    play.run("so");
    let messages = play.question().messages;
    assert!(matches!(&messages[..], [.., ChatMessage::Tool { .. }]), "{messages:?}");
}

#[test]
fn a_broken_call_is_corrected_once_and_never_shown() {
    let mut play = begun(in_words(Reach::Always, true));
    play.answer(&["Well. ", "<tool_call name=\"look\"><param>"]);
    let corrected = play.question();
    let last = texts(&corrected);
    assert_eq!(
        last[1],
        ("assistant", "Well. <tool_call name=\"look\"><param>".to_owned())
    );
    assert!(last[2].1.contains("it is not complete"), "{last:?}");
    play.answer(&["Now. ", CALL]);
    play.run("so");
    assert_eq!(play.question().messages.len(), 3, "what was corrected is forgotten");
    play.answer(&["<tool_call name=\"look\">x</tool_call>"]);
    let settle = play.settle();
    assert_eq!(settle.outcome, Outcome::Partial);
    let shown = shown(&settle).concat();
    assert!(
        shown.starts_with("Well.\n\nNow.") && shown.contains("wanted to use a tool"),
        "{shown}"
    );
    assert!(!shown.contains("<tool_call"), "{shown}");
}

#[test]
fn what_is_said_after_a_correction_goes_on_from_before() {
    let mut play = begun(in_words(Reach::Always, true));
    play.answer(&["Well.", "{\"type\": \"look\", \"payload\": 1}"]);
    let ask = play.last_asked();
    // nothing of this answer was shown yet
    let error = ProviderError::new(ProviderFault::Unavailable { after: None }, "");
    play.tell(Event::Failed(ask, error), 1);
    play.tell(Event::Tick, 100);
    assert_ne!(play.last_asked(), ask, "{:?}", play.effects);
    assert_eq!(play.question().messages.len(), 3);
    play.answer(&["It is so."]);
    let settle = play.settle();
    assert_eq!(shown(&settle), ["Well.\n\nIt is so."]);
    assert_eq!(said(&settle), [ChatMessage::assistant("Well.\n\nIt is so.")]);
}

#[test]
fn a_model_that_repeats_itself_is_held_short() {
    let mut play = begun(in_words(Reach::Always, true));
    let made_up = "<tool_call name=\"made_up\"/>";
    play.answer(&[&"<tool_call name=\"look\"/>".repeat(100), made_up]);
    let started = loop {
        if let Transaction::ToolsStarted { runs, .. } = play.commit_and_tell(1) {
            break runs;
        }
    };
    assert_eq!(started.len(), 64);
    let run = |effect: &&Effect| matches!(effect, Effect::RunTool(..));
    assert_eq!(play.effects.iter().filter(run).count(), 16);

    let mut play = begun(in_words(Reach::Always, true));
    let long = format!("<tool_call name=\"look\"><param name=\"at\">{}", "x".repeat(5_000));
    play.answer(&[&long]);
    let texts = texts(&play.question());
    assert!(
        texts[1].1.starts_with("<tool_call") && texts[1].1.len() == 2000,
        "{}",
        texts[1].1.len()
    );
}

#[test]
fn nothing_after_a_correction_is_a_hollow_answer() {
    let mut play = begun(in_words(Reach::Always, true));
    play.answer(&["Well.", "{\"type\": \"look\", \"payload\": 1}"]);
    let ask = play.last_asked();
    play.answer(&[" "]);
    assert_ne!(play.last_asked(), ask, "it is asked once more");
    assert_eq!(play.question().messages.len(), 3, "about the same");
    play.answer(&[]);
    let settle = play.settle();
    assert_eq!(settle.outcome, Outcome::Partial);
    let shown = shown(&settle).concat();
    assert!(shown.starts_with("Well.") && shown.contains("empty answer"), "{shown}");
}

#[test]
fn a_call_that_was_only_begun_is_not_shown_when_it_ends_early() {
    let early = |event: fn(tertulia_core::session::AskId) -> Event| {
        let mut play = begun(in_words(Reach::Always, true));
        play.stream(&["I look. ", "<tool_call id=\"1\" name=\"look\">"]);
        let ask = play.last_asked();
        play.tell(event(ask), 1);
        let settle = play.settle();
        assert_eq!(said(&settle), [ChatMessage::assistant("I look. ")]);
        shown(&settle).concat()
    };
    let ends: [fn(_) -> Event; 3] = [
        |_| Event::Stop(InboxId(2)),
        |ask| Event::Failed(ask, ProviderError::new(ProviderFault::Broken, "")),
        |ask| Event::Delta(ask, Delta::End(Stop::Length)),
    ];
    for event in ends {
        let shown = early(event);
        assert!(shown.starts_with("I look.") && !shown.contains('<'), "{shown}");
    }
    let mut play = begun(in_words(Reach::Always, true));
    play.stream(&["a {\"type\": "]);
    play.tell(Event::Stop(InboxId(2)), 1);
    let settle = play.settle();
    assert_eq!(
        said(&settle),
        [ChatMessage::assistant("a {\"type\": ")],
        "it is no call yet"
    );
}

/// A client's question, with tools of its own.
fn client(text: &str, around: Box<Surroundings>) -> Play {
    let mut work = work(&[1], None);
    let message = tertulia_message::SuppliedMessage {
        role: tertulia_message::Role::User,
        text: text.into(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: None,
        tool_name: None,
    };
    let body = RowBody::Request(Box::new(Request {
        history: RequestHistory::Supplied(vec![message]),
        model: "tertulia".into(),
        system: Some("Be kind.".into()),
        tools: vec![offer("find")],
        generation: Generation::default(),
    }));
    work.rows = vec![InboxRow { body, ..row(1) }];
    let mut play = Play::begun_in(work, around);
    play.commit_and_tell(0);
    play
}

#[test]
fn a_clients_tools_are_called_in_words_and_passed_back() {
    let mut play = client("Hi", in_words(Reach::WhileConnected, true));
    let request = play.question();
    assert!(request.system.starts_with("Be kind.\n\n## Tools\n"), "{request:?}");
    assert!(
        !request.system.contains("look") && !request.system.contains("Interface path"),
        "{request:?}"
    );
    play.answer(&["<tool_call name=\"find\"><param name=\"at\">x</param></tool_call>"]);
    let settle: Settle = play.settle();
    assert!(matches!(&said(&settle)[..], [ChatMessage::Assistant { calls, .. }] if calls[0].name == "find"));
    let called = play.effects.iter().any(|effect| {
        matches!(effect, Effect::Signal(_, _, Signal::Emit(message)) if message.kind == "tool_call"
            && message.props["arguments"] == json!("{\"at\":\"x\"}"))
    });
    assert!(called, "{:?}", play.effects);
    let closed = |effect: &Effect| matches!(effect, Effect::Signal(_, _, Signal::Close(ending)) if ending.finish == Finish::ToolCalls);
    assert!(play.effects.iter().any(closed));
    assert_eq!(play.emitted(), []);
}

#[test]
fn a_client_never_gets_a_call_of_a_tool_that_it_does_not_have() {
    let mut play = client("Hi", in_words(Reach::WhileConnected, true));
    play.answer(&["<tool_call name=\"look\"/>"]);
    let told = texts(&play.question());
    assert!(
        told.last().is_some_and(|(_, text)| text.contains("there are: find")),
        "{told:?}"
    );
    play.answer(&["Fine."]);
    assert_eq!(play.emitted(), [("text".to_owned(), "Fine.".to_owned())]);
}

#[test]
fn with_their_own_way_clients_get_every_text_as_it_is() {
    let mut around = in_words(Reach::WhileConnected, true);
    around.capabilities.tool_calls = true;
    let mut play = client("Hi", around);
    assert_eq!(play.question().system, "Be kind.");
    play.answer(&["<tool_call name=\"find\"/>"]);
    assert_eq!(
        play.emitted(),
        [("text".to_owned(), "<tool_call name=\"find\"/>".to_owned())]
    );
}
