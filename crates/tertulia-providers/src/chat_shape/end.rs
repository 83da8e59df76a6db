//! Why an answer ended.

use tertulia_core::provider::{ProviderError, Stop};

use crate::answer::broken;

/// What a `finish_reason` means; one that says that the provider gave up is an error, since half an answer is none.
pub(crate) fn stop(reason: Option<&str>, calls: bool, refused: bool) -> Result<Stop, ProviderError> {
    match reason {
        None => Err(broken("the answer ended without a finish_reason")),
        Some("error") => Err(broken("the provider ended the answer with an error")),
        Some(
            reason @ ("insufficient_system_resource"
            | "network_error"
            | "abort"
            | "aborted"
            | "cancelled"
            | "canceled"
            | "timeout"),
        ) => Err(broken(format!(
            "the provider gave up in the middle of the answer: {reason}"
        ))),
        Some("tool_calls" | "function_call") => Ok(Stop::ToolCalls),
        Some("length" | "model_length" | "max_tokens") => Ok(Stop::Length),
        Some("content_filter" | "sensitive") => Ok(Stop::Filtered),
        Some(_) if calls => Ok(Stop::ToolCalls),
        Some(_) if refused => Ok(Stop::Filtered),
        Some(_) => Ok(Stop::Done),
    }
}
