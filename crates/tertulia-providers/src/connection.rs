//! The way to one server: no proxy, no redirect, and nothing that comes back shows the key.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tertulia_core::provider::{ProviderError, ProviderFault};

use crate::failure::{Evidence, NOT_TODAY, wait};
use crate::scrub::scrub;

/// As much as is read of the body of an error, in bytes.
const LONGEST_ERROR: usize = 64 << 10;
/// The longest answer that is no stream, in bytes.
const LONGEST_JSON: usize = 8 << 20;

/// Why a provider cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The base address is none.
    #[error("providers.{name}.base_url is not an http or https address")]
    BaseUrl {
        /// The provider's name.
        name: String,
    },
    /// No HTTP client could be made.
    #[error("the http client could not be made")]
    Client(#[source] reqwest::Error),
}

/// The way to one server, with one key.
#[derive(Clone)]
pub(crate) struct Connection {
    client: Client,
    key: Option<SecretString>,
    key_header: HeaderName,
    authorization: Option<HeaderValue>,
}

impl Connection {
    /// Makes the client; connects to nothing. A key of white space counts as none.
    ///
    /// # Errors
    /// When no client can be made (no certificates on this machine, say).
    pub(crate) fn new(key: Option<&SecretString>, connect_timeout: Duration) -> Result<Self, SetupError> {
        Self::with_key_in(AUTHORIZATION, "Bearer ", key, connect_timeout)
    }

    /// The same with the key in a header of its own, behind a prefix.
    ///
    /// # Errors
    /// As [`Connection::new`].
    pub(crate) fn with_key_in(
        key_header: HeaderName,
        prefix: &str,
        key: Option<&SecretString>,
        connect_timeout: Duration,
    ) -> Result<Self, SetupError> {
        let key = key.filter(|key| !key.expose_secret().trim().is_empty()).cloned();
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(connect_timeout)
            .build()
            .map_err(SetupError::Client)?;
        Ok(Self {
            client,
            authorization: key.as_ref().and_then(|key| secret(prefix, key)),
            key_header,
            key,
        })
    }

    /// There is a key that can be sent.
    pub(crate) fn has_key(&self) -> bool {
        self.authorization.is_some()
    }

    /// There is a key that cannot be sent at all, since it has a line break in it, say.
    pub(crate) fn has_bad_key(&self) -> bool {
        self.key.is_some() && self.authorization.is_none()
    }

    pub(crate) fn key(&self) -> Option<&SecretString> {
        self.key.as_ref()
    }

    pub(crate) fn get(&self, url: &Url) -> RequestBuilder {
        self.client.get(url.clone())
    }

    pub(crate) fn post(&self, url: &Url) -> RequestBuilder {
        self.client.post(url.clone())
    }

    /// An error without the key.
    pub(crate) fn error(&self, kind: ProviderFault, detail: &str) -> ProviderError {
        ProviderError::new(kind, scrub(detail, self.key()))
    }

    /// Sends; any status is an answer.
    pub(crate) async fn send(&self, request: RequestBuilder, accept: &'static str) -> Result<Response, ProviderError> {
        self.send_without_key(request.headers(self.headers(accept))).await
    }

    /// Sends to a server that is not to know the key; any status is an answer.
    pub(crate) async fn send_without_key(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        let sent = request.send().await;
        sent.map_err(|error| self.unsent(error, ProviderFault::Unreachable))
    }

    /// Sends what is not to be sent again: where the server may have got it, though nothing came back, it says so.
    pub(crate) async fn send_once(
        &self,
        request: RequestBuilder,
        accept: &'static str,
    ) -> Result<Response, ProviderError> {
        let sent = request.headers(self.headers(accept)).send().await;
        let lost = ProviderFault::Unavailable { after: Some(NOT_TODAY) };
        sent.map_err(|error| {
            let kind = if error.is_connect() {
                ProviderFault::Unreachable
            } else {
                lost
            };
            self.unsent(error, kind)
        })
    }

    fn unsent(&self, error: reqwest::Error, kind: ProviderFault) -> ProviderError {
        let kind = if error.is_builder() {
            ProviderFault::Rejected
        } else {
            kind
        };
        self.error(kind, &chain(&error.without_url()))
    }

    /// What an answer says that is no success.
    pub(crate) async fn refused(&self, response: Response) -> ProviderError {
        let status = response.status();
        let evidence = self.evidence(response).await;
        self.refusal(status, &evidence)
    }

    /// What is known of an answer that is no success.
    pub(crate) async fn evidence(&self, mut response: Response) -> Evidence {
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let after = wait(header("retry-after-ms"), header("retry-after"), header("date"));
        let may_retry = header("x-should-retry").and_then(|value| value.trim().parse().ok());
        let mut body = Vec::new();
        while body.len() < LONGEST_ERROR
            && let Ok(Some(bytes)) = response.chunk().await
        {
            body.extend_from_slice(&bytes);
        }
        body.truncate(LONGEST_ERROR);
        let evidence = Evidence::from_body(&String::from_utf8_lossy(&body));
        Evidence {
            status: Some(status.as_u16()),
            after: after.or(evidence.after),
            may_retry,
            ..evidence
        }
    }

    /// The error that such an answer is.
    pub(crate) fn refusal(&self, status: StatusCode, evidence: &Evidence) -> ProviderError {
        let detail = match evidence.message.as_str() {
            _ if status.is_redirection() => format!("{status}: a redirect, which is not followed; check base_url"),
            "" => status.to_string(),
            message => format!("{}: {message}", status.as_u16()),
        };
        self.error(evidence.fault(), &detail)
    }

    /// The body of an answer that is one JSON value.
    pub(crate) async fn json(&self, response: Response) -> Result<Value, ProviderError> {
        let body = self.body(response, LONGEST_JSON).await?;
        self.parsed(&body)
    }

    /// A JSON value.
    pub(crate) fn parsed(&self, body: &[u8]) -> Result<Value, ProviderError> {
        if body.trim_ascii().is_empty() {
            return Err(self.error(ProviderFault::Broken, "the answer is empty"));
        }
        serde_json::from_slice(body)
            .map_err(|error| self.error(ProviderFault::Broken, &format!("the answer is not understood: {error}")))
    }

    /// The body of an answer of at most so many bytes.
    pub(crate) async fn body(&self, mut response: Response, longest: usize) -> Result<Vec<u8>, ProviderError> {
        let broken = |detail: &str| self.error(ProviderFault::Broken, detail);
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) if body.len() + bytes.len() > longest => {
                    return Err(broken(&format!("an answer of more than {} MiB", longest >> 20)));
                }
                Ok(Some(bytes)) => body.extend_from_slice(&bytes),
                Ok(None) => return Ok(body),
                Err(error) => return Err(broken(&chain(&error.without_url()))),
            }
        }
    }

    fn headers(&self, accept: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(authorization) = &self.authorization {
            headers.insert(self.key_header.clone(), authorization.clone());
        }
        headers
    }
}

/// The error of a call for which a setting is missing.
pub(crate) fn not_set(setting: &str) -> ProviderError {
    ProviderError::new(ProviderFault::NotConfigured, format!("{setting} is not set"))
}

/// The model that a request means, where everything is there to ask it: the one it names, else the provider's own.
pub(crate) fn ready<'a>(
    missing: Option<&str>,
    provider: &str,
    named: &'a str,
    usual: &'a str,
) -> Result<&'a str, ProviderError> {
    if let Some(setting) = missing {
        return Err(not_set(setting));
    }
    match if named.is_empty() { usual } else { named } {
        "" => Err(not_set(&format!("providers.{provider}.model"))),
        model => Ok(model),
    }
}

/// The address below a base address, whose query stays; `None` if that is no HTTP address.
pub(crate) fn address_below(base: &str, segments: &[&str]) -> Option<Url> {
    let mut url = Url::parse(base.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url)
}

/// An address that may be shown: without user name, password, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    format!("{}://{}{port}{path}", url.scheme(), url.host_str().unwrap_or_default())
}

/// An error with all its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The value of the header with the key, marked so that nothing prints it.
fn secret(prefix: &str, key: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("{prefix}{}", key.expose_secret().trim())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed_and_checked() {
        let with = |key: &str| Connection::new(Some(&key.into()), Duration::from_secs(1)).unwrap();
        assert_eq!(
            with("k\n").authorization.as_ref().map(HeaderValue::as_bytes),
            Some(b"Bearer k".as_slice())
        );
        assert!(!with(" \n").has_key() && !with(" \n").has_bad_key());
        assert!(with("a\nb").has_bad_key());
    }

    #[test]
    fn addresses_keep_path_and_query() {
        let below = |base: &str| address_below(base, &["a", "b"]).map(|url| url.to_string());
        assert_eq!(below("http://h:1/v1").as_deref(), Some("http://h:1/v1/a/b"));
        assert_eq!(below("http://h/v1/").as_deref(), Some("http://h/v1/a/b"));
        assert_eq!(below("https://h").as_deref(), Some("https://h/a/b"));
        assert_eq!(below("https://h/d?v=1").as_deref(), Some("https://h/d/a/b?v=1"));
        assert_eq!((below("h:1/v1"), below("file:///etc")), (None, None));
    }
}
