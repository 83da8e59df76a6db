//! How streams are read, whole and broken.

use serde_json::json;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{ModelRequest, ProviderFault};
use tertulia_message::Generation;

use super::*;
use crate::kinds::PROMPT_ONLY;

fn body() -> Body {
    let request = ModelRequest {
        model: "m".into(),
        system: String::new(),
        messages: vec![ChatMessage::user("Hi")],
        tools: Vec::new(),
        generation: Generation::default(),
    };
    Body::new(&request, PROMPT_ONLY)
}

#[track_caller]
fn read(shape: Shape, text: &str) -> (String, Vec<Delta>, Result<(), ProviderError>) {
    let mut reader = Reader::new(shape, body());
    let mut deltas = Vec::new();
    let mut outcome = Ok(Progress::More);
    for piece in text.as_bytes().chunks(3) {
        if outcome == Ok(Progress::More) {
            outcome = reader.take(piece, &mut deltas);
        }
    }
    let outcome = match outcome {
        Ok(Progress::More) => reader.finish(&mut deltas),
        other => other.map(drop),
    };
    let said = deltas.iter().filter_map(|delta| match delta {
        Delta::Text(text) => Some(text.as_str()),
        _ => None,
    });
    (said.collect(), deltas.clone(), outcome)
}

fn events(pieces: &[Value]) -> String {
    let lines: Vec<String> = pieces.iter().map(|piece| format!("data:{piece}\n\n")).collect();
    lines.concat()
}

fn token(text: &str, special: bool, whole: Option<&str>, details: &Value) -> Value {
    json!({"token": {"text": text, "special": special}, "generated_text": whole, "details": details})
}

#[test]
fn tokens_are_shown_and_special_ones_are_not() {
    let details = json!({"finish_reason": "eos_token", "generated_tokens": 3, "input_length": 4});
    let pieces = [
        token(" Hel", false, None, &Value::Null),
        token("lo\n\n", false, None, &Value::Null),
        token("</s>", true, Some(" Hello\n\n"), &details),
    ];
    let (said, deltas, outcome) = read(Shape::Stream, &events(&pieces));
    assert_eq!((said.as_str(), outcome), (" Hello\n\n", Ok(())));
    let usage = Usage {
        tokens_in: Some(4),
        tokens_out: Some(3),
        ..Usage::default()
    };
    assert!(
        deltas.ends_with(&[Delta::Usage(usage), Delta::End(Stop::Done)]),
        "{deltas:?}"
    );
}

#[test]
fn what_stands_behind_a_stop_is_nobodys() {
    let details = json!({"finish_reason": "stop_sequence"});
    let pieces = [
        token("Hi.\n", false, None, &Value::Null),
        token("\nHuman", false, None, &Value::Null),
        token(": you", false, Some("Hi.\n\nHuman: you"), &details),
    ];
    assert_eq!(read(Shape::Stream, &events(&pieces)).0, "Hi.");
}

#[test]
fn whole_answers_are_a_list_or_an_object() {
    let prompt = "Human: Hi\n\nAssistant:";
    for (whole, expected) in [
        (json!([{"generated_text": " Hello"}]), " Hello"),
        (json!({"generated_text": format!("{prompt} Hello")}), " Hello"),
        (
            json!([{"generated_text": "a\n\nHuman: b", "details": {"finish_reason": "length"}}]),
            "a",
        ),
    ] {
        let (said, deltas, outcome) = read(Shape::Whole, &whole.to_string());
        assert_eq!((said.as_str(), outcome), (expected, Ok(())));
        let is_full = deltas.last() == Some(&Delta::End(Stop::Length));
        assert_eq!(is_full, whole.to_string().contains("length"));
    }
}

#[test]
fn what_is_not_whole_is_an_error() {
    let begun = token("Hi\n\n", false, None, &Value::Null);
    let fault = |shape, text: &str| {
        let (said, _, outcome) = read(shape, text);
        (said, outcome.unwrap_err().kind)
    };
    let with = |error: &str, kind: &str| events(&[begun.clone(), json!({"error": error, "error_type": kind})]);
    assert_eq!(
        fault(Shape::Stream, &events(std::slice::from_ref(&begun))),
        ("Hi\n\n".into(), ProviderFault::Broken)
    );
    let unavailable = ProviderFault::Unavailable { after: None };
    for (error, kind, expected) in [
        ("x", "incomplete_generation", ProviderFault::Broken),
        ("x", "generation", ProviderFault::Broken),
        ("Model is overloaded", "overloaded", unavailable),
        (
            "`temperature` must be strictly positive",
            "validation",
            ProviderFault::Rejected,
        ),
        ("input is too long", "validation", ProviderFault::ContextTooLong),
    ] {
        assert_eq!(fault(Shape::Stream, &with(error, kind)).1, expected, "{kind}");
    }
    for whole in ["[]", "{}", "7", "{", r#"{"error": "x"}"#] {
        assert_eq!(fault(Shape::Whole, whole).1, ProviderFault::Broken, "{whole}");
    }
}
