//! Ollama's objects, case by case.

use jiff::Timestamp;
use serde_json::{Value, json};
use tertulia_message::{Finish, Message, Spent};

use super::{Aggregate, Chunk, Done, Line, Route, Writer, adapt};
use crate::links::{LinkError, Links};

fn line(route: Route) -> Line<'static> {
    Line {
        route,
        model: "bot",
        at: "2026-11-30T08:00:00.1Z".parse::<Timestamp>().unwrap(),
    }
}

fn message(value: Value) -> Message {
    serde_json::from_value(value).unwrap()
}

#[track_caller]
fn check(given: Value, expected: &Value) {
    let chunk = adapt(&message(given), &Links::default()).unwrap();
    let said = chunk.map(|chunk| {
        let object = line(Route::Chat).chunk(&chunk, 0);
        object.get("message").unwrap_or(&object).clone()
    });
    assert_eq!(said.unwrap_or(Value::Null), *expected);
}

#[test]
fn every_type_has_its_place() {
    let said = |content: &str| json!({"role":"assistant","content":content});
    let thought = |thinking: &str| json!({"role":"assistant","content":"","thinking":thinking});
    check(json!({"type":"text","props":{"content":"Hi"}}), &said("Hi"));
    check(json!({"type":"thinking","props":{"content":"Hm"}}), &thought("Hm"));
    check(
        json!({"type":"loading","props":{"message":"Looking"}}),
        &thought("Looking"),
    );
    check(json!({"type":"loading"}), &thought("Processing..."));
    check(json!({"type":"image","props":{"url":"u","alt":"a"}}), &said("![a](u)"));
    check(
        json!({"type":"table","id":"t"}),
        &said("📊 [View Table](/agent/view/table/t)"),
    );
    check(json!({"type":"error","props":{"message":"no"}}), &json!({"error":"no"}));
    check(
        json!({"type":"error","props":{"details":"d"}}),
        &json!({"error":"An error occurred"}),
    );
}

#[test]
fn some_types_are_silent() {
    for given in [
        json!({"type":"action","props":{"name":"open"}}),
        json!({"type":"event","props":{"event":"stream_start"}}),
        json!({"type":"text","props":{"content":""}}),
        json!({"type":"text","group_id":"g","group_start":true}),
        json!({"type":"chart","group_id":"g","group_end":true}),
        json!({"type":"","id":"x"}),
        json!({"type":"tool_call","props":{"id":"1"}}),
    ] {
        check(given, &Value::Null);
    }
}

#[test]
fn arguments_of_calls_are_objects() {
    let call = |arguments: &Value, id: &str| {
        json!({"role":"assistant","content":"","tool_calls":[
            {"id":id,"function":{"index":0,"name":"f","arguments":arguments}}]})
    };
    let given = |arguments: Value| json!({"type":"tool_call","props":{"id":"c","name":"f","arguments":arguments}});
    check(given(json!("{\"a\":1}")), &call(&json!({"a":1}), "c"));
    check(given(json!({"a":1})), &call(&json!({"a":1}), "c"));
    check(given(json!("")), &call(&json!({}), "c"));
    check(given(json!(null)), &call(&json!({}), "c"));
    check(given(json!("[1]")), &call(&json!({"arguments":[1]}), "c"));
    check(given(json!("{broken")), &call(&json!({"arguments":"{broken"}), "c"));
    check(
        json!({"type":"tool_call","props":{"id":"c","function":{"name":"f","arguments":"{}"}}}),
        &call(&json!({}), "c"),
    );
}

#[test]
fn lines_of_both_routes() {
    let chunk = Chunk::Content("Hi".into());
    assert_eq!(
        line(Route::Chat).chunk(&chunk, 0),
        json!({"model":"bot","created_at":"2026-11-30T08:00:00.100000000Z",
            "message":{"role":"assistant","content":"Hi"},"done":false})
    );
    assert_eq!(
        line(Route::Generate).chunk(&chunk, 0),
        json!({"model":"bot","created_at":"2026-11-30T08:00:00.100000000Z","response":"Hi","done":false})
    );
}

fn spent() -> Spent {
    Spent {
        tokens_in: Some(3),
        tokens_out: None,
        millis: 5,
    }
}

#[test]
fn the_last_line_has_reason_and_costs() {
    assert_eq!(
        line(Route::Chat).done(&Done::of(&Finish::ToolCalls, spent())),
        json!({"model":"bot","created_at":"2026-11-30T08:00:00.100000000Z",
            "message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",
            "total_duration":5_000_000,"load_duration":0,"prompt_eval_count":3,"prompt_eval_duration":0,
            "eval_duration":5_000_000})
    );
    let last = line(Route::Generate).done(&Done::of(&Finish::Length, spent()));
    assert_eq!(last.get("done_reason"), Some(&json!("length")));
    assert_eq!(last.get("context"), Some(&json!([])));
    let load = Done {
        reason: "load",
        spent: Spent::default(),
    };
    assert_eq!(
        line(Route::Generate).done(&load),
        json!({"model":"bot","created_at":"2026-11-30T08:00:00.100000000Z","response":"",
            "done":true,"done_reason":"load"})
    );
}

#[track_caller]
fn check_stream(given: &[Value], expected: &[Chunk]) {
    let mut writer = Writer::new(Links::default());
    let mut chunks: Vec<Chunk> = given
        .iter()
        .filter_map(|value| writer.write(&message(value.clone())).unwrap())
        .collect();
    chunks.extend(writer.close());
    assert_eq!(chunks, expected);
}

#[test]
fn a_finished_message_is_shown_once() {
    let done = json!({"type":"text","id":"1","done":true,"props":{"content":"ab"}});
    check_stream(std::slice::from_ref(&done), &[Chunk::Content("ab".into())]);
    check_stream(
        &[
            json!({"type":"text","id":"1","delta":true,"props":{"content":"a"}}),
            json!({"type":"text","id":"1","delta":true,"props":{"content":"b"}}),
            done,
        ],
        &[Chunk::Content("a".into()), Chunk::Content("b".into())],
    );
}

#[test]
fn a_link_is_given_once() {
    check_stream(
        &[
            json!({"type":"table","id":"t","props":{"rows":[]}}),
            json!({"type":"table","id":"t","delta":true,"props":{"rows":[[1]]}}),
        ],
        &[Chunk::Content("📊 [View Table](/agent/view/table/t)".into())],
    );
}

#[test]
fn calls_are_whole_even_if_they_come_in_pieces() {
    let piece = |arguments: &str, done: bool| json!({"type":"tool_call","id":"m","delta":true,"done":done,"props":{"arguments":arguments}});
    let first = json!({"type":"tool_call","id":"m","delta":true,"props":{"id":"c","name":"f","arguments":""}});
    let whole = Chunk::Call(super::Call {
        id: "c".into(),
        name: "f".into(),
        arguments: json!({"a":1}).as_object().unwrap().clone(),
    });
    check_stream(
        &[
            first.clone(),
            piece("{\"a\"", false),
            piece(":1}", true),
            piece("x", false),
        ],
        std::slice::from_ref(&whole),
    );
    check_stream(&[first, piece("{\"a\"", false), piece(":1}", false)], &[whole]);
}

#[test]
fn a_picture_without_address_does_not_end_the_stream() {
    let mut writer = Writer::default();
    let broken = message(json!({"type":"image","id":"i"}));
    assert_eq!(writer.write(&broken), Err(LinkError::MissingUrl));
    assert_eq!(
        writer.write(&Message::text("on")),
        Ok(Some(Chunk::Content("on".into())))
    );
}

#[test]
fn an_aggregate_is_the_sum_or_the_error() {
    let mut whole = Aggregate::default();
    for chunk in [
        Chunk::Content("a".into()),
        Chunk::Thinking("t".into()),
        Chunk::Content("b".into()),
    ] {
        whole.push(chunk);
    }
    let mut broken = whole.clone();
    let done = Done::of(&Finish::Stop, spent());
    let object = whole.finish(&line(Route::Chat), &done).unwrap();
    assert_eq!(
        object.get("message"),
        Some(&json!({"role":"assistant","content":"ab","thinking":"t"}))
    );
    assert_eq!(object.get("done"), Some(&json!(true)));
    broken.push(Chunk::Error("no".into()));
    assert_eq!(broken.finish(&line(Route::Chat), &done), Err("no".to_owned()));
}
