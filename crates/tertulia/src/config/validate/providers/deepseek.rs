//! The kind `deepseek`.

use tertulia_providers::DeepSeekConfig;

use super::chat;
use super::kind::{Kind, Service};
use super::section::Section;
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "deepseek",
    has_server: true,
    keys: &[],
    media: &[],
    model_keys: chat::MODEL_KEYS,
    read,
    service: Some(Service {
        key_variables: &["DEEPSEEK_API_KEY"],
        model_variable: "DEEPSEEK_MODEL",
        usual_model: "deepseek-v4-flash",
    }),
};

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(DeepSeekConfig::official().server, known)?;
    Ok(ProviderKind::DeepSeek(Box::new(DeepSeekConfig {
        models: section.of_models(chat::model)?,
        ..DeepSeekConfig::of(server)
    })))
}
