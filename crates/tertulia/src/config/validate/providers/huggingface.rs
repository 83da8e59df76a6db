//! The kind `huggingface`.

use tertulia_providers::{HuggingFaceApi, HuggingFaceConfig};

use super::kind::{Kind, Service};
use super::section::Section;
use super::{chat, media};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "huggingface",
    has_server: true,
    keys: &["api", "dedicated"],
    media: &[media::PICTURE, media::TRANSCRIPTION],
    model_keys: chat::MODEL_KEYS,
    read,
    service: Some(Service {
        key_variables: &["HF_TOKEN"],
        model_variable: "HF_MODEL",
        usual_model: "openai/gpt-oss-120b",
    }),
};

const CHAT: &str = "chat";
const TEXT_GENERATION: &str = "text_generation";

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let dedicated = section.settings.flag(&section.path("dedicated"));
    let generation = HuggingFaceApi::TextGeneration {
        dedicated: dedicated.unwrap_or_default(),
    };
    let apis = [(CHAT, HuggingFaceApi::Chat), (TEXT_GENERATION, generation)];
    let api = section.word("api", &apis)?.unwrap_or_default();
    if dedicated == Some(true) && api == HuggingFaceApi::Chat {
        return Err(section.wrong("dedicated", format!("is for the api {TEXT_GENERATION} only")));
    }
    if api == generation && section.text("base_url").is_none() {
        let problem = format!("is missing: the api {TEXT_GENERATION} is spoken by endpoints, not by the router");
        return Err(section.wrong("base_url", problem));
    }
    let server = section.server(HuggingFaceConfig::official().server, known)?;
    Ok(ProviderKind::HuggingFace(Box::new(HuggingFaceConfig {
        api,
        media: media::read(section),
        models: section.of_models(chat::model)?,
        ..HuggingFaceConfig::of(server)
    })))
}
