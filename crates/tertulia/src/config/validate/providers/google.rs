//! The kind `google`.

use tertulia_providers::{GoogleConfig, GoogleModel, GoogleThinking};

use super::kind::{Kind, Service};
use super::media;
use super::section::{ModelSection, Section};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "google",
    has_server: true,
    keys: &[],
    media: media::ALL,
    model_keys: &["thinking", "tool_schemas", "format_beside_tools", "takes_instruction"],
    read,
    service: Some(Service {
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        model_variable: "GEMINI_MODEL",
        usual_model: "gemini-2.5-flash",
    }),
};

const THINKING: [(&str, GoogleThinking); 3] = [
    ("none", GoogleThinking::Never),
    ("budget", GoogleThinking::Budget),
    ("level", GoogleThinking::Level),
];

/// Whether a model takes JSON schemas.
const SCHEMAS: [(&str, bool); 2] = [("json", true), ("openapi", false)];

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(GoogleConfig::official().server, known)?;
    Ok(ProviderKind::Google(Box::new(GoogleConfig {
        models: section.of_models(model)?,
        media: media::read(section),
        ..GoogleConfig::of(server)
    })))
}

fn model(section: &ModelSection<'_>) -> Result<GoogleModel, ConfigError> {
    Ok(GoogleModel {
        thinking: section.word("thinking", &THINKING)?,
        json_schema: section.word("tool_schemas", &SCHEMAS)?,
        format_beside_tools: section.flag("format_beside_tools"),
        instruction: section.flag("takes_instruction"),
    })
}
