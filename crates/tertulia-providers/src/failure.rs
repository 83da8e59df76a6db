//! Classifies what a provider says when it refuses or breaks: by status and code first, by wording last.

mod details;
mod hints;

use std::time::Duration;

use serde_json::Value;
use tertulia_core::provider::{ProviderError, ProviderFault};

pub(crate) use hints::wait;

/// What is known about a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Evidence {
    /// The HTTP status, or the one an error inside a stream names.
    pub(crate) status: Option<u16>,
    /// `error.code` and `error.type` and the like, in lower case.
    pub(crate) words: Vec<String>,
    /// The parameter that it is about.
    pub(crate) param: Option<String>,
    /// What the provider says, for operators.
    pub(crate) message: String,
    /// How long it asks to wait.
    pub(crate) after: Option<Duration>,
    /// It says that it moderates the content.
    pub(crate) moderated: bool,
    /// It says whether to ask again (`x-should-retry`).
    pub(crate) may_retry: Option<bool>,
}

/// The wait that stands for "do not ask again": longer than anybody waits.
pub(crate) const NOT_TODAY: Duration = Duration::from_hours(24);

const NO_MONEY: [&str; 12] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "enforced_spend_limit_reached",
    "billing_hard_limit_reached",
    "payment_required",
    "billing_error",
    "billing_not_active",
    "insufficient_balance",
    details::QUOTA_OF_A_DAY,
];
const SOUNDS_LIKE_NO_MONEY: [&str; 2] = ["credit balance is too low", "enforced_spend_limit_reached"];
const SLOW_DOWN: [&str; 4] = [
    "rate_limit_exceeded",
    "rate_limit_error",
    "slow_down",
    "rate_limit_reached",
];
const WRONG_KEY: [&str; 4] = [
    "invalid_api_key",
    "authentication_error",
    "permission_error",
    "api_key_invalid",
];
const OVERLOADED: [&str; 9] = [
    "server_is_overloaded",
    "overloaded_error",
    "overloaded",
    "server_error",
    "service_unavailable_error",
    "provider_overloaded",
    "provider_unavailable",
    "api_error",
    "timeout_error",
];
const TOO_LONG: [&str; 4] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "model_context_window_exceeded",
    "request_too_large",
];
const REFUSED: [&str; 3] = ["invalid_request_error", "invalid_value", "unsupported_value"];
const MODERATED: [&str; 3] = ["content_policy_violation", "content_filter", "moderation_blocked"];
const SOUNDS_TOO_LONG: [&str; 18] = [
    "context_length_exceeded",
    "maximum context length",
    "prompt is too long",
    "exceeds the maximum number of tokens",
    "input token count",
    "exceeds the available context size",
    "exceed_context_size",
    "input is too long",
    "reduce the length of the messages",
    "max_new_tokens must be <=",
    "longer than the context length",
    "exceeds the context length",
    "exceeds the context window",
    "exceed context limit",
    "model_context_window_exceeded",
    "token limit",
    "maximum prompt length",
    "inputs must have less than",
];
const SOUNDS_LIKE_A_RATE: [&str; 5] = ["rate limit", "quota", "per minute", "tokens per min", "(tpm)"];

impl Evidence {
    /// Reads an error's JSON: an object with `error`, with `message`, with `detail`, a list of one, or a bare text.
    pub(crate) fn from_json(value: &Value) -> Self {
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let field = |name: &str| {
            error
                .get(name)
                .or_else(|| value.get(name))
                .filter(|field| !field.is_null())
        };
        let message = match error {
            Value::String(text) => text.clone(),
            _ => ["message", "detail", "error"]
                .into_iter()
                .find_map(field)
                .map(plain)
                .unwrap_or_default(),
        };
        let metadata = |field: &str| error.get("metadata")?.get(field).filter(|told| !told.is_null());
        let told = |field: &str| metadata(field).map(plain).unwrap_or_default();
        let message = [message, told("provider_name"), told("raw")]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(": ");
        let number = |name: &str| {
            field(name)
                .and_then(Value::as_u64)
                .and_then(|status| u16::try_from(status).ok())
        };
        let typed = ["code", "type", "error_type", "status"]
            .into_iter()
            .filter_map(|name| field(name)?.as_str());
        let nested = metadata("error_type").and_then(Value::as_str);
        let details = details::read(error);
        Self {
            status: number("status_code")
                .or_else(|| number("code"))
                .filter(|status| (400..600).contains(status)),
            words: typed
                .chain(nested)
                .chain(details.words)
                .map(str::to_lowercase)
                .collect(),
            param: field("param").and_then(Value::as_str).map(str::to_owned),
            after: details
                .after
                .or_else(|| hints::told(value))
                .or_else(|| hints::told(error))
                .or_else(|| hints::said(&message)),
            message,
            may_retry: None,
            moderated: metadata("reasons").is_some(),
        }
    }

    /// Reads an error's body, whatever it is.
    pub(crate) fn from_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body.trim()) {
            Ok(value) => Self::from_json(&value),
            Err(_) => Self {
                message: body.trim().to_owned(),
                ..Self::default()
            },
        }
    }

    /// What the caller may do about it.
    pub(crate) fn fault(&self) -> ProviderFault {
        let fault = self.fault_by_itself();
        let after = Some(NOT_TODAY);
        match (self.may_retry, fault) {
            (Some(false), ProviderFault::RateLimited { .. }) => ProviderFault::RateLimited { after },
            (Some(false), ProviderFault::Unavailable { .. }) => ProviderFault::Unavailable { after },
            (Some(true), ProviderFault::Rejected) if !self.is_moderated() => {
                ProviderFault::Unavailable { after: self.after }
            }
            (_, fault) => fault,
        }
    }

    /// The error that it is inside an answer.
    pub(crate) fn error(&self) -> ProviderError {
        let detail = match self.message.as_str() {
            "" => "an error without a message",
            message => message,
        };
        ProviderError::new(self.fault(), detail)
    }

    fn fault_by_itself(&self) -> ProviderFault {
        let after = self.after;
        if self.says(&NO_MONEY) || self.sounds(&SOUNDS_LIKE_NO_MONEY) {
            return ProviderFault::Billing;
        }
        if self.is_too_long() {
            return ProviderFault::ContextTooLong;
        }
        match self.status {
            None => self.fault_by_words(),
            Some(403) if self.is_moderated() => ProviderFault::Rejected,
            Some(401 | 403) => ProviderFault::Unauthorized,
            Some(402) => ProviderFault::Billing,
            Some(429) => ProviderFault::RateLimited { after },
            Some(408 | 409 | 500..=599) => ProviderFault::Unavailable { after },
            Some(400 | 404 | 413 | 422) if self.is_about_the_model() => ProviderFault::NoSuchModel,
            Some(_) if self.says(&SLOW_DOWN) => ProviderFault::RateLimited { after },
            Some(_) if self.says(&WRONG_KEY) => ProviderFault::Unauthorized,
            Some(_) if self.says(&OVERLOADED) => ProviderFault::Unavailable { after },
            // whatever it was that was too large: there is less of it in a shorter question
            Some(413) if !self.sounds(&SOUNDS_LIKE_A_RATE) => ProviderFault::ContextTooLong,
            Some(_) => ProviderFault::Rejected,
        }
    }

    /// An error inside a stream that names no status.
    fn fault_by_words(&self) -> ProviderFault {
        let after = self.after;
        if self.says(&SLOW_DOWN) {
            ProviderFault::RateLimited { after }
        } else if self.says(&WRONG_KEY) {
            ProviderFault::Unauthorized
        } else if self.says(&OVERLOADED) {
            ProviderFault::Unavailable { after }
        } else if self.says(&["model_not_found"]) {
            ProviderFault::NoSuchModel
        } else if self.says(&REFUSED) || self.is_moderated() {
            ProviderFault::Rejected
        } else {
            ProviderFault::Broken
        }
    }

    fn is_moderated(&self) -> bool {
        self.moderated || self.says(&MODERATED)
    }

    fn says(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    fn sounds(&self, phrases: &[&str]) -> bool {
        let message = self.message.to_lowercase().replace('`', "");
        phrases.iter().any(|phrase| message.contains(phrase))
    }

    fn is_too_long(&self) -> bool {
        self.says(&TOO_LONG)
            || (matches!(self.status, None | Some(400 | 413 | 422))
                && self.sounds(&SOUNDS_TOO_LONG)
                && !self.sounds(&SOUNDS_LIKE_A_RATE))
    }

    fn is_about_the_model(&self) -> bool {
        let unknown = [
            "does not exist",
            "not found",
            "not a valid model",
            "no such model",
            "not supported by",
        ];
        let names_it = self.says(&["not_found_error"]) && self.message.starts_with("model:");
        names_it || self.says(&["model_not_found"]) || (self.sounds(&["model"]) && self.sounds(&unknown))
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
