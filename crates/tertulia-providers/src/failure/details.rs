//! The details of an error in Google's manner: a list of typed objects.

use std::time::Duration;

use serde_json::Value;

/// The word for a quota that comes back tomorrow: to wait for it is as good as none.
pub(super) const QUOTA_OF_A_DAY: &str = "quota_of_a_day";

/// What the details say.
#[derive(Debug, Default)]
pub(super) struct Details<'a> {
    /// Reasons, e.g. `API_KEY_INVALID`.
    pub(super) words: Vec<&'a str>,
    /// How long to wait.
    pub(super) after: Option<Duration>,
}

/// Reads `details` of an error, if it is such a list.
pub(super) fn read(error: &Value) -> Details<'_> {
    let mut details = Details::default();
    let listed = error.get("details").and_then(Value::as_array);
    for detail in listed.into_iter().flatten() {
        details.words.extend(detail.get("reason").and_then(Value::as_str));
        if violations(detail).any(|quota| quota.to_lowercase().contains("perday")) {
            details.words.push(QUOTA_OF_A_DAY);
        }
        details.after = details.after.or_else(|| delay(detail));
    }
    details
}

fn violations(detail: &Value) -> impl Iterator<Item = &str> {
    let violations = detail.get("violations").and_then(Value::as_array);
    let violations = violations.into_iter().flatten();
    violations.filter_map(|violation| violation.get("quotaId")?.as_str())
}

/// `RetryInfo`: seconds as text, `34.4s`.
fn delay(detail: &Value) -> Option<Duration> {
    let seconds = detail.get("retryDelay")?.as_str()?.trim().strip_suffix('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}
