//! The kind `openai`.

use tertulia_providers::{OpenAiApi, OpenAiConfig};

use super::kind::{Kind, Service};
use super::section::Section;
use super::{chat, media};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "openai",
    has_server: true,
    keys: &["api"],
    media: media::ALL,
    model_keys: chat::MODEL_KEYS,
    read,
    service: Some(Service {
        key_variables: &["OPENAI_API_KEY"],
        model_variable: "OPENAI_MODEL",
        usual_model: "gpt-4o-mini",
    }),
};

const APIS: [(&str, OpenAiApi); 2] = [("chat", OpenAiApi::Chat), ("responses", OpenAiApi::Responses)];

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(OpenAiConfig::official().server, known)?;
    Ok(ProviderKind::OpenAi(Box::new(OpenAiConfig {
        api: section.word("api", &APIS)?.unwrap_or_default(),
        media: media::read(section),
        models: section.of_models(chat::model)?,
        ..OpenAiConfig::of(server)
    })))
}
