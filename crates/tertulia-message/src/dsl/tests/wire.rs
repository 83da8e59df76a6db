//! How messages are written and read.

use serde_json::{Value, json};

use crate::dsl::{Group, Kind, Message, Metadata};

fn read(json: &Value) -> Message {
    serde_json::from_value(json.clone()).unwrap()
}

fn written(message: &Message) -> Value {
    serde_json::to_value(message).unwrap()
}

#[track_caller]
fn check_read(input: &Value, rewritten: &Value) {
    assert_eq!(written(&read(input)), *rewritten);
}

#[test]
fn empty_fields_are_left_out_except_the_type() {
    check_read(&json!({}), &json!({"type": ""}));
    let empty = json!({
        "type": "text", "props": {}, "id": "", "delta": false, "done": false, "delta_path": "", "delta_action": "",
        "type_change": false, "group_id": "", "group_start": false, "group_end": false,
    });
    check_read(&empty, &json!({"type": "text"}));
    let nulls = json!({"type": null, "props": null, "id": null, "done": null, "delta_action": null, "metadata": null});
    check_read(&nulls, &json!({"type": ""}));
}

#[test]
fn full_fields_are_kept() {
    let full = json!({
        "type": "table", "props": {"rows": [1, null], "a": ""}, "id": "m", "delta": true, "done": true,
        "delta_path": "rows", "delta_action": "merge", "type_change": true, "group_id": "g", "group_start": true,
        "group_end": true, "metadata": {"timestamp": 1_764_500_000_123_456_789_i64, "sequence": 7, "trace_id": "t"},
    });
    check_read(&full, &full);
    for action in ["append", "replace", "merge", "set", "bogus"] {
        let message = json!({"type": "x", "delta_action": action});
        check_read(&message, &message);
    }
}

#[test]
fn metadata_stays_even_when_empty() {
    check_read(
        &json!({"type": "x", "metadata": {}}),
        &json!({"type": "x", "metadata": {}}),
    );
    let zeros = json!({"type": "x", "metadata": {"timestamp": 0, "sequence": 0, "trace_id": "", "more": 1}});
    check_read(&zeros, &json!({"type": "x", "metadata": {}}));
    let message = Message {
        metadata: Some(Metadata::default()),
        ..Message::text("a")
    };
    assert_eq!(written(&message)["metadata"], json!({}));
}

#[test]
fn message_id_is_read_as_id_and_unknown_fields_are_ignored() {
    check_read(
        &json!({"type": "x", "message_id": "m", "unknown": {}}),
        &json!({"type": "x", "id": "m"}),
    );
    check_read(
        &json!({"type": "x", "message_id": "old", "id": "m"}),
        &json!({"type": "x", "id": "m"}),
    );
    assert!(serde_json::from_value::<Message>(json!({"type": 1})).is_err());
    assert!(serde_json::from_value::<Message>(json!({"props": []})).is_err());
}

#[test]
fn a_group_is_one_value() {
    let group = json!({"id": "g", "messages": [{"type": "text", "props": {"content": "a"}}]});
    let read: Group = serde_json::from_value(group.clone()).unwrap();
    assert_eq!((serde_json::to_value(&read).unwrap(), read.messages.len()), (group, 1));
    let empty = Group {
        metadata: Some(Metadata::default()),
        ..Group::default()
    };
    assert_eq!(
        serde_json::to_value(empty).unwrap(),
        json!({"id": "", "messages": [], "metadata": {}})
    );
}

#[test]
fn built_in_types_are_case_sensitive() {
    let names = Kind::ALL.map(Kind::as_str);
    let expected = [
        "text",
        "thinking",
        "loading",
        "tool_call",
        "error",
        "image",
        "audio",
        "video",
        "action",
        "event",
    ];
    assert_eq!(names, expected);
    assert_eq!(names.map(Kind::named), Kind::ALL.map(Some));
    assert_eq!(["", "Text", "TEXT", " text", "table"].map(Kind::named), [None; 5]);
    assert_eq!(Message::loading("l").builtin(), Some(Kind::Loading));
    assert_eq!(Message::new("table").builtin(), None);
}

#[track_caller]
fn check_made(message: &Message, kind: &str, props: &Value) {
    assert_eq!(
        written(message),
        json!({"type": kind, "props": props}),
        "no id, no metadata"
    );
}

#[test]
fn constructors_set_every_key_they_are_given() {
    check_made(&Message::text(""), "text", &json!({"content": ""}));
    check_made(&Message::thinking("t"), "thinking", &json!({"content": "t"}));
    check_made(&Message::loading("l"), "loading", &json!({"message": "l"}));
    check_made(
        &Message::tool_call("c", "n", ""),
        "tool_call",
        &json!({"id": "c", "name": "n", "arguments": ""}),
    );
    check_made(&Message::error("m", ""), "error", &json!({"message": "m", "code": ""}));
    check_made(&Message::image("u", ""), "image", &json!({"url": "u", "alt": ""}));
    check_made(
        &Message::audio("u").with("autoplay", false),
        "audio",
        &json!({"url": "u", "autoplay": false}),
    );
    check_made(
        &Message::video("u").with("loop", true),
        "video",
        &json!({"url": "u", "loop": true}),
    );
    check_made(
        &Message::action("n", Value::Null),
        "action",
        &json!({"name": "n", "payload": null}),
    );
    check_made(
        &Message::event("e", "", json!({})),
        "event",
        &json!({"event": "e", "message": "", "data": {}}),
    );
    check_made(&Message::of(Kind::Image, [json!("u")]), "image", &json!({"url": "u"}));
}
