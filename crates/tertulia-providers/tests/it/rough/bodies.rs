//! Bodies that no server should send, and all do one day.

use axum::body::Bytes;

use super::double::Rough;
use crate::asking::CANARY;

const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";
const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

/// All of them, each in a few ways: none is an answer.
pub(crate) fn bodies() -> Vec<(String, Rough)> {
    let mut all = Vec::new();
    for (name, body) in texts() {
        let types: &[&str] = if body.len() < 1000 {
            &[EVENTS, LINES, JSON, HTML, ""]
        } else {
            &[EVENTS, JSON]
        };
        for content_type in types {
            let rough = Rough::new(200, content_type, body.clone());
            all.push((format!("{name} as {content_type:?}"), rough));
        }
        for status in [400, 502] {
            let content_type = if name.contains("page") { HTML } else { JSON };
            all.push((
                format!("{name} with {status}"),
                Rough::new(status, content_type, body.clone()),
            ));
        }
    }
    all
}

fn texts() -> Vec<(String, Bytes)> {
    let page = format!(
        "\r\n<!DOCTYPE html>\n<html><head><title>502 Bad\n Gateway</title></head><body><h1>{CANARY}</h1>{}</body></html>",
        "<p>nginx</p>".repeat(300)
    );
    let deep = "[".repeat(100_000);
    let mut texts = vec![
        ("nothing".into(), Bytes::new()),
        ("a page".into(), page.clone().into()),
        ("a page without a title".into(), "<html><body>no</body></html>".into()),
        (
            "a page in an event".into(),
            format!("data: {}\n\n", page.replace('\n', "\ndata: ")).into(),
        ),
        (
            "a page in an error".into(),
            format!("{{\"error\":{{\"message\":{}}}}}", serde_json::Value::from(page)).into(),
        ),
        (
            "foreign bytes".into(),
            Bytes::from_static(b"data: \xff\xfe\xe2\x82\n\n\xc3\x28"),
        ),
        ("zeros".into(), vec![0; 10_000].into()),
        ("a byte order mark alone".into(), "\u{feff}".into()),
        ("carriage returns".into(), "\r".repeat(10_000).into()),
        ("empty events".into(), "\n\n".repeat(50_000).into()),
        ("empty data".into(), "data:\n\n".repeat(20_000).into()),
        ("comments".into(), ": keep-alive\n\n".repeat(20_000).into()),
        ("an endless line".into(), vec![b'x'; 2 << 20].into()),
        (
            "an endless line of data".into(),
            [b"data: ".to_vec(), vec![b'x'; 2 << 20]].concat().into(),
        ),
        ("deep lists".into(), deep.clone().into()),
        ("deep lists in an event".into(), format!("data: {deep}\n\n").into()),
        (
            "deep objects in an event".into(),
            format!("data: {}\n\n", "{\"a\":".repeat(50_000)).into(),
        ),
    ];
    for json in [
        "null",
        "1e999",
        "[]",
        "{}",
        "\"text\"",
        "[null]",
        "{\"choices\":[{}]}",
        "{\"error\":[]}",
        "{\"error\":{\"message\":{}}}",
    ] {
        texts.push((format!("{json} in an event"), format!("data: {json}\n\n").into()));
        texts.push((json.to_owned(), json.into()));
    }
    // the key stands at the place where details are cut
    for before in [100, 485, 490, 495, 500] {
        let message = format!("{}{CANARY}{}", "y".repeat(before), "z".repeat(600));
        let error = format!("{{\"type\":\"error\",\"error\":{{\"message\":\"{message}\"}}}}");
        texts.push((
            format!("the key behind {before} letters, in an event"),
            format!("data: {error}\n\n").into(),
        ));
        texts.push((format!("the key behind {before} letters, alone"), message.into()));
        texts.push((format!("the key behind {before} letters"), error.into()));
    }
    texts
}
