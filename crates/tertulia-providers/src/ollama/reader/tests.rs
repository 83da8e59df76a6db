//! Answers, line by line.

use serde_json::json;

use super::super::room::Weight;
use super::*;

fn room() -> Room {
    Room {
        window: 100,
        refuses: true,
        weight: Weight::default(),
    }
}

fn read(shape: Shape, body: &str, size: usize) -> (Vec<Delta>, Result<(), ProviderError>) {
    let mut reader = Reader::new(shape, "m".into(), Names::default(), room());
    let mut deltas = Vec::new();
    for piece in body.as_bytes().chunks(size) {
        match reader.take(piece, &mut deltas) {
            Ok(Progress::More) => {}
            Ok(Progress::Done) => return (deltas, Ok(())),
            Err(error) => return (deltas, Err(error)),
        }
    }
    let end = reader.finish(&mut deltas);
    (deltas, end)
}

#[track_caller]
fn check(lines: &[Value], expected: &[Delta]) {
    let body: String = lines
        .iter()
        .flat_map(|line| [line.to_string(), "\r\n\n".to_owned()])
        .collect();
    for size in [1, 7, 4096] {
        assert_eq!(read(Shape::Stream, &body, size), (expected.to_vec(), Ok(())));
        assert_eq!(read(Shape::Whole, &body, size), (expected.to_vec(), Ok(())));
    }
    assert_eq!(read(Shape::Stream, body.trim_end(), 5), (expected.to_vec(), Ok(())));
}

#[track_caller]
fn fails(body: &str, kind: ProviderFault, part: &str) {
    for shape in [Shape::Stream, Shape::Whole] {
        let error = read(shape, body, 3).1.unwrap_err();
        assert!(error.kind == kind && error.detail.contains(part), "{error:?}");
    }
}

fn call(index: u32, id: Option<&str>, name: &str, arguments: &str) -> Delta {
    Delta::Call(CallDelta {
        index,
        id: id.map(Into::into),
        name: Some(name.into()),
        arguments: arguments.into(),
    })
}

fn cost(tokens_in: u64, tokens_out: u64) -> Delta {
    Delta::Usage(Usage {
        tokens_in: Some(tokens_in),
        tokens_out: Some(tokens_out),
        ..Usage::default()
    })
}

#[test]
fn calls_stay_apart_wherever_they_stand() {
    let wire = |index: Value, name: &str| json!({"function": {"index": index, "name": name, "arguments": {"n": name}}});
    check(
        &[
            json!({"message": {"content": "", "thinking": "Hm.", "tool_calls": [wire(json!(0), "a"), wire(json!(0), "b")]}}),
            json!({"message": {"content": null, "tool_calls": [wire(json!(0), "c")]}, "done": false}),
            json!({"message": {"content": "So.", "tool_calls": [
                {"id": "x", "function": {"name": "d", "arguments": "{\"n\": 1}"}}, {"id": "", "function": {"name": "e"}},
            ]}, "done": true, "done_reason": "stop", "eval_count": 3, "prompt_eval_count": 9}),
        ],
        &[
            Delta::Thinking("Hm.".into()),
            call(0, None, "a", "{\"n\":\"a\"}"),
            call(1, None, "b", "{\"n\":\"b\"}"),
            call(2, None, "c", "{\"n\":\"c\"}"),
            Delta::Text("So.".into()),
            call(3, Some("x"), "d", "{\"n\": 1}"),
            call(4, None, "e", "{}"),
            cost(9, 3),
            Delta::Data(ProviderData {
                kind: "ollama".into(),
                model: "m".into(),
                bytes: b"Hm.".to_vec(),
            }),
            Delta::End(Stop::ToolCalls),
        ],
    );
}

#[test]
fn prompts_are_answered_in_their_own_field() {
    check(
        &[
            json!({"response": "Hel", "done": false}),
            json!({"response": "lo", "thinking": "", "done": true, "done_reason": "length", "context": [1, 2]}),
        ],
        &[
            Delta::Text("Hel".into()),
            Delta::Text("lo".into()),
            Delta::End(Stop::Length),
        ],
    );
}

#[test]
fn a_full_window_is_a_length() {
    let last = |read: u64, written: u64| json!({"message": {"content": "x"}, "done": true, "done_reason": "stop", "prompt_eval_count": read, "eval_count": written});
    let said = |read, written, stop| [Delta::Text("x".into()), cost(read, written), Delta::End(stop)];
    check(&[last(60, 40)], &said(60, 40, Stop::Length));
    check(&[last(60, 39)], &said(60, 39, Stop::Done));
    let (deltas, end) = read(Shape::Stream, &last(100, 3).to_string(), 9);
    assert_eq!(deltas, [Delta::Text("x".into()), cost(100, 3)]);
    assert_eq!(end.unwrap_err().kind, ProviderFault::ContextTooLong);
}

#[test]
fn nothing_counts_after_the_end_and_nothing_is_an_end_but_done() {
    check(
        &[
            json!({"done": true, "done_reason": "load"}),
            json!({"message": {"content": "late"}}),
        ],
        &[Delta::End(Stop::Done)],
    );
    fails("", ProviderFault::Broken, "before it was done");
    fails(
        "{\"message\":{\"content\":\"a\"},\"done\":false}\n",
        ProviderFault::Broken,
        "before it was done",
    );
}

#[test]
fn errors_are_read() {
    fails("{\"error\":\"boom\"}\n", ProviderFault::Broken, "boom");
    fails(
        "{\"error\":{\"message\":\"the input length exceeds the context length\"}}",
        ProviderFault::ContextTooLong,
        "input",
    );
    fails(
        "{\"error\":\"slow\",\"status_code\":429}",
        ProviderFault::RateLimited { after: None },
        "slow",
    );
    fails("{\"message\": nonsense}\n", ProviderFault::Broken, "not understood");
    fails("[1]\n", ProviderFault::Broken, "no object");
}
