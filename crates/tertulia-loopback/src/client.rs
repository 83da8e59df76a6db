//! Calls over HTTP, each with a deadline, and what their failures tell about whether they were done.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use tertulia_message::RateScope;

use crate::config::Config;
use crate::error::{CallError, Error};
use crate::wire;

/// The platform's HTTP side.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
    deadline: Duration,
}

impl Client {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        // plain HTTP only, so that no store of certificates has to be there
        let http = reqwest::Client::builder()
            .no_proxy()
            .http1_only()
            .redirect(Policy::none())
            .tls_certs_only([])
            // shorter than the whole deadline: a connection that does not come about is known not to have sent
            .connect_timeout(config.deadline() / 2)
            .build()
            .map_err(|error| Error::Client(error.without_url().to_string()))?;
        Ok(Self {
            http,
            base: config.base()?,
            deadline: config.deadline(),
        })
    }

    pub(crate) async fn me(&self) -> Result<wire::Me, CallError> {
        self.run(self.http.get(self.address("me")), Duration::ZERO).await
    }

    /// Waits up to `wait` for updates after the cursor; asking confirms everything up to it.
    pub(crate) async fn updates(&self, after: Option<u64>, wait: Duration) -> Result<wire::Updates, CallError> {
        let cursor = after.map_or_else(String::new, |after| format!("&after={after}"));
        let address = format!("{}?wait_ms={}{cursor}", self.address("updates"), wait.as_millis());
        self.run(self.http.get(address), wait).await
    }

    pub(crate) async fn act<T: DeserializeOwned>(&self, name: &str, act: &wire::Act<'_>) -> Result<T, CallError> {
        self.run(self.http.post(self.address(name)).json(act), Duration::ZERO)
            .await
    }

    fn address(&self, name: &str) -> String {
        format!("{}/bot/{name}", self.base)
    }

    async fn run<T: DeserializeOwned>(&self, request: RequestBuilder, wait: Duration) -> Result<T, CallError> {
        let sent = request.timeout(self.deadline + wait).send().await;
        let response = sent.map_err(|error| broken(&error))?;
        let status = response.status();
        let body = body(response).await?;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(|_| CallError::Unknown("an unreadable answer".to_owned()));
        }
        Err(refusal(status, &body))
    }
}

async fn body(response: Response) -> Result<Vec<u8>, CallError> {
    let body = response.bytes().await;
    body.map(|bytes| bytes.to_vec())
        .map_err(|_| CallError::Unknown("the answer broke off".to_owned()))
}

/// Without a connection nothing was sent; after that nobody knows.
fn broken(error: &reqwest::Error) -> CallError {
    if error.is_connect() || error.is_builder() {
        CallError::NotSent("no connection".to_owned())
    } else if error.is_timeout() {
        CallError::Unknown("no answer in time".to_owned())
    } else {
        CallError::Unknown("the connection broke".to_owned())
    }
}

fn refusal(status: StatusCode, body: &[u8]) -> CallError {
    if status == StatusCode::UNAUTHORIZED {
        return CallError::Unauthorized;
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return limited(body);
    }
    match serde_json::from_slice::<wire::Refusal>(body) {
        Ok(refusal) if refusal.error == "not_taken" => CallError::NotSent("the platform did not take it".to_owned()),
        Ok(refusal) if status.is_client_error() => CallError::Named {
            name: refusal.error,
            to: refusal.to,
        },
        Err(_) if status.is_client_error() => CallError::Named {
            name: format!("status {}", status.as_u16()),
            to: None,
        },
        _ => CallError::Unknown(format!("status {}", status.as_u16())),
    }
}

/// A limit without a body holds for the account, and for a second.
fn limited(body: &[u8]) -> CallError {
    let limited = serde_json::from_slice(body).unwrap_or(wire::Limited {
        after_ms: 1_000,
        scope: wire::Scope::Account,
    });
    CallError::RateLimited {
        after: Duration::from_millis(limited.after_ms),
        scope: match limited.scope {
            wire::Scope::Path => RateScope::Path,
            wire::Scope::Account => RateScope::Account,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_whether_it_was_done() {
        let of = |status, body: &str| refusal(StatusCode::from_u16(status).unwrap(), body.as_bytes());
        assert_eq!(of(401, ""), CallError::Unauthorized);
        assert!(matches!(of(503, r#"{"error":"not_taken"}"#), CallError::NotSent(_)));
        assert!(matches!(of(503, "busy"), CallError::Unknown(_)));
        assert!(matches!(of(500, r#"{"error":"gone"}"#), CallError::Unknown(_)));
        let named = |name: &str, to: Option<&str>| CallError::Named {
            name: name.into(),
            to: to.map(Into::into),
        };
        assert_eq!(of(400, r#"{"error":"moved","to":"b"}"#), named("moved", Some("b")));
        assert_eq!(of(404, "<html>"), named("status 404", None));
    }

    #[test]
    fn a_limit_is_read_or_assumed() {
        let of = |body: &str| refusal(StatusCode::TOO_MANY_REQUESTS, body.as_bytes());
        let limited = |ms, scope| CallError::RateLimited {
            after: Duration::from_millis(ms),
            scope,
        };
        assert_eq!(of(r#"{"after_ms":7,"scope":"path"}"#), limited(7, RateScope::Path));
        assert_eq!(of("slow down"), limited(1_000, RateScope::Account));
    }
}
