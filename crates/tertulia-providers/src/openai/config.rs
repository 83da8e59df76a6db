//! The configuration of a provider of OpenAI's shape.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::Overrides;

/// The host that insists on a key and takes the newest fields.
pub(crate) const OFFICIAL_HOST: &str = "api.openai.com";

/// How to reach a provider of OpenAI's shape.
#[derive(Clone)]
pub struct OpenAiConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The kind to report, e.g. `openai`.
    pub kind: &'static str,
    /// The address in front of `/chat/completions`, e.g. `https://api.openai.com/v1`. A query stays where it is.
    pub base_url: String,
    /// The key; an empty one counts as none.
    pub api_key: Option<SecretString>,
    /// The model for requests that name none; may be empty.
    pub model: String,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// Overruled abilities.
    pub capabilities: Overrides,
}

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

impl OpenAiConfig {
    /// OpenAI itself, named `openai`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self {
            name: "openai".to_owned(),
            kind: "openai",
            base_url: format!("https://{OFFICIAL_HOST}/v1"),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            capabilities: Overrides::default(),
        }
    }

    /// A server of the same shape at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::official()
        }
    }

    pub(crate) fn endpoint(&self) -> Result<Url, SetupError> {
        self.address_of(&["chat", "completions"])
    }

    /// The address below the base address.
    pub(crate) fn address_of(&self, segments: &[&str]) -> Result<Url, SetupError> {
        let wrong = || SetupError::BaseUrl {
            name: self.name.clone(),
        };
        let mut url = Url::parse(self.base_url.trim()).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong());
        }
        url.path_segments_mut()
            .map_err(|()| wrong())?
            .pop_if_empty()
            .extend(segments);
        Ok(url)
    }

    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        super::bearer(self.api_key.as_ref().filter(|_| !self.has_no_key())?)
    }

    /// A key that cannot be sent at all, since it has a line break in it, say.
    pub(crate) fn has_bad_key(&self) -> bool {
        !self.has_no_key() && self.authorization().is_none()
    }

    fn has_no_key(&self) -> bool {
        self.api_key
            .as_ref()
            .is_none_or(|key| key.expose_secret().trim().is_empty())
    }
}

impl std::fmt::Debug for OpenAiConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = self
            .endpoint()
            .map_or_else(|_| "invalid".to_owned(), |url| address(&url));
        formatter
            .debug_struct("OpenAiConfig")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("address", &address)
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

/// An address that may be shown: without user name, password, query and fragment.
pub(crate) fn address(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path().trim_end_matches("/chat/completions");
    format!("{}://{}{port}{path}", url.scheme(), url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_keep_path_and_query() {
        let endpoint = |base: &str| OpenAiConfig::at(base).endpoint().map(|url| url.to_string()).ok();
        assert_eq!(
            endpoint("http://h:1/v1").as_deref(),
            Some("http://h:1/v1/chat/completions")
        );
        assert_eq!(
            endpoint("http://h/v1/").as_deref(),
            Some("http://h/v1/chat/completions")
        );
        assert_eq!(endpoint("https://h").as_deref(), Some("https://h/chat/completions"));
        assert_eq!(
            endpoint("https://h/d?v=1").as_deref(),
            Some("https://h/d/chat/completions?v=1")
        );
        assert_eq!(endpoint("h:1/v1"), None);
        assert_eq!(endpoint("file:///etc"), None);
    }

    #[test]
    fn keys_are_trimmed_and_checked() {
        let with = |key: &str| OpenAiConfig {
            api_key: Some(key.into()),
            ..OpenAiConfig::official()
        };
        assert_eq!(
            with("k\n").authorization().as_ref().map(HeaderValue::as_bytes),
            Some(b"Bearer k".as_slice())
        );
        assert!(with(" \n").authorization().is_none() && !with(" \n").has_bad_key());
        assert!(with("a\nb").has_bad_key());
    }

    #[test]
    fn nothing_secret_is_shown() {
        let config = OpenAiConfig {
            api_key: Some("canary".into()),
            ..OpenAiConfig::at("http://u:canary@h/v1?k=canary")
        };
        assert!(!format!("{config:?}").contains("canary"), "{config:?}");
    }
}
