//! How long a model is to stay loaded: here it only tells loading from unloading.

use serde_json::Value;

use super::fields::Fields;
use crate::refusal::Refusal;

/// True if `keep_alive` is zero: an empty request then means "unload".
///
/// A number counts seconds, a text is a duration such as `5m` or `1h30m`; negative is for ever.
pub(super) fn is_zero(fields: &Fields<'_>) -> Result<bool, Refusal> {
    match fields.get("keep_alive") {
        None => Ok(false),
        Some(Value::Number(number)) => Ok(number.as_f64() == Some(0.0)),
        Some(Value::String(text)) => seconds(text)
            .map(|seconds| seconds == 0.0)
            .ok_or_else(|| Refusal::bad(format!("time: invalid duration {text:?}"))),
        Some(other) => Err(fields.wrong("keep_alive", other, "api.Duration")),
    }
}

/// A duration as Go writes it: decimal numbers with units, none but 0 without one.
fn seconds(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Some(0.0);
    }
    let mut rest = unsigned;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, tail) = rest.split_at_checked(end)?;
        let (factor, tail) = unit(tail)?;
        sum += number.parse::<f64>().ok()? * factor;
        rest = tail;
    }
    (!unsigned.is_empty()).then_some(sum)
}

fn unit(text: &str) -> Option<(f64, &str)> {
    const UNITS: [(&str, f64); 8] = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("μs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    UNITS
        .iter()
        .find_map(|(unit, factor)| Some((*factor, text.strip_prefix(unit)?)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[track_caller]
    fn check(given: Value, expected: Option<bool>) {
        let body = Map::from_iter([("keep_alive".to_owned(), given)]);
        assert_eq!(is_zero(&Fields::new(&body, "ChatRequest")).ok(), expected, "{body:?}");
    }

    #[test]
    fn durations_are_read_like_the_real_server_does() {
        for zero in [json!(0), json!("0"), json!("0s"), json!("-0h0m"), json!(0.0)] {
            check(zero, Some(true));
        }
        for kept in [
            json!(-1),
            json!(300),
            json!("5m"),
            json!("-1s"),
            json!("1h30m"),
            json!("1.5h"),
            json!("5µs"),
        ] {
            check(kept, Some(false));
        }
        check(json!(null), Some(false));
        for wrong in [
            json!("5"),
            json!("-1"),
            json!(""),
            json!("m"),
            json!("5 m"),
            json!("1..5s"),
            json!([]),
            json!(true),
        ] {
            check(wrong, None);
        }
    }
}
