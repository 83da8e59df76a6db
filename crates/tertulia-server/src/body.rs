//! Reading a request's body: bounded in size, time and depth.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use bytes::BytesMut;
use futures_util::StreamExt;
use serde_json::{Map, Value};

use crate::refusal::Refusal;

/// How deep the JSON of a request may be nested.
const MAX_DEPTH: usize = 64;

/// How much of a body that is too large is read and thrown away, so that its client gets to read the error.
const MAX_WASTE: usize = 64 << 20;

/// The JSON object in a body of at most `limit` bytes that arrives within `time`.
pub(crate) async fn read_object(body: Body, limit: usize, time: Duration) -> Result<Map<String, Value>, Refusal> {
    let late = Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time");
    let bytes = tokio::time::timeout(time, read(body, limit))
        .await
        .map_err(|_| late)??;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Refusal::bad("missing request body"));
    }
    if depth(&bytes) > MAX_DEPTH {
        return Err(Refusal::bad(format!("json is nested deeper than {MAX_DEPTH} levels")));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Refusal::bad("json: the request body must be an object")),
        Err(error) => Err(Refusal::bad(format!("invalid json: {error}"))),
    }
}

async fn read(body: Body, limit: usize) -> Result<BytesMut, Refusal> {
    let mut chunks = body.into_data_stream();
    let mut bytes = BytesMut::new();
    let mut wasted = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Refusal::bad("the body broke off"))?;
        if wasted == 0 && bytes.len() + chunk.len() <= limit {
            bytes.extend_from_slice(&chunk);
            continue;
        }
        bytes = BytesMut::new();
        wasted += chunk.len().max(1);
        if wasted > MAX_WASTE {
            break;
        }
    }
    if wasted > 0 {
        return Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request body is larger than {limit} bytes"),
        ));
    }
    Ok(bytes)
}

/// How deep arrays and objects are nested, measured before anything is built from them.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_what_nests_and_not_what_is_quoted() {
        for (json, expected) in [
            ("1", 0),
            ("{}", 1),
            ("[[],[[]]]", 3),
            (r#"{"a":"[[[[","b":"\"{{"}"#, 1),
            (r#"["\\",[]]"#, 2),
            ("]]]][", 1),
        ] {
            assert_eq!(depth(json.as_bytes()), expected, "{json}");
        }
    }
}
