//! OpenAI's chat completions, and every server that speaks them under its own address.

mod abilities;
mod answer;
mod chunk;
mod config;
mod content;
mod names;
mod pairs;
mod reader;
mod request;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Provider};

use crate::failure::{Evidence, wait};
use crate::scrub::scrub;

pub use config::{OpenAiConfig, SetupError};

use names::Names;

/// As much as is read of the body of an error, in bytes.
const LONGEST_ERROR: usize = 64 << 10;

/// A provider of OpenAI's shape.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct OpenAi {
    config: OpenAiConfig,
    endpoint: Url,
    models: Url,
    official: bool,
    missing: Option<String>,
    authorization: Option<HeaderValue>,
    client: Client,
}

impl OpenAi {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: OpenAiConfig) -> Result<Self, SetupError> {
        let endpoint = config.endpoint()?;
        let models = config.address_of(&["models"])?;
        let official = endpoint.host_str() == Some(config::OFFICIAL_HOST);
        let authorization = config.authorization();
        let missing = (config.has_bad_key() || (official && authorization.is_none()))
            .then(|| format!("providers.{}.api_key_file", config.name));
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(config.connect_timeout)
            .build()
            .map_err(SetupError::Client)?;
        Ok(Self {
            config,
            endpoint,
            models,
            official,
            missing,
            authorization,
            client,
        })
    }

    fn dialect(&self) -> request::Dialect {
        request::Dialect {
            official: self.official,
        }
    }

    fn key(&self) -> Option<&SecretString> {
        self.config.api_key.as_ref()
    }

    fn error(&self, kind: ProviderFault, detail: &str) -> ProviderError {
        ProviderError::new(kind, scrub(detail, self.key()))
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        headers
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        let sent = request.headers(self.headers()).send().await;
        sent.map_err(|error| {
            let kind = if error.is_builder() {
                ProviderFault::Rejected
            } else {
                ProviderFault::Unreachable
            };
            self.error(kind, &answer::chain(&error.without_url()))
        })
    }

    async fn refused(&self, mut response: Response) -> ProviderError {
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let after = wait(header("retry-after-ms"), header("retry-after"));
        let mut body = Vec::new();
        while body.len() < LONGEST_ERROR
            && let Ok(Some(bytes)) = response.chunk().await
        {
            body.extend_from_slice(&bytes);
        }
        body.truncate(LONGEST_ERROR);
        let evidence = Evidence::from_body(&String::from_utf8_lossy(&body));
        let evidence = Evidence {
            status: Some(status.as_u16()),
            after: after.or(evidence.after),
            ..evidence
        };
        let detail = match evidence.message.as_str() {
            "" if status.is_redirection() => format!("{status}: a redirect, which is not followed; check base_url"),
            "" => status.to_string(),
            message => format!("{}: {message}", status.as_u16()),
        };
        self.error(evidence.fault(), &detail)
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn kind(&self) -> &'static str {
        self.config.kind
    }

    fn capabilities(&self, model: &str) -> Capabilities {
        self.config
            .capabilities
            .apply(model, abilities::known(model, self.official))
    }

    fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    fn describe(&self) -> String {
        let model = if self.config.model.is_empty() {
            "no default model"
        } else {
            &self.config.model
        };
        format!("{} at {}, {model}", self.config.kind, config::address(&self.endpoint))
    }

    /// Asks for the list of models: it costs nothing, and says whether the address and the key are right. Servers that have
    /// no such list answer 404; that they answer is enough then.
    async fn probe(&self, _model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let response = self.send(self.client.get(self.models.clone())).await?;
        if response.status().is_success() || response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(());
        }
        Err(self.refused(response).await)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let model = if request.model.is_empty() {
            &self.config.model
        } else {
            &request.model
        };
        if model.is_empty() {
            return Err(not_set(&format!("providers.{}.model", self.config.name)));
        }
        let names = Names::new(&request.tools);
        let body = request::body(model, &request, &names, self.dialect());
        let response = self.send(self.client.post(self.endpoint.clone()).json(&body)).await?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        answer::stream(response, names, self.config.api_key.clone())
    }
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OpenAi")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

fn not_set(setting: &str) -> ProviderError {
    ProviderError::new(ProviderFault::NotConfigured, format!("{setting} is not set"))
}

/// The value of the `Authorization` header, marked so that nothing prints it.
fn bearer(key: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", key.expose_secret().trim())).ok()?;
    value.set_sensitive(true);
    Some(value)
}
