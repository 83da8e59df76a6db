//! Streams of events, and whole answers.

use tertulia_core::provider::Usage;

use super::*;

fn reader(shape: Shape) -> Reader {
    Reader::new(shape, "m".into(), Names::default())
}

fn read(events: &[&str]) -> (Vec<Delta>, Result<Progress, ProviderError>) {
    let (mut reader, mut deltas) = (reader(Shape::Stream), Vec::new());
    for data in events {
        let sent = format!("data: {data}\n\n");
        match reader.take(sent.as_bytes(), &mut deltas) {
            Ok(Progress::More) => {}
            other => return (deltas, other),
        }
    }
    let end = reader.finish(&mut deltas).map(|()| Progress::More);
    (deltas, end)
}

#[track_caller]
fn check(events: &[&str], expected: &[Delta]) {
    let (deltas, end) = read(events);
    assert_eq!(deltas, expected);
    assert_eq!(end, Ok(Progress::Done));
}

#[track_caller]
fn check_error(events: &[&str], expected: &[Delta], kind: ProviderFault) {
    let (deltas, end) = read(events);
    assert_eq!(deltas, expected);
    assert_eq!(end.unwrap_err().kind, kind);
}

const TEXT: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}"#;
const END: &str = r#"{"type":"message_stop"}"#;

fn stop(reason: &str) -> String {
    format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#)
}

fn hi() -> Delta {
    Delta::Text("Hi".into())
}

fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Delta {
    Delta::Call(CallDelta {
        index,
        id: id.map(Into::into),
        name: name.map(Into::into),
        arguments: arguments.into(),
    })
}

fn used(tokens_in: Option<u64>, tokens_out: u64) -> Delta {
    Delta::Usage(Usage {
        tokens_in,
        tokens_out: Some(tokens_out),
        ..Usage::default()
    })
}

#[test]
fn reasons_to_stop() {
    for (reason, expected) in [
        ("end_turn", Stop::Done),
        ("stop_sequence", Stop::Done),
        ("pause_turn", Stop::Done),
        ("something_new", Stop::Done),
        ("max_tokens", Stop::Length),
        ("refusal", Stop::Filtered),
    ] {
        check(&[TEXT, &stop(reason), END], &[hi(), Delta::End(expected)]);
    }
    let full = stop("model_context_window_exceeded");
    check_error(&[TEXT, &full, END], &[hi()], ProviderFault::ContextTooLong);
    check_error(&[TEXT, END], &[hi()], ProviderFault::Broken);
    check_error(&[TEXT, &stop("end_turn")], &[hi()], ProviderFault::Broken);
}

#[test]
fn calls_come_whole_or_in_pieces_or_empty() {
    let begin = |index: u32, input: &str| {
        format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"tool_use","id":"t{index}","name":"f","input":{input}}}}}"#
        )
    };
    let piece = |index: u32, text: &str| {
        let text = Value::from(text);
        format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"input_json_delta","partial_json":{text}}}}}"#
        )
    };
    let end = |index: u32| format!(r#"{{"type":"content_block_stop","index":{index}}}"#);
    check(
        &[
            &begin(1, "{}"),
            &piece(1, ""),
            &piece(1, "{\"a\":"),
            &piece(1, " 1}"),
            &end(1),
            &begin(2, "{}"),
            &piece(2, ""),
            &end(2),
            &begin(3, "{\"b\":2}"),
            &stop("tool_use"),
            END,
        ],
        &[
            call(1, Some("t1"), Some("f"), ""),
            call(1, None, None, "{\"a\":"),
            call(1, None, None, " 1}"),
            call(2, Some("t2"), Some("f"), ""),
            call(2, None, None, "{}"),
            call(3, Some("t3"), Some("f"), ""),
            call(3, None, None, "{\"b\":2}"),
            Delta::End(Stop::ToolCalls),
        ],
    );
}

#[test]
fn counts_are_of_the_whole_answer() {
    let begin = r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#;
    let more = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}"#;
    let corrected = r#"{"type":"message_delta","delta":{},"usage":{"input_tokens":11,"output_tokens":13}}"#;
    let cached = r#"{"type":"message_delta","delta":{},"usage":
        {"cache_read_input_tokens":100,"cache_creation_input_tokens":1000}}"#;
    let cached = &cached.replace('\n', "");
    let in_all = Usage {
        tokens_in: Some(1111),
        tokens_out: Some(13),
        cache_read: Some(100),
        cache_written: Some(1000),
        cost: None,
    };
    check(
        &[begin, TEXT, more, corrected, cached, END],
        &[
            used(Some(9), 1),
            hi(),
            used(Some(9), 12),
            used(Some(11), 13),
            Delta::Usage(in_all),
            Delta::End(Stop::Done),
        ],
    );
}

#[test]
fn blocks_that_must_go_back_are_kept_and_not_shown() {
    let start = |index: u32, block: &str| {
        format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
    };
    let delta =
        |index: u32, delta: &str| format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#);
    let events = [
        start(0, r#"{"type":"thinking","thinking":"","signature":""}"#),
        delta(0, r#"{"type":"thinking_delta","thinking":"h"}"#),
        delta(0, r#"{"type":"thinking_delta","thinking":"m"}"#),
        delta(0, r#"{"type":"signature_delta","signature":"sig"}"#),
        start(1, r#"{"type":"redacted_thinking","data":"x"}"#),
        start(2, r#"{"type":"server_tool_use","id":"s","name":"search","input":{}}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":"{\"q\":1}"}"#),
        start(3, r#"{"type":"future_block","content":null,"n":1}"#),
        delta(3, r#"{"type":"future_delta","content":"c"}"#),
        delta(3, r#"{"type":"future_delta","content":"d"}"#),
        start(4, r#"{"type":"text","text":""}"#),
        delta(4, r#"{"type":"text_delta","text":"Hi"}"#),
        delta(4, r#"{"type":"citations_delta","citation":{"url":"u"}}"#),
        start(5, r#"{"type":"thinking","thinking":"cut"}"#),
    ];
    let ends = (0..6).map(|index| format!(r#"{{"type":"content_block_stop","index":{index}}}"#));
    let tail = [stop("end_turn"), END.to_owned()];
    let events: Vec<String> = events.into_iter().chain(ends).chain(tail).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let (deltas, end) = read(&events);
    assert_eq!(end, Ok(Progress::Done));
    let thinking = |text: &str| Delta::Thinking(text.into());
    assert_eq!(deltas[..4], [thinking("h"), thinking("m"), hi(), thinking("cut")]);
    let Delta::Data(data) = &deltas[4] else {
        panic!("no data: {deltas:?}");
    };
    assert_eq!((data.kind.as_str(), data.model.as_str()), ("anthropic", "m"));
    let kept: Value = serde_json::from_slice(&data.bytes).unwrap();
    let expected = serde_json::json!([
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "server_tool_use", "id": "s", "name": "search", "input": {"q": 1}},
        {"type": "future_block", "content": "cd", "n": 1},
        {"type": "text", "length": 2},
    ]);
    assert_eq!(kept, expected);
    assert_eq!(deltas[5..], [Delta::End(Stop::Done)]);
}

#[test]
fn errors_in_the_middle_keep_the_text() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    check_error(&[TEXT, overloaded], &[hi()], ProviderFault::Unavailable { after: None });
    let limit = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#;
    check_error(&[TEXT, limit], &[hi()], ProviderFault::RateLimited { after: None });
    let other = r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
    check_error(&[TEXT, other], &[hi()], ProviderFault::ContextTooLong);
    check_error(&[TEXT, "{", END], &[hi()], ProviderFault::Broken);
    check_error(
        &["[]", "7", r#"{"type":"content_block_delta"}"#],
        &[],
        ProviderFault::Broken,
    );
}

#[test]
fn events_are_told_apart_by_name_where_the_data_does_not_say() {
    let (mut reader, mut deltas) = (reader(Shape::Stream), Vec::new());
    let stream = b"event: content_block_start\ndata: {\"content_block\":{\"type\":\"text\",\"text\":\"Hi\"}}\n\n\
        event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"!\"}}\n\n\
        event: future\ndata: {}\n\nevent: error\ndata: gone\n\n";
    let error = reader.take(stream, &mut deltas).unwrap_err();
    assert_eq!(deltas, [hi(), Delta::Text("!".into())]);
    assert_eq!((error.kind, error.detail.as_str()), (ProviderFault::Broken, "gone"));
}

#[test]
fn a_whole_answer_is_read_at_its_end() {
    let (mut whole, mut deltas) = (reader(Shape::Whole), Vec::new());
    let answer = br#" {"content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],
        "stop_reason":"tool_use","usage":{"output_tokens":3}}"#;
    assert_eq!(whole.take(answer, &mut deltas), Ok(Progress::More));
    assert_eq!(deltas, []);
    assert_eq!(whole.finish(&mut deltas), Ok(()));
    let expected = [
        hi(),
        call(1, Some("t"), Some("f"), ""),
        call(1, None, None, "{\"a\":1}"),
        used(None, 3),
        Delta::End(Stop::ToolCalls),
    ];
    assert_eq!(deltas, expected);
    for broken in [&br#"{"content":[]}"#[..], br#"{"type":"message"}"#, b"\xff", b""] {
        let (mut whole, mut deltas) = (reader(Shape::Whole), Vec::new());
        assert_eq!(whole.take(broken, &mut deltas), Ok(Progress::More));
        assert_eq!(whole.finish(&mut deltas).unwrap_err().kind, ProviderFault::Broken);
    }
}
