//! The headers that tell of rates.

use std::time::Duration;

/// How long we wait where Discord does not say, after a refusal.
const USUAL_WAIT: Duration = Duration::from_secs(1);
/// Longer waits are cut.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// What an answer tells of rates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Headers {
    /// `X-RateLimit-Bucket`.
    pub bucket: Option<String>,
    /// `X-RateLimit-Limit`.
    pub limit: Option<u32>,
    /// `X-RateLimit-Remaining`.
    pub remaining: Option<u32>,
    /// `X-RateLimit-Reset-After`, with its fraction.
    pub reset_after: Option<Duration>,
    /// `Retry-After`.
    pub retry_after: Option<Duration>,
    /// `X-RateLimit-Global`, or the scope `global`.
    pub is_global: bool,
    /// True for the status 429.
    pub is_refusal: bool,
}

impl Headers {
    /// Reads them; `header` looks one up without regard to case.
    pub fn read<'h>(status: u16, header: impl Fn(&str) -> Option<&'h str>) -> Self {
        let seconds = |name: &str| {
            let seconds = header(name)?.trim().parse::<f64>().ok()?;
            Duration::try_from_secs_f64(seconds).ok()
        };
        let is_refusal = status == 429;
        let is_marked = header("X-RateLimit-Global").is_some_and(|word| word.trim() == "true");
        Self {
            bucket: header("X-RateLimit-Bucket").map(|name| name.chars().take(64).collect()),
            limit: header("X-RateLimit-Limit").and_then(|number| number.trim().parse().ok()),
            remaining: header("X-RateLimit-Remaining").and_then(|number| number.trim().parse().ok()),
            reset_after: seconds("X-RateLimit-Reset-After"),
            retry_after: seconds("Retry-After"),
            is_global: is_refusal && (is_marked || header("X-RateLimit-Scope") == Some("global")),
            is_refusal,
        }
    }

    /// How long the window still is; after a refusal how long we are to wait.
    pub(super) fn wait(&self) -> Duration {
        let told = if self.is_refusal {
            self.retry_after.max(self.reset_after).or(Some(USUAL_WAIT))
        } else {
            self.reset_after
        };
        told.unwrap_or_default().min(LONGEST_WAIT)
    }
}
