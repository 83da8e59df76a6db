//! The demo's rules.

use serde_json::Value;
use tertulia_core::chat::{ToolCall, ToolResult, ToolStatus};
use tertulia_message::{Generation, ToolOffer};

use super::*;

fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: Demo::MODEL.into(),
        system: "two words".into(),
        messages,
        tools: vec![ToolOffer {
            name: "now".into(),
            description: String::new(),
            parameters: Value::Null,
        }],
        generation: Generation::default(),
    }
}

fn answer(request: &ModelRequest) -> String {
    let text = |delta: Delta| match delta {
        Delta::Text(text) => text,
        _ => String::new(),
    };
    deltas(request).into_iter().map(text).collect()
}

#[track_caller]
fn says(text: &str, needle: &str) {
    let answer = answer(&request(vec![ChatMessage::user(text)]));
    assert!(answer.contains(needle), "{answer}");
}

#[track_caller]
fn calls(text: &str, name: &str, arguments: &str) {
    let reply = rules::reply(&request(vec![ChatMessage::user(text)]));
    assert_eq!(reply, Reply::Call(name.into(), arguments.into()));
}

#[test]
fn it_says_what_it_is_and_how_to_get_more() {
    for text in ["Hello!", "help", "Explain monads", ""] {
        says(text, "no language model is configured");
        says(text, "OPENAI_API_KEY");
        says(text, "[providers.x]");
    }
    says("Explain monads", "You said: Explain monads");
    says("well,\nhi", "Hello!");
    says(r#""Ana \"A\" B.": hi"#, "Hello!");
    says(r#""Ana": tell me"#, "You said: tell me");
    says(r#""quoted" text"#, r#"You said: "quoted" text"#);
    says("help", "Tools: now.");
}

#[test]
fn it_remembers_what_was_said() {
    let before = [ChatMessage::user("The fox is red"), ChatMessage::assistant("I see")];
    let asked = request([before.as_slice(), &[ChatMessage::user("what did I say?")]].concat());
    assert_eq!(answer(&asked), "Before that you said: The fox is red");
    says("What did I say", "Nothing before that");
}

#[test]
fn it_calls_tools_and_words_their_results() {
    calls("What time is it?", "now", "{}");
    calls("time", "now", "{}");
    calls("call now", "now", "{}");
    calls("call now {\"zone\": \"UTC\"}", "now", "{\"zone\": \"UTC\"}");
    says("call now {nonsense", "must be a JSON object");
    says("call then {}", "There is no tool `then` here");
    says("call me later", "You said: call me later");
    let mut without = request(vec![ChatMessage::user("time")]);
    without.tools.clear();
    assert!(answer(&without).contains("no clock"));
    let call = ToolCall {
        id: "demo_1".into(),
        name: "now".into(),
        arguments: "{}".into(),
    };
    let result = |status| ToolResult {
        call_id: "demo_1".into(),
        name: "now".into(),
        status,
        content: "noon".into(),
    };
    let asked = |status| {
        request(vec![
            ChatMessage::user("time"),
            ChatMessage::Assistant {
                text: String::new(),
                calls: vec![call.clone()],
                data: None,
            },
            ChatMessage::Tool {
                results: vec![result(status)],
            },
        ])
    };
    assert_eq!(answer(&asked(ToolStatus::Ok)), "The tool `now` says: noon");
    assert_eq!(answer(&asked(ToolStatus::Failed)), "The tool `now` failed: noon");
}

#[test]
fn it_calculates_and_sends_where_it_may() {
    let offered = |text: &str, names: &[&str]| {
        let mut asked = request(vec![ChatMessage::user(text)]);
        let [now] = asked.tools.as_slice() else { panic!() };
        let tool = |name: &&str| ToolOffer {
            name: (*name).to_owned(),
            ..now.clone()
        };
        asked.tools = names.iter().map(tool).collect();
        rules::reply(&asked)
    };
    let all = ["now", "calculate", "message_telegram_bot"];
    for (text, name, arguments) in [
        ("What is 2+3*4?", "calculate", r#"{"expression":"2+3*4"}"#),
        ("1/3 + 1/6", "calculate", r#"{"expression":"1/3 + 1/6"}"#),
        ("calculate sqrt(2)", "calculate", r#"{"expression":"sqrt(2)"}"#),
        (
            "send a message",
            "message_telegram_bot",
            r#"{"text":"This is a message that you asked for."}"#,
        ),
        (
            "Send a message: *Lunch*!",
            "message_telegram_bot",
            r#"{"text":"*Lunch*!"}"#,
        ),
    ] {
        assert_eq!(
            offered(text, &all),
            Reply::Call(name.into(), arguments.into()),
            "{text}"
        );
        assert!(matches!(offered(text, &["now"]), Reply::Say(_)), "{text}");
    }
    for text in [
        "what is love",
        "2",
        "meet me at 5 - or later",
        "send a messenger",
        "1 - 2 weeks",
        "a1-2",
        "ü",
    ] {
        let reply = offered(text, &all);
        let is_call = matches!(&reply, Reply::Call(name, _) if name == "calculate");
        assert!(!is_call, "{text}: {reply:?}");
    }
}

#[test]
fn words_are_its_tokens() {
    let mut asked = request(vec![ChatMessage::user("a b c")]);
    let all = deltas(&asked);
    let Some([Delta::Usage(usage), Delta::End(Stop::Done)]) = all.last_chunk::<2>() else {
        panic!("{all:?}")
    };
    assert_eq!(usage.tokens_in, Some(5));
    assert_eq!(usage.tokens_out, Some(answer(&asked).split_whitespace().count() as u64));
    asked.generation.max_tokens = Some(2);
    assert_eq!(answer(&asked), "I am ");
    assert_eq!(deltas(&asked).last(), Some(&Delta::End(Stop::Length)));
}

#[test]
fn cutting_into_words_loses_nothing() {
    for text in ["", " leading", "a  b\n\nc ", "ä 😀"] {
        let (pieces, _) = words(text, None);
        let joined: String = pieces
            .into_iter()
            .map(|piece| match piece {
                Delta::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(joined, text);
    }
}
