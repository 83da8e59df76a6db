//! Reading a request's body: bounded in size, time, depth and number of values.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::StatusCode;
use bytes::BytesMut;
use futures_util::StreamExt;
use serde_json::{Map, Value};

use crate::refusal::Refusal;

/// How deep the JSON of a request may be nested.
const MAX_DEPTH: usize = 64;

/// How many values the JSON of a request may have: each costs tens of bytes of memory, and only two of the body.
const MAX_VALUES: usize = 1 << 19;

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
    let shape = Shape::of(&bytes);
    if shape.depth > MAX_DEPTH {
        return Err(Refusal::bad(format!("json is nested deeper than {MAX_DEPTH} levels")));
    }
    if shape.values > MAX_VALUES {
        return Err(Refusal::bad(format!("json has more than {MAX_VALUES} values")));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Refusal::bad("json: the request body must be an object")),
        Err(error) => Err(Refusal::bad(format!("invalid json: {error}"))),
    }
}

async fn read(body: Body, limit: usize) -> Result<BytesMut, Refusal> {
    let too_large = || {
        Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request body is larger than {limit} bytes"),
        )
    };
    // what says of itself that it is far too large is not even waited for
    if body.size_hint().lower() > MAX_WASTE as u64 {
        return Err(too_large());
    }
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
        return Err(too_large());
    }
    Ok(bytes)
}

/// What a JSON text would become, measured before anything is built from it.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    /// How deep arrays and objects are nested.
    depth: usize,
    /// At most so many values: one for the whole, one for each opening and each comma.
    values: usize,
}

impl Shape {
    fn of(json: &[u8]) -> Self {
        let (mut open, mut in_string, mut escaped) = (0_usize, false, false);
        let mut shape = Self { depth: 0, values: 1 };
        for byte in json {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'[' | b'{' if !in_string => {
                    open += 1;
                    shape.depth = shape.depth.max(open);
                    shape.values += 1;
                }
                b',' if !in_string => shape.values += 1,
                b']' | b'}' if !in_string => open = open.saturating_sub(1),
                _ => {}
            }
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_and_what_is_listed_counts_and_what_is_quoted_does_not() {
        for (json, depth, values) in [
            ("1", 0, 1),
            ("{}", 1, 2),
            ("[[],[[]]]", 3, 6),
            ("[1,2,3]", 1, 4),
            (r#"{"a":"[[[[,,","b":"\"{{"}"#, 1, 3),
            (r#"["\\",[]]"#, 2, 4),
            ("]]]][", 1, 2),
        ] {
            assert_eq!(Shape::of(json.as_bytes()), Shape { depth, values }, "{json}");
        }
    }

    #[tokio::test]
    async fn a_body_of_many_small_values_is_refused() {
        let read = |values: usize| {
            let body = format!("{{\"a\":[0{}]}}", ",0".repeat(values));
            read_object(Body::from(body), 32 << 20, Duration::from_mins(1))
        };
        assert!(read(MAX_VALUES / 2).await.is_ok());
        assert_eq!(read(MAX_VALUES).await.unwrap_err().status, StatusCode::BAD_REQUEST);
    }
}
