//! The kind `anthropic`.

use tertulia_providers::{AnthropicConfig, AnthropicModel, AnthropicThinking};

use super::kind::{Kind, Service};
use super::section::{ModelSection, Section};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "anthropic",
    has_server: true,
    keys: &["max_tokens"],
    media: &[],
    model_keys: &["max_tokens", "thinking", "takes_sampling", "takes_schema"],
    read,
    service: Some(Service {
        key_variables: &["ANTHROPIC_API_KEY"],
        model_variable: "ANTHROPIC_MODEL",
        usual_model: "claude-haiku-4-5",
    }),
};

const THINKING: [(&str, AnthropicThinking); 3] = [
    ("none", AnthropicThinking::None),
    ("budget", AnthropicThinking::Budget),
    ("adaptive", AnthropicThinking::Adaptive),
];

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(AnthropicConfig::official().server, known)?;
    let usual = AnthropicConfig::of(server);
    Ok(ProviderKind::Anthropic(Box::new(AnthropicConfig {
        max_tokens: section.whole("max_tokens").unwrap_or(usual.max_tokens),
        models: section.of_models(model)?,
        ..usual
    })))
}

fn model(section: &ModelSection<'_>) -> Result<AnthropicModel, ConfigError> {
    Ok(AnthropicModel {
        max_tokens: section.whole("max_tokens"),
        thinking: section.word("thinking", &THINKING)?,
        sampling: section.flag("takes_sampling"),
        schema: section.flag("takes_schema"),
    })
}
