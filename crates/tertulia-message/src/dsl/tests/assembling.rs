//! What a stream of messages amounts to.

use serde_json::{Value, json};

use crate::dsl::{Assembler, Message};

fn message(json: &Value) -> Message {
    serde_json::from_value(json.clone()).unwrap()
}

/// The messages pushed in order: the props and type that stand at the end, and how many failed.
#[track_caller]
fn check_stream(messages: &[Value], expected: &Value, failed: usize, ignored: u64) {
    let mut assembler = Assembler::new();
    let failures = messages
        .iter()
        .filter(|json| assembler.push(&message(json)).is_err())
        .count();
    let all: Vec<_> = assembler
        .messages()
        .iter()
        .map(|m| json!({"type": m.kind, "props": m.props}))
        .collect();
    assert_eq!(
        (Value::from(all), failures, assembler.ignored()),
        (expected.clone(), failed, ignored)
    );
}

#[test]
fn a_message_without_delta_replaces() {
    let first = json!({"id": "m", "type": "a", "props": {"x": 1, "y": 2}});
    let second = json!({"id": "m", "type": "b", "delta_action": "append", "delta_path": "x", "props": {"x": 3}});
    check_stream(&[first, second], &json!([{"type": "b", "props": {"x": 3}}]), 0, 0);
}

#[test]
fn later_deltas_build_on_a_changed_type() {
    let start = json!({"id": "m", "type": "text", "delta": true, "props": {"content": "a"}});
    let change = json!({"id": "m", "type": "thinking", "delta": true, "type_change": true, "props": {"content": "b"}});
    let more = json!({"id": "m", "type": "thinking", "delta": true, "props": {"content": "c"}});
    let merged = json!([{"type": "thinking", "props": {"content": "bc"}}]);
    check_stream(&[start.clone(), change.clone(), more.clone()], &merged, 0, 0);
    check_stream(&[start.clone(), change, more, start], &merged, 1, 0);
}

#[test]
fn a_delta_of_another_type_is_refused_and_one_without_type_fits() {
    let start = json!({"id": "m", "type": "text", "props": {"content": "a"}});
    let other = json!({"id": "m", "type": "thinking", "delta": true, "props": {"content": "b"}});
    let untyped = json!({"id": "m", "delta": true, "props": {"content": "c"}});
    check_stream(
        &[start, other, untyped],
        &json!([{"type": "text", "props": {"content": "ac"}}]),
        1,
        0,
    );
}

#[test]
fn deltas_after_done_are_ignored_and_counted() {
    let done = json!({"id": "m", "type": "text", "delta": true, "done": true, "props": {"content": "a"}});
    let late = json!({"id": "m", "type": "text", "delta": true, "props": {"content": "b"}});
    let wrong = json!({"id": "m", "type": "x", "delta": true, "delta_action": "bogus"});
    let whole = json!({"id": "m", "type": "text", "props": {"content": "c"}});
    let ignored = [done.clone(), late.clone(), wrong];
    check_stream(&ignored, &json!([{"type": "text", "props": {"content": "a"}}]), 0, 2);
    check_stream(
        &[done, whole, late],
        &json!([{"type": "text", "props": {"content": "c"}}]),
        0,
        1,
    );
}

#[test]
fn a_refused_first_delta_begins_nothing_and_the_stream_goes_on() {
    let bad = json!({"id": "m", "type": "x", "delta": true, "delta_path": "a", "props": {}});
    let good = json!({"id": "m", "type": "y", "delta": true, "props": {"a": 1}});
    check_stream(std::slice::from_ref(&bad), &json!([]), 1, 0);
    check_stream(&[bad, good], &json!([{"type": "y", "props": {"a": 1}}]), 1, 0);
}

#[test]
fn messages_without_id_stand_alone_and_order_is_that_of_appearance() {
    let alone = json!({"type": "text", "delta": true, "props": {"content": "a"}});
    let b = json!({"id": "b", "type": "text", "delta": true, "props": {"content": "b"}});
    let a = json!({"id": "a", "type": "text", "delta": true, "props": {"content": "c"}});
    let text = |content: &str| json!({"type": "text", "props": {"content": content}});
    let merged = json!([text("a"), text("bb"), text("a"), text("c")]);
    check_stream(&[alone.clone(), b.clone(), alone, a, b], &merged, 0, 0);
}

#[test]
fn a_merged_message_is_whole_and_keeps_what_came_with_it() {
    let mut assembler = Assembler::new();
    let start = json!({"id": "m", "type": "x", "delta": true, "delta_path": "a", "delta_action": "set", "props": {"a": 1},
        "group_id": "g", "group_start": true, "metadata": {"sequence": 1}});
    let end =
        json!({"id": "m", "type": "x", "delta": true, "done": true, "group_end": true, "metadata": {"sequence": 2}});
    let plain = json!({"id": "m", "type": "x", "delta": true});
    for json in [start, end] {
        assembler.push(&message(&json)).unwrap();
    }
    let whole = json!({"id": "m", "type": "x", "props": {"a": 1}, "done": true, "group_id": "g", "group_start": true,
        "group_end": true, "metadata": {"sequence": 2}});
    assert_eq!(*assembler.push(&message(&plain)).unwrap(), message(&whole));
    assert_eq!(assembler.get("m"), assembler.messages().first());
    assert_eq!((assembler.get(""), assembler.get("other")), (None, None));
}
