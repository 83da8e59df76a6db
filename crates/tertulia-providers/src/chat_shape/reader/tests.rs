//! Streams in the habits of many servers.

use tertulia_core::provider::{Stop, Usage};

use super::*;

fn asked(echo: Echo) -> Asked {
    Asked {
        kind: "k",
        model: "m".into(),
        names: Names::default(),
        echo,
        billed: true,
    }
}

fn read(events: &[&str]) -> (Vec<Delta>, Result<Progress, ProviderError>) {
    let (mut reader, mut deltas) = (Reader::new(asked(Echo::Nothing)), Vec::new());
    for data in events {
        let event = Event {
            name: String::new(),
            data: (*data).to_owned(),
        };
        match reader.event(&event, &mut deltas) {
            Ok(Progress::More) => {}
            other => return (deltas, other),
        }
    }
    let end = reader.end(&mut deltas).map(|()| Progress::Done);
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

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const HI: &str = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}"#;

fn text(text: &str) -> Delta {
    Delta::Text(text.into())
}

fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Delta {
    Delta::Call(CallDelta {
        index,
        id: id.map(Into::into),
        name: name.map(Into::into),
        arguments: arguments.into(),
    })
}

#[test]
fn an_end_needs_a_finish_reason() {
    check(&[HI, STOP, "[DONE]"], &[text("Hi"), Delta::End(Stop::Done)]);
    check(&[HI, STOP], &[text("Hi"), Delta::End(Stop::Done)]);
    check_error(&[HI, "[DONE]"], &[text("Hi")], ProviderFault::Broken);
    check_error(&[HI], &[text("Hi")], ProviderFault::Broken);
    check_error(&[HI, "{\"choices\": [", STOP], &[text("Hi")], ProviderFault::Broken);
    check_error(&[HI, "[]", "7"], &[text("Hi")], ProviderFault::Broken);
}

#[test]
fn finish_reasons() {
    for (word, stop) in [
        ("length", Stop::Length),
        ("model_length", Stop::Length),
        ("content_filter", Stop::Filtered),
        ("sensitive", Stop::Filtered),
        ("tool_calls", Stop::ToolCalls),
        ("function_call", Stop::ToolCalls),
        ("eos", Stop::Done),
    ] {
        check(&[&STOP.replace("stop", word)], &[Delta::End(stop)]);
    }
    for given_up in ["error", "insufficient_system_resource", "abort", "network_error"] {
        check_error(
            &[HI, &STOP.replace("stop", given_up), "[DONE]"],
            &[text("Hi")],
            ProviderFault::Broken,
        );
    }
}

#[test]
fn a_refusal_is_said_and_is_no_usual_end() {
    let piece = |said: &str| format!(r#"{{"choices":[{{"delta":{{"content":null,"refusal":"{said}"}}}}]}}"#);
    let end = Delta::End(Stop::Filtered);
    check(
        &[&piece(""), &piece("I "), &piece("won't."), STOP],
        &[text("I "), text("won't."), end],
    );
    check(&[&piece(""), STOP], &[Delta::End(Stop::Done)]);
}

#[test]
fn whole_calls_need_neither_index_nor_id() {
    let (mut reader, mut deltas) = (Reader::new(asked(Echo::Nothing)), Vec::new());
    let whole = r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},
        {"function":{"name":"g","arguments":{"a":1}}}]},"finish_reason":"tool_calls"}]}"#;
    reader.json(whole, Extent::Whole, &mut deltas).unwrap();
    let called = [call(0, None, Some("f"), "{}"), call(1, None, Some("g"), "{\"a\":1}")];
    assert_eq!(deltas, called);
}

#[test]
fn thinking_comes_under_two_names_and_in_parts() {
    let both = r#"{"choices":[{"delta":{"content":null,"reasoning_content":"a","reasoning":"a"}}]}"#;
    let other = r#"{"choices":[{"delta":{"content":"","reasoning":"b"}}]}"#;
    let parts = r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]},
        {"type":"text","text":"d"}]}}]}"#;
    let thinking = |text: &str| Delta::Thinking(text.into());
    let end = Delta::End(Stop::Done);
    check(
        &[both, other, parts, STOP],
        &[thinking("a"), thinking("b"), thinking("c"), text("d"), end],
    );
}

#[test]
fn calls_are_told_apart_by_index_or_by_id() {
    let indexed =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":""}}]}}]}"#;
    let more = r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}}]}"#;
    let end = Delta::End(Stop::ToolCalls);
    check(
        &[indexed, more, STOP],
        &[
            call(1, Some("a"), Some("f"), ""),
            call(1, None, None, "{}"),
            end.clone(),
        ],
    );
    let whole = r#"{"choices":[{"message":{"content":null,"tool_calls":[
        {"id":"a","function":{"name":"f","arguments":{"x":1}}},
        {"id":"b","function":{"name":"g","arguments":"{}"}},{"function":{"arguments":" "}}]},"finish_reason":"stop"}]}"#;
    let expected = [
        call(0, Some("a"), Some("f"), "{\"x\":1}"),
        call(1, Some("b"), Some("g"), "{}"),
        call(1, None, None, " "),
        end,
    ];
    check(&[whole], &expected);
}

#[test]
fn usage_comes_anywhere() {
    let usage = |tokens_in, tokens_out| Usage {
        tokens_in: Some(tokens_in),
        tokens_out: Some(tokens_out),
        ..Usage::default()
    };
    let riding = r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let after = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,
        "prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":1,"audio_tokens":0}}}"#;
    let odd = r#"{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":"many"}}"#;
    let cached = Usage {
        cache_read: Some(2),
        cache_written: Some(1),
        ..usage(3, 4)
    };
    check(
        &[riding, STOP, after, odd, "[DONE]"],
        &[
            text("x"),
            Delta::Usage(usage(1, 2)),
            Delta::Usage(cached),
            Delta::End(Stop::Done),
        ],
    );
}

#[test]
fn errors_inside_a_stream() {
    let plain = r#"{"error":{"message":"oops","type":"server_error"}}"#;
    check_error(&[HI, plain], &[text("Hi")], ProviderFault::Unavailable { after: None });
    let with_choices = r#"{"error":{"code":429,"message":"busy"},"choices":[{"delta":{"content":"last"}}]}"#;
    check_error(
        &[with_choices],
        &[text("last")],
        ProviderFault::RateLimited { after: None },
    );
    check_error(&[r#"{"object":"error","message":"died"}"#], &[], ProviderFault::Broken);
    check_error(
        &[r#"[{"error":{"code":503,"message":"down"}}]"#],
        &[],
        ProviderFault::Unavailable { after: None },
    );
    let event = Event {
        name: "error".into(),
        data: r#"{"message":"model is gone","code":404}"#.into(),
    };
    let error = Reader::new(asked(Echo::Nothing))
        .event(&event, &mut Vec::new())
        .unwrap_err();
    assert_eq!(
        (error.kind, error.detail.as_str()),
        (ProviderFault::Rejected, "model is gone")
    );
}
