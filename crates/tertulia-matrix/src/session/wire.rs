//! The few calls that come before the library: who somebody is, and logging in. The library would retry them by itself.

use std::time::Duration;

use matrix_sdk::reqwest::{self, Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::call::Failure;
use crate::fields::Fields;
use crate::refusal::Answer;

/// How long one call may take.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);
/// Longer answers are not read to their end, in bytes.
const LONGEST: usize = 4 << 20;
/// How we call ourselves.
pub(super) const AGENT: &str = concat!("tertulia/", env!("CARGO_PKG_VERSION"));
/// Where the client API is below the server's address.
const API: &str = "/_matrix/client/";

/// The client API of one server.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    http: reqwest::Client,
    address: String,
}

/// Why there is no good answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct No {
    pub(crate) failure: Failure,
    /// The session may be had again with the same keys.
    pub(crate) is_soft: bool,
}

/// Whom a token belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Who {
    pub(crate) user: String,
    pub(crate) device: Option<String>,
}

impl Wire {
    pub(crate) fn new(homeserver: &str) -> Result<Self, Failure> {
        let built = reqwest::Client::builder()
            .timeout(DEADLINE)
            .user_agent(AGENT)
            .pool_max_idle_per_host(0)
            .build();
        Ok(Self {
            http: built.map_err(|error| Failure::NotSent(error.to_string()))?,
            address: homeserver.trim_end_matches('/').to_owned(),
        })
    }

    /// Whose this token is.
    pub(crate) async fn who(&self, token: &str) -> Result<Who, No> {
        let told = self.get("v3/account/whoami", Some(token)).await?;
        let user = text(&told, "user_id").ok_or_else(|| self.no_homeserver(200))?;
        Ok(Who {
            user,
            device: text(&told, "device_id"),
        })
    }

    /// The signing key that the server knows of one of our devices, if there is one.
    pub(crate) async fn published_key(
        &self,
        token: &str,
        user: &impl AsRef<str>,
        device: &impl AsRef<str>,
    ) -> Result<Option<String>, Failure> {
        let (user, device) = (user.as_ref(), device.as_ref());
        let keys = self.keys(token, user).await.map_err(|no| no.failure)?;
        let known = keys.get("device_keys").and_then(|users| users.get(user)?.get(device));
        let name = format!("ed25519:{device}");
        Ok(known.and_then(|known| known.get("keys")?.get(name)?.as_str().map(str::to_owned)))
    }

    /// Everything that the server knows of a user's keys.
    pub(crate) async fn keys(&self, token: &str, user: &str) -> Result<Value, No> {
        let wanted = json!({"device_keys": {user: []}});
        self.post("v3/keys/query", Some(token), &wanted).await
    }

    pub(crate) async fn get(&self, path: &str, token: Option<&str>) -> Result<Value, No> {
        self.done(self.call(Method::GET, path, token)).await
    }

    pub(crate) async fn post(&self, path: &str, token: Option<&str>, body: &Value) -> Result<Value, No> {
        let call = self.call(Method::POST, path, token);
        let call = call.header("content-type", "application/json");
        self.done(call.body(body.to_string())).await
    }

    fn call(&self, method: Method, path: &str, token: Option<&str>) -> RequestBuilder {
        let call = self.http.request(method, format!("{}{API}{path}", self.address));
        match token {
            Some(token) => call.bearer_auth(token),
            None => call,
        }
    }

    async fn done(&self, call: RequestBuilder) -> Result<Value, No> {
        let answer = call.send().await.map_err(unsent)?;
        let status = answer.status().as_u16();
        let wait = answer.headers().get("retry-after");
        let retry_after = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
        let body = read(answer).await.map_err(unsent)?;
        match status {
            200..=299 => serde_json::from_str(&body).map_err(|_| self.no_homeserver(status)),
            _ => Err(self.refused(status, retry_after, &body)),
        }
    }

    fn refused(&self, status: u16, retry_after: Option<u64>, body: &str) -> No {
        let fields = Fields::read(body).unwrap_or_default();
        let code = fields.text("errcode").unwrap_or_default();
        if code.is_empty() && status != 429 {
            return self.no_homeserver(status);
        }
        let answer = Answer {
            status,
            retry_after,
            body,
        };
        No {
            failure: Failure::Answered {
                status,
                code,
                words: fields.text("error").unwrap_or_default(),
                refusal: Box::new(answer.refusal()),
            },
            is_soft: fields.flag("soft_logout"),
        }
    }

    /// Something else answers: a proxy whose server is away, or a wrong address.
    fn no_homeserver(&self, status: u16) -> No {
        let told = format!("what answers at {} is no homeserver (status {status})", self.address);
        No::from(Failure::Unknown(told))
    }
}

async fn read(mut answer: Response) -> Result<String, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() > LONGEST {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn unsent(error: reqwest::Error) -> No {
    // the address may hold what is nobody's business
    let error = error.without_url();
    let told = crate::call::told(&error);
    No::from(if error.is_connect() || error.is_builder() {
        Failure::NotSent(told)
    } else {
        Failure::Unknown(told)
    })
}

fn text(told: &Value, key: &str) -> Option<String> {
    told.get(key)?.as_str().map(str::to_owned)
}

impl From<Failure> for No {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            is_soft: false,
        }
    }
}
