//! The kind `replicate`.

use tertulia_providers::{ReplicateConfig, ReplicateModel};

use super::kind::{Kind, Service};
use super::media;
use super::section::{ModelSection, Section};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "replicate",
    has_server: true,
    keys: &["stream"],
    media: media::ALL,
    model_keys: &[
        "prompt_field",
        "system_field",
        "limit_field",
        "temperature_field",
        "top_p_field",
        "image_field",
        "image_list",
        "sound_field",
        "voice_field",
        "price_second",
    ],
    read,
    service: Some(Service {
        key_variables: &["REPLICATE_API_TOKEN"],
        model_variable: "REPLICATE_MODEL",
        usual_model: "meta/meta-llama-3-8b-instruct",
    }),
};

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(ReplicateConfig::official().server, known)?;
    let usual = ReplicateConfig::of(server);
    Ok(ProviderKind::Replicate(Box::new(ReplicateConfig {
        stream: section.settings.flag(&section.path("stream")).unwrap_or(usual.stream),
        models: section.of_models(|model| Ok(self::model(model)))?,
        media: media::read(section),
        ..usual
    })))
}

fn model(section: &ModelSection<'_>) -> ReplicateModel {
    let field = |key| section.text(key).map(str::to_owned);
    ReplicateModel {
        prompt: field("prompt_field"),
        system: field("system_field"),
        limit: field("limit_field"),
        temperature: field("temperature_field"),
        top_p: field("top_p_field"),
        images: field("image_field"),
        image_list: section.flag("image_list"),
        sound: field("sound_field"),
        voice: field("voice_field"),
        second: section.number("price_second").map(billionths),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the schema lets in what is from 0 to 1000"
)]
fn billionths(dollars: f64) -> u64 {
    (dollars * 1e9).round() as u64
}
