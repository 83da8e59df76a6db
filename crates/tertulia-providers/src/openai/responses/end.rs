//! How an answer ended, and what it cost.

use serde_json::Value;
use tertulia_core::provider::{ProviderError, Stop, Usage};

use crate::answer::broken;
use crate::failure::Evidence;

/// Why an answer ended, as its status says, or as the event says where it has none; an end that is no answer is an error.
pub(super) fn stop(response: &Value, event: &str, calls: bool, refused: bool) -> Result<Stop, ProviderError> {
    let by_event = event.strip_prefix("response.").unwrap_or(event);
    let status = response.get("status").and_then(Value::as_str).unwrap_or(by_event);
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    if response.get("error").is_some_and(|error| !error.is_null()) {
        return Err(Evidence::from_json(response).error());
    }
    match (status, reason) {
        ("completed" | "complete", _) if calls => Ok(Stop::ToolCalls),
        ("completed" | "complete", _) if refused => Ok(Stop::Filtered),
        ("completed" | "complete", _) => Ok(Stop::Done),
        ("incomplete", Some("max_output_tokens")) => Ok(Stop::Length),
        ("incomplete", Some("content_filter")) => Ok(Stop::Filtered),
        (status, Some(reason)) => Err(broken(format!("the answer ended {status}: {reason}"))),
        (status, None) => Err(broken(format!("the answer ended {status}"))),
    }
}

/// The counts, if there are any. The tokens of the cache are among those read, and what was thought among those written.
pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let (tokens_in, tokens_out) = (count("/input_tokens"), count("/output_tokens"));
    (tokens_in.is_some() || tokens_out.is_some()).then(|| Usage {
        tokens_in,
        tokens_out,
        cache_read: count("/input_tokens_details/cached_tokens"),
        cache_written: count("/input_tokens_details/cache_write_tokens"),
        cost: None,
    })
}
