//! Events of every kind, and servers that leave some of them out.

use serde_json::json;
use tertulia_core::provider::{Stop, Usage};

use super::*;

fn read(events: &[Value]) -> (Vec<Delta>, Result<(), ProviderError>) {
    let (mut reader, mut deltas) = (Reader::new(Shape::Stream, "m".into(), Names::default()), Vec::new());
    for event in events {
        match reader.take(format!("data: {event}\n\n").as_bytes(), &mut deltas) {
            Ok(Progress::More) => {}
            Ok(Progress::Done) => return (deltas, Ok(())),
            Err(error) => return (deltas, Err(error)),
        }
    }
    let end = reader.finish(&mut deltas);
    (deltas, end)
}

#[track_caller]
fn check(events: &[Value], expected: &[Delta]) {
    let (deltas, end) = read(events);
    assert_eq!((deltas.as_slice(), end), (expected, Ok(())));
}

fn completed(output: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

fn fragment(index: u32, arguments: &str) -> Delta {
    Delta::Call(CallDelta {
        index,
        arguments: arguments.to_owned(),
        ..CallDelta::default()
    })
}

fn call(index: u32, id: &str, name: &str) -> Delta {
    Delta::Call(CallDelta {
        index,
        id: Some(id.to_owned()),
        name: Some(name.to_owned()),
        arguments: String::new(),
    })
}

#[test]
fn what_came_in_pieces_is_not_said_twice() {
    let item = json!({"type": "message", "id": "a", "content": [{"type": "output_text", "text": "Hello"}]});
    let delta = |id: &str, text: &str| json!({"type": "response.output_text.delta", "item_id": id, "output_index": 0, "delta": text});
    check(
        &[
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "x"}}),
            delta("y", "Hel"),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            completed(std::slice::from_ref(&item)),
        ],
        &[text("Hel"), text("lo"), Delta::End(Stop::Done)],
    );
    check(&[completed(&[item])], &[text("Hello"), Delta::End(Stop::Done)]);
}

#[test]
fn calls_are_told_apart_also_without_places() {
    let added = |id: &str| json!({"type": "response.output_item.added", "item": {"type": "function_call", "id": id, "call_id": format!("c{id}"), "name": "f"}});
    let delta =
        |id: &str, text: &str| json!({"type": "response.function_call_arguments.delta", "item_id": id, "delta": text});
    check(
        &[
            added("1"),
            added("2"),
            delta("1", "{"),
            delta("2", "{}"),
            delta("1", "}"),
            completed(&[]),
        ],
        &[
            call(0, "c1", "f"),
            call(1, "c2", "f"),
            fragment(0, "{"),
            fragment(1, "{}"),
            fragment(0, "}"),
            Delta::End(Stop::ToolCalls),
        ],
    );
}

#[test]
fn whole_items_find_their_places_by_their_ids() {
    let call =
        |arguments: &str| json!({"type": "function_call", "call_id": "fc_1", "name": "f", "arguments": arguments});
    let message =
        |text: &str| json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text}]});
    let event = |word: &str, item: Value| json!({"type": format!("response.output_item.{word}"), "item": item});
    check(
        &[
            event("added", message("")),
            event("added", call("")),
            json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": "{"}),
            event("done", message("Hi")),
            event("done", call("{}")),
            event(
                "done",
                json!({"type": "message", "id": "msg_2", "content": [{"type": "output_text", "text": "!"}]}),
            ),
            completed(&[]),
        ],
        &[
            super::tests::call(1, "fc_1", "f"),
            fragment(1, "{"),
            text("Hi"),
            fragment(1, "}"),
            text("!"),
            Delta::End(Stop::ToolCalls),
        ],
    );
}

#[test]
fn plain_input_is_given_as_it_is() {
    let item = json!({"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "sql", "input": "SELECT 1"});
    let (mut deltas, end) = read(&[
        json!({"type": "response.output_item.added", "output_index": 3, "item": {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": ""}}),
        json!({"type": "response.custom_tool_call_input.delta", "output_index": 3, "delta": "SELECT"}),
        json!({"type": "response.output_item.done", "output_index": 3, "item": item}),
        completed(&[]),
    ]);
    assert_eq!(end, Ok(()));
    assert_eq!(deltas.pop(), Some(Delta::End(Stop::ToolCalls)));
    assert_eq!(deltas, [call(3, "c", "sql"), fragment(3, "SELECT"), fragment(3, " 1")]);
}

#[test]
fn nothing_is_whole_without_its_end() {
    let piece = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "a"});
    for events in [
        vec![],
        vec![piece.clone()],
        vec![piece, json!({"type": "response.in_progress", "response": {}})],
    ] {
        let (_, end) = read(&events);
        assert_eq!(end.unwrap_err().kind, tertulia_core::provider::ProviderFault::Broken);
    }
}

#[test]
fn odd_events_are_passed_over() {
    check(
        &[
            json!({"type": "response.output_item.added", "item": 7}),
            json!({"type": "response.output_item.done"}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 9, "delta": "{"}),
            json!({"type": "response.output_text.delta", "output_index": -1, "delta": ""}),
            json!({"type": "response.of_a_later_day", "x": 1}),
            json!({}),
            completed(&[]),
        ],
        &[Delta::End(Stop::Done)],
    );
}

#[test]
fn counts_are_those_of_the_whole_answer() {
    let counts = json!({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 5}});
    check(
        &[json!({"type": "response.completed", "response": {"status": "completed", "usage": counts}})],
        &[
            Delta::Usage(Usage {
                tokens_in: Some(9),
                tokens_out: Some(7),
                cache_read: Some(4),
                ..Usage::default()
            }),
            Delta::End(Stop::Done),
        ],
    );
}
