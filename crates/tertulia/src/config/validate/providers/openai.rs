//! The kind `openai`.

use tertulia_providers::OpenAiConfig;

use super::kind::{Kind, Service};
use super::section::Section;
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "openai",
    has_server: true,
    keys: &[],
    model_keys: &[],
    read,
    service: Some(Service {
        title: "OpenAI",
        key_variables: &["OPENAI_API_KEY"],
        model_variable: "OPENAI_MODEL",
        usual_model: "gpt-4o-mini",
    }),
};

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(OpenAiConfig::official().server, known)?;
    Ok(ProviderKind::OpenAi(Box::new(OpenAiConfig::of(server))))
}
