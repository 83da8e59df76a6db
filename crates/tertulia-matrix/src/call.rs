//! What the failure of a call means, whatever was called.

use std::time::Duration;

use matrix_sdk::ruma::api::error::{ErrorBody, FromHttpResponseError};
use matrix_sdk::{Error, HttpError, RumaApiError};
use tertulia_message::DeliverError;

use crate::refusal::{Answer, Refusal};

/// Why a call failed. No text holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The server, or something before it, has answered, and it is no success.
    #[error("{status} {code} {words}")]
    Answered {
        /// The HTTP status.
        status: u16,
        /// The server's `errcode`; empty if it was not the server that answered.
        code: String,
        /// The server's words.
        words: String,
        /// What follows from it.
        refusal: Box<Refusal>,
    },
    /// Surely not done: nothing was sent.
    #[error("not sent: {0}")]
    NotSent(String),
    /// It may have been done.
    #[error("{0}")]
    Unknown(String),
}

impl Failure {
    /// The server knows the token no longer.
    pub(crate) fn is_dead_token(&self) -> bool {
        matches!(self, Self::Answered { refusal, .. } if **refusal == Refusal::DeadToken)
    }

    /// The server does not take what a message relates to.
    pub(crate) fn is_relation(&self) -> bool {
        matches!(self, Self::Answered { refusal, .. } if **refusal == Refusal::Relation)
    }

    /// How long the server wants us to wait, if it does.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Answered { refusal, .. } => match **refusal {
                Refusal::Failed(DeliverError::RateLimited { after, .. }) => Some(after),
                _ => None,
            },
            _ => None,
        }
    }

    /// True if the server itself has answered with this status.
    pub(crate) fn is_status(&self, expected: u16) -> bool {
        matches!(self, Self::Answered { status, code, .. } if *status == expected && !code.is_empty())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Http(error) => Self::from(*error),
            Error::Timeout => Self::Unknown("no answer in time".to_owned()),
            other => Self::NotSent(told(&other)),
        }
    }
}

impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        Self::of(&error)
    }
}

impl Failure {
    fn of(error: &HttpError) -> Self {
        match error {
            HttpError::Api(error) => match &**error {
                FromHttpResponseError::Server(RumaApiError::MatrixError(error)) => {
                    answered(error.status_code.as_u16(), &error.body)
                }
                // a success that could not be read
                other => Self::Unknown(other.to_string()),
            },
            HttpError::Cached(error) => Self::of(error),
            HttpError::Reqwest(error) if error.is_connect() || error.is_builder() => Self::NotSent(told(error)),
            HttpError::Reqwest(error) => Self::Unknown(told(error)),
            other => Self::NotSent(told(other)),
        }
    }
}

fn answered(status: u16, body: &ErrorBody) -> Failure {
    let (code, words, body) = match body {
        ErrorBody::Standard(standard) => (
            standard.kind.errcode().to_string(),
            standard.message.clone(),
            serde_json::to_string(standard).unwrap_or_default(),
        ),
        ErrorBody::Json(json) => (String::new(), String::new(), json.to_string()),
        ErrorBody::NotJson { .. } => <_>::default(),
    };
    let answer = Answer {
        status,
        retry_after: None,
        body: &body,
    };
    Failure::Answered {
        status,
        code,
        words,
        refusal: Box::new(answer.refusal()),
    }
}

/// An error with its causes, on one line.
pub(crate) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace(['\n', '\r'], " ")
}
