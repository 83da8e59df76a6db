//! Answers, piece by piece and as a whole.

use serde_json::{Value, json};
use tertulia_core::provider::{Delta, ProviderFault, Stop, Usage};
use tertulia_message::ToolOffer;

use super::Reader;
use crate::answer::{ReadAnswer, Shape};
use crate::google::owned::Owned;
use crate::names::Names;

fn reader(shape: Shape) -> Reader {
    let dotted = ToolOffer {
        name: "dir.list".into(),
        description: String::new(),
        parameters: Value::Null,
    };
    Reader::new(shape, "m".into(), Names::new(&[dotted]))
}

/// The deltas, and the error if there is one.
fn read(shape: Shape, body: &str, size: usize) -> (Vec<Delta>, Option<(ProviderFault, String)>) {
    let (mut reader, mut deltas) = (reader(shape), Vec::new());
    let mut pieces = body.as_bytes().chunks(size);
    let outcome = pieces
        .try_for_each(|piece| reader.take(piece, &mut deltas).map(|_| ()))
        .and_then(|()| reader.finish(&mut deltas));
    (deltas, outcome.err().map(|error| (error.kind, error.detail)))
}

fn events(pieces: &[Value]) -> String {
    let events = pieces.iter().map(|piece| format!("data: {piece}\r\n\r\n"));
    events.collect::<Vec<_>>().concat()
}

fn said(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
}

fn ended(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}]})
}

/// The same as events, as a list, and in pieces of any size.
#[track_caller]
fn check(pieces: &[Value], expected: &[Delta], error: Option<(ProviderFault, &str)>) {
    let expected = (expected.to_vec(), error.map(|(kind, detail)| (kind, detail.to_owned())));
    let list = Value::from(pieces.to_vec()).to_string();
    for size in [1, 7, 4096] {
        assert_eq!(
            read(Shape::Stream, &events(pieces), size),
            expected,
            "in pieces of {size}"
        );
        assert_eq!(read(Shape::Whole, &list, size), expected, "a list in pieces of {size}");
    }
}

#[test]
fn thoughts_texts_and_calls() {
    let pieces = [
        said(&json!([{"text": "Hm.", "thought": true}])),
        json!({"candidates": [{"content": {}}], "usageMetadata": {"promptTokenCount": 5, "thoughtsTokenCount": 9, "cachedContentTokenCount": 2}}),
        said(&json!([{"text": "é"}, {"text": "!", "thoughtSignature": "s"}, {"executableCode": {"code": "1"}}])),
        said(
            &json!([{"functionCall": {"name": "dir_list", "args": {"a": 1}, "id": "x"}, "thoughtSignature": "t"},
            {"functionCall": {"name": "now"}}]),
        ),
        json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "another"}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7, "thoughtsTokenCount": 9, "cachedContentTokenCount": 2}}),
    ];
    let owned: Owned = serde_json::from_value(json!(
        {"length": 3, "texts": [{"from": 2, "to": 3, "signature": "s"}], "calls": {"0": "t"}}
    ))
    .unwrap();
    let call = |index, id: Option<&str>, name: &str, arguments: &str| {
        Delta::Call(tertulia_core::provider::CallDelta {
            index,
            id: id.map(str::to_owned),
            name: Some(name.to_owned()),
            arguments: arguments.to_owned(),
        })
    };
    let usage = |tokens_out| {
        Delta::Usage(Usage {
            tokens_in: Some(5),
            tokens_out: Some(tokens_out),
            cache_read: Some(2),
            ..Usage::default()
        })
    };
    let expected = [
        Delta::Thinking("Hm.".into()),
        usage(9),
        Delta::Text("é".into()),
        Delta::Text("!".into()),
        call(0, Some("x"), "dir.list", "{\"a\":1}"),
        call(1, None, "now", "{}"),
        usage(16),
        Delta::Data(owned.pack("m").unwrap()),
        Delta::End(Stop::ToolCalls),
    ];
    check(&pieces, &expected, None);
}

#[test]
fn reasons_of_the_end() {
    let text = Delta::Text("a".into());
    for (reason, stop) in [
        ("STOP", Stop::Done),
        ("MAX_TOKENS", Stop::Length),
        ("SAFETY", Stop::Filtered),
        ("RECITATION", Stop::Filtered),
        ("SPII", Stop::Filtered),
        ("IMAGE_SAFETY", Stop::Filtered),
    ] {
        check(
            &[said(&json!([{"text": "a"}])), ended(reason)],
            &[text.clone(), Delta::End(stop)],
            None,
        );
    }
    let blocked = json!({"promptFeedback": {"blockReason": "OTHER"}});
    check(&[blocked], &[Delta::End(Stop::Filtered)], None);
}

#[test]
fn what_is_no_whole_answer_is_an_error() {
    let broken = |detail| Some((ProviderFault::Broken, detail));
    check(
        &[said(&json!([{"text": "Half an"}]))],
        &[Delta::Text("Half an".into())],
        broken("the answer ended without a finishReason"),
    );
    check(&[], &[], broken("the answer ended without a finishReason"));
    check(&[ended("NEWEST")], &[], broken("the answer ended with NEWEST"));
    let malformed =
        json!({"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "f(x)"}]});
    check(
        &[malformed],
        &[],
        broken("the answer ended with MALFORMED_FUNCTION_CALL: f(x)"),
    );
    let down = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    let unavailable = (ProviderFault::Unavailable { after: None }, "overloaded");
    check(
        &[said(&json!([{"text": "Hel"}])), down.clone()],
        &[Delta::Text("Hel".into())],
        Some(unavailable),
    );
    let (deltas, error) = read(Shape::Stream, &events(&[json!([down])]), 7);
    assert_eq!((deltas, error.unwrap().0), (Vec::new(), unavailable.0));
    check(&[json!("text")], &[], broken("a piece of the answer is no object"));
    let (_, error) = read(Shape::Whole, "{\"candidates\": [", 4096);
    assert_eq!(error.unwrap().0, ProviderFault::Broken);
}
