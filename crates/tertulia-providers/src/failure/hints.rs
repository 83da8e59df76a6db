//! How long a provider asks to wait: in headers, in fields of its own, or in words.

use std::time::Duration;

use serde_json::Value;

/// What stands before a wait in an error's words.
const BEFORE_A_WAIT: [&str; 3] = ["try again in ", "retry in ", "resets in ~"];

/// The wait of the headers `retry-after-ms` and `retry-after`: in whole or broken seconds, or a date. Of a date that of the
/// answer is taken, which stands in `date`: our clock and theirs need not agree.
pub(crate) fn wait(milliseconds: Option<&str>, after: Option<&str>, date: Option<&str>) -> Option<Duration> {
    let number = |text: Option<&str>| text?.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let seconds = number(milliseconds).map(|wait| wait / 1000.0).or_else(|| number(after));
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => until(after?, date?),
    }
}

fn until(after: &str, date: &str) -> Option<Duration> {
    let at = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    // one that has passed is no wait at all
    Some(at(after)?.duration_since(at(date)?).unwrap_or_default())
}

/// The wait that a field of an error's body names, in seconds: while a model is being loaded, say.
pub(super) fn told(value: &Value) -> Option<Duration> {
    let field = |name: &str| value.get(name).and_then(Value::as_f64);
    let seconds = field("retry_after").or_else(|| field("estimated_time"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The wait that an error's words name: `Please try again in 1m2.5s.`
pub(super) fn said(message: &str) -> Option<Duration> {
    let message = message.to_lowercase();
    let named = BEFORE_A_WAIT
        .iter()
        .find_map(|before| message.split_once(before))
        .map(|(_, rest)| rest)?;
    let mut rest = named;
    let mut seconds = None;
    while let Some((number, unit, behind)) = number_and_unit(rest) {
        let factor = match unit {
            "ms" => 0.001,
            "s" | "second" | "seconds" => 1.0,
            "m" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * factor);
        rest = behind;
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

/// A number with the letters behind it, and what follows.
fn number_and_unit(text: &str) -> Option<(f64, &str, &str)> {
    let text = text.trim_start();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(digits);
    let rest = rest.trim_start();
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (unit, behind) = rest.split_at(letters);
    Some((number.parse().ok()?, unit, behind))
}
