//! The kind `openrouter`.

use tertulia_providers::OpenRouterConfig;

use super::chat;
use super::kind::{Kind, Service};
use super::section::Section;
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "openrouter",
    has_server: true,
    keys: &["site_url", "site_name"],
    media: &[],
    model_keys: chat::MODEL_KEYS,
    read,
    service: Some(Service {
        key_variables: &["OPENROUTER_API_KEY"],
        model_variable: "OPENROUTER_MODEL",
        usual_model: "openai/gpt-5-mini",
    }),
};

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(OpenRouterConfig::official().server, known)?;
    Ok(ProviderKind::OpenRouter(Box::new(OpenRouterConfig {
        models: section.of_models(chat::model)?,
        site_url: line(section, "site_url")?,
        site_name: line(section, "site_name")?,
        ..OpenRouterConfig::of(server)
    })))
}

/// A text that stands in a header, where no line breaks can be.
fn line(section: &Section<'_>, key: &str) -> Result<Option<String>, ConfigError> {
    match section.text(key) {
        Some(text) if text.contains(char::is_control) => Err(section.wrong(key, "must be one line of text")),
        text => Ok(text.map(str::to_owned)),
    }
}
