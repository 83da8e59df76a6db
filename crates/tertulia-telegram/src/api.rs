//! Calls of the Bot API, each with a deadline, and what their failures tell about whether they were done.
//!
//! teloxide makes the bodies and owns the client; the answers are read here, since teloxide sleeps ten seconds after every 5xx
//! and forgets the status, which tells whether something was done.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::multipart::Form;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use teloxide::Bot;
use teloxide::requests::Payload;

use crate::config::Config;
use crate::error::{CallError, Error};
use crate::wire;

/// A call has this much time, beside what it waits for on purpose.
const DEADLINE: Duration = Duration::from_secs(15);
/// Shorter than the whole deadline: a connection that does not come about is known not to have sent.
const CONNECT: Duration = Duration::from_secs(5);
/// Uploads of files of tens of megabytes over slow lines. The engine gives a delivery 90 seconds.
const UPLOAD: Duration = Duration::from_secs(80);
/// Downloads of such files.
const DOWNLOAD: Duration = Duration::from_mins(2);
/// Where Telegram says to wait and not how long.
const USUAL_WAIT: u64 = 5;
/// Longer answers are none, in bytes: a hundred updates of the largest kind are far smaller.
const LONGEST_ANSWER: usize = 32 << 20;

/// The Bot API for one bot.
pub(crate) struct Api {
    bot: Bot,
    /// `base/bot<token>`: a secret.
    methods: String,
    /// `base/file/bot<token>`: a secret.
    files: String,
}

impl Api {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let base = base(&config.base_url)?;
        let token = config.token.expose();
        if !is_token(token) {
            return Err(Error::Token);
        }
        let builder = reqwest::Client::builder();
        // proxies of the environment lead to other machines, and would carry the token there
        let builder = if is_here(&base) { builder.no_proxy() } else { builder };
        let client = builder
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Client(error.without_url().to_string()))?;
        Ok(Self {
            bot: Bot::with_client(token, client),
            methods: format!("{base}/bot{token}"),
            files: format!("{base}/file/bot{token}"),
        })
    }

    /// Calls a method by the body that teloxide makes for it.
    pub(crate) async fn call<P: Payload + Serialize + Sync, T: DeserializeOwned>(
        &self,
        payload: &P,
    ) -> Result<T, CallError> {
        self.call_by_name(P::NAME, payload, Duration::ZERO).await
    }

    /// Calls a method that teloxide does not know, or that waits for something: as long as `wait`.
    pub(crate) async fn call_by_name<T: DeserializeOwned>(
        &self,
        method: &str,
        body: &(impl Serialize + Sync),
        wait: Duration,
    ) -> Result<T, CallError> {
        let request = self.bot.client().post(self.address(method)).json(body);
        read(request.timeout(DEADLINE + wait)).await
    }

    /// Calls a method with files.
    pub(crate) async fn upload<T: DeserializeOwned>(&self, method: &str, form: Form) -> Result<T, CallError> {
        let request = self.bot.client().post(self.address(method)).multipart(form);
        read(request.timeout(UPLOAD)).await
    }

    /// Begins to fetch a file by the path that `getFile` gave.
    pub(crate) async fn download(&self, path: &str) -> Result<Response, CallError> {
        let address = format!("{}/{path}", self.files);
        let sent = self.bot.client().get(address).timeout(DOWNLOAD).send().await;
        let response = sent.map_err(|error| broken(&error))?;
        match response.status() {
            status if status.is_success() => Ok(response),
            status => Err(refusal(status, &[])),
        }
    }

    fn address(&self, method: &str) -> String {
        format!("{}/{method}", self.methods)
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Api(..)")
    }
}

/// The address without a final slash. It may hold a password, so no error repeats it.
fn base(address: &str) -> Result<String, Error> {
    let url = reqwest::Url::parse(address).map_err(|_| Error::BaseUrl)?;
    let is_usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    if !is_usable || url.query().is_some() || url.fragment().is_some() {
        return Err(Error::BaseUrl);
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// True if the server runs on this machine.
fn is_here(base: &str) -> bool {
    let url = reqwest::Url::parse(base).ok();
    let host = url.as_ref().and_then(reqwest::Url::host_str).unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host == "localhost", |address| address.to_canonical().is_loopback())
}

/// `123456:ABC-DEF_ghi`. Anything else could change the address it becomes a part of.
fn is_token(token: &str) -> bool {
    token.split_once(':').is_some_and(|(id, secret)| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()) && !secret.is_empty() && secret.chars().all(is_word)
    })
}

async fn read<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, CallError> {
    let response = request.send().await.map_err(|error| broken(&error))?;
    let status = response.status();
    let body = body(response).await?;
    understood(status, &body)
}

fn understood<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, CallError> {
    if !status.is_success() {
        return Err(refusal(status, body));
    }
    let unreadable = || CallError::Unknown("an unreadable answer".to_owned());
    let answer: wire::Answer = serde_json::from_slice(body).map_err(|_| unreadable())?;
    let code = answer.error_code.filter(|_| !answer.ok);
    if let Some(code) = code.and_then(|code| StatusCode::from_u16(code).ok()) {
        // whoever stands between may make a success of any answer, but not of its words
        return Err(refusal(code, body));
    }
    let result = answer.result.filter(|_| answer.ok).ok_or_else(unreadable)?;
    serde_json::from_value(result).map_err(|_| unreadable())
}

async fn body(mut response: Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= LONGEST_ANSWER => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Ok(Some(_)) => return Err(CallError::Unknown("an answer without end".to_owned())),
            Err(_) => return Err(CallError::Unknown("the answer broke off".to_owned())),
        }
    }
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

/// What an answer other than success means. Only a refusal in Telegram's own words proves that nothing was done, and a status
/// below 500 from whoever stands between.
fn refusal(status: StatusCode, body: &[u8]) -> CallError {
    let answer: wire::Answer = serde_json::from_slice(body).unwrap_or_default();
    if status == StatusCode::TOO_MANY_REQUESTS {
        let after = answer.parameters.retry_after.unwrap_or(USUAL_WAIT);
        return CallError::RateLimited(Duration::from_secs(after));
    }
    if let Some(chat) = answer.parameters.migrate_to_chat_id {
        return CallError::Moved(chat);
    }
    if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT {
        return CallError::Refused {
            code: status.as_u16(),
            description: answer.description,
        };
    }
    CallError::Unknown(format!("status {}", status.as_u16()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_whether_it_was_done() {
        let of = |status, body: &str| refusal(StatusCode::from_u16(status).unwrap(), body.as_bytes());
        assert!(matches!(of(502, "<html>"), CallError::Unknown(_)));
        assert!(matches!(
            of(500, r#"{"ok":false,"error_code":500,"description":"x"}"#),
            CallError::Unknown(_)
        ));
        assert!(matches!(of(302, ""), CallError::Unknown(_)));
        let limited = r#"{"ok":false,"error_code":429,"description":"d","parameters":{"retry_after":7}}"#;
        assert_eq!(of(429, limited), CallError::RateLimited(Duration::from_secs(7)));
        assert_eq!(
            of(429, "slow down"),
            CallError::RateLimited(Duration::from_secs(USUAL_WAIT))
        );
        let moved = r#"{"ok":false,"error_code":400,"description":"d","parameters":{"migrate_to_chat_id":-1001}}"#;
        assert_eq!(of(400, moved), CallError::Moved(-1001));
        let refused = |code, description: &str| CallError::Refused {
            code,
            description: description.to_owned(),
        };
        let blocked = r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}"#;
        assert_eq!(of(403, blocked), refused(403, "Forbidden: bot was blocked by the user"));
        assert_eq!(of(404, "<html>"), refused(404, ""));
    }

    #[test]
    fn a_refusal_in_a_success_is_a_refusal() {
        let of = |body: &str| understood::<bool>(StatusCode::OK, body.as_bytes());
        let limited = r#"{"ok":false,"error_code":429,"description":"d","parameters":{"retry_after":7}}"#;
        assert_eq!(of(limited), Err(CallError::RateLimited(Duration::from_secs(7))));
        let blocked = r#"{"ok":false,"error_code":403,"description":"d"}"#;
        assert!(matches!(of(blocked), Err(CallError::Refused { code: 403, .. })));
        for odd in [
            r#"{"ok":false}"#,
            r#"{"ok":false,"error_code":200}"#,
            "<html>",
            r#"{"ok":true}"#,
        ] {
            assert!(matches!(of(odd), Err(CallError::Unknown(_))), "{odd}");
        }
        assert_eq!(of(r#"{"ok":true,"result":true}"#), Ok(true));
    }

    #[test]
    fn this_machine_is_known_by_its_addresses() {
        for here in [
            "http://127.0.0.1:8081",
            "http://127.9.0.1",
            "http://[::1]:8081/tg",
            "http://localhost",
            "http://[::ffff:127.0.0.1]",
        ] {
            assert!(is_here(here), "{here}");
        }
        for there in [
            "https://api.telegram.org",
            "http://10.0.0.1",
            "http://[2001:db8::1]",
            "http://localhost.example",
        ] {
            assert!(!is_here(there), "{there}");
        }
    }

    #[test]
    fn only_what_can_be_a_token_becomes_part_of_an_address() {
        assert!(is_token("123456:ABC-DEF_ghi9"));
        for odd in [
            "", "123", "123:", ":abc", "a1:abc", "1:a/b", "1:a b", "1:a?b", "1:a\n", "1:a:b",
        ] {
            assert!(!is_token(odd), "{odd}");
        }
    }

    #[test]
    fn an_address_needs_a_host_and_may_have_a_path() {
        assert_eq!(base("https://api.telegram.org").unwrap(), "https://api.telegram.org");
        assert_eq!(base("http://127.0.0.1:8081/tg/").unwrap(), "http://127.0.0.1:8081/tg");
        for odd in ["", "x", "ftp://x", "http://", "http://x?y=1", "http://x#y"] {
            assert!(base(odd).is_err(), "{odd}");
        }
    }
}
