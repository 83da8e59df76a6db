//! A prediction, as the server describes it.

use reqwest::Url;
use serde_json::Value;
use tertulia_core::provider::{ProviderError, ProviderFault, Usage};

use super::hosts::Hosts;
use crate::answer::broken;
use crate::failure::Evidence;

/// A prediction at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Prediction {
    pub(crate) state: State,
    pub(crate) output: Value,
    metrics: Value,
}

/// What has become of a prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits or runs.
    Going,
    Succeeded,
    /// It ended without an answer.
    Failed(ProviderError),
}

/// Where more is said of a prediction.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) get: Url,
    pub(crate) cancel: Option<Url>,
    pub(crate) stream: Option<Url>,
}

impl Prediction {
    /// Reads what the server says.
    ///
    /// # Errors
    /// It is no prediction.
    pub(crate) fn read(said: &Value) -> Result<Self, ProviderError> {
        let Some(status) = said.get("status").and_then(Value::as_str) else {
            return Err(broken("the answer is no prediction; check base_url"));
        };
        let state = match status {
            "succeeded" => State::Succeeded,
            "failed" => State::Failed(failed(said.get("error").unwrap_or(&Value::Null))),
            "canceled" | "aborted" => State::Failed(ended(status)),
            _ => State::Going,
        };
        let field = |name: &str| said.get(name).cloned().unwrap_or_default();
        Ok(Self {
            state,
            output: field("output"),
            metrics: field("metrics"),
        })
    }

    /// The text of the output so far: one text, or pieces of it. Addresses of files are none.
    pub(crate) fn text(&self) -> Result<String, ProviderError> {
        let is_file = |piece: &Value| piece.as_str().is_some_and(Hosts::is_file);
        match &self.output {
            Value::Null => Ok(String::new()),
            piece if is_file(piece) => Ok(String::new()),
            Value::String(text) => Ok(text.clone()),
            Value::Array(pieces) if pieces.iter().all(is_file) => Ok(String::new()),
            Value::Array(pieces) => {
                let texts = pieces.iter().map(Value::as_str).collect::<Option<String>>();
                texts.ok_or_else(|| broken("the output of the prediction is no text"))
            }
            _ => Err(broken("the output of the prediction is no text")),
        }
    }

    /// What it has cost; `second` is the price of one, in billionths of a dollar.
    pub(crate) fn usage(&self, second: Option<u64>) -> Option<Usage> {
        let count = |field: &str| self.metrics.get(field).and_then(Value::as_u64);
        let seconds = self.metrics.get("predict_time").and_then(Value::as_f64);
        let usage = Usage {
            tokens_in: count("input_token_count"),
            tokens_out: count("output_token_count"),
            cost: seconds.zip(second).map(|(seconds, price)| cost(seconds, price)),
            ..Usage::default()
        };
        (usage != Usage::default()).then_some(usage)
    }
}

impl Places {
    /// Reads the addresses that the server names, as far as they may be followed.
    ///
    /// # Errors
    /// It names none to look at, or one elsewhere.
    pub(crate) fn read(said: &Value, hosts: &Hosts) -> Result<Self, ProviderError> {
        let named = |what: &str| said.pointer(&format!("/urls/{what}")).and_then(Value::as_str);
        let own = |what: &str| named(what).map(|address| hosts.own(address));
        let elsewhere = || broken("the server names an address elsewhere, which is not followed");
        Ok(Self {
            get: own("get")
                .ok_or_else(|| broken("the prediction has no address"))?
                .ok_or_else(elsewhere)?,
            cancel: Self::to_cancel(said, hosts),
            stream: named("stream").and_then(|address| hosts.of_stream(address)),
        })
    }

    /// Where it is cancelled, if that may be followed.
    pub(crate) fn to_cancel(said: &Value, hosts: &Hosts) -> Option<Url> {
        hosts.own(said.pointer("/urls/cancel")?.as_str()?)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a price: rounding is what is wanted, and what is out of range is cut to it"
)]
fn cost(seconds: f64, price: u64) -> u64 {
    (seconds.max(0.0) * price as f64).round() as u64
}

/// The error of a prediction that failed, in the words of the model's own program.
pub(crate) fn failed(said: &Value) -> ProviderError {
    let evidence = match said {
        Value::String(text) => Evidence::from_body(text),
        said => Evidence::from_json(said),
    };
    let detail = match evidence.message.as_str() {
        "" | "null" => "the prediction failed",
        message => message,
    };
    ProviderError::new(evidence.fault(), detail)
}

/// The error of a prediction that somebody or something ended.
pub(crate) fn ended(how: &str) -> ProviderError {
    ProviderError::new(ProviderFault::Broken, format!("the prediction was {how}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(said: &Value) -> Prediction {
        Prediction::read(said).unwrap()
    }

    #[test]
    fn outputs_are_texts_or_lists_of_them() {
        let text = |output: Value| read(&json!({"status": "processing", "output": output})).text();
        assert_eq!(text(json!(null)), Ok(String::new()));
        assert_eq!(text(json!("one")), Ok("one".into()));
        assert_eq!(text(json!(["o", "", "ne"])), Ok("one".into()));
        assert_eq!(
            text(json!(["https://replicate.delivery/x/out.webp"])),
            Ok(String::new())
        );
        assert!(text(json!({"text": "one"})).is_err() && text(json!(["a", 1])).is_err());
    }

    #[test]
    fn states_are_told_apart() {
        let state = |status: &str, error: Value| read(&json!({"status": status, "error": error})).state;
        assert_eq!(state("starting", json!(null)), State::Going);
        assert_eq!(state("succeeded", json!(null)), State::Succeeded);
        for status in ["canceled", "aborted"] {
            assert_eq!(state(status, json!(null)), State::Failed(ended(status)));
        }
        let kind = |error: Value| match state("failed", error) {
            State::Failed(error) => (error.kind, error.detail),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            kind(json!(null)),
            (ProviderFault::Broken, "the prediction failed".into())
        );
        assert_eq!(kind(json!("the prompt is too long")).0, ProviderFault::ContextTooLong);
        assert_eq!(kind(json!("x: y")), (ProviderFault::Broken, "x: y".into()));
        assert!(Prediction::read(&json!({"detail": "x"})).is_err());
    }

    #[test]
    fn seconds_can_cost() {
        let metrics = json!({"predict_time": 1.5, "input_token_count": 12, "output_token_count": 4});
        let prediction = read(&json!({"status": "succeeded", "metrics": metrics}));
        let tokens = Usage {
            tokens_in: Some(12),
            tokens_out: Some(4),
            ..Usage::default()
        };
        assert_eq!(prediction.usage(None), Some(tokens));
        let cost = Some(2_100_000);
        assert_eq!(prediction.usage(Some(1_400_000)), Some(Usage { cost, ..tokens }));
        assert_eq!(read(&json!({"status": "succeeded"})).usage(Some(1)), None);
    }
}
