//! Pictures and sound by HuggingFace's own inference: one model, one task, at one place.

use async_trait::async_trait;
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response, Url};
use serde_json::{Value, json};
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::{ProviderError, ProviderFault};
use tertulia_message::Picture;
use tertulia_ports::Media;

use super::{HuggingFace, HuggingFaceApi, below_models};
use crate::answer::broken;
use crate::connection::not_set;
use crate::media::{self, LONGEST};

/// The longest sound that is taken, in bytes.
const LONGEST_SOUND: usize = 25_000_000;

#[async_trait]
impl Media for HuggingFace {
    fn abilities(&self) -> MediaAbilities {
        MediaAbilities {
            speak: false,
            ..self.config.media.abilities()
        }
    }

    async fn imagine(&self, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let place = self.task(&order.model, self.config.media.picture.as_ref(), "picture")?;
        let parameters = match order.size {
            Some((width, height)) => json!({"width": width, "height": height}),
            None => json!({}),
        };
        let body = json!({"inputs": order.prompt, "parameters": parameters});
        let asking = self.chat.connection().post(&place).json(&body);
        let response = self.accepted(asking, "image/*").await?;
        media::picture(self.chat.connection().body(response, LONGEST).await?)
    }

    async fn transcribe(&self, spoken: &SpokenWords) -> Result<String, ProviderError> {
        let usual = self.config.media.transcription.as_ref();
        let place = self.task(&spoken.model, usual, "transcription")?;
        media::demand_short(&spoken.sound, LONGEST_SOUND)?;
        let asking = self.chat.connection().post(&place);
        let asking = asking
            .header(CONTENT_TYPE, media::sound_type(&spoken.sound))
            .body(spoken.sound.bytes.to_vec());
        let response = self.accepted(asking, "application/json").await?;
        let answer = self.chat.connection().json(response).await?;
        let text = answer.get("text").and_then(Value::as_str);
        text.map(|text| text.trim().to_owned())
            .ok_or_else(|| broken("no text came"))
    }

    async fn speak(&self, _order: &SpeechOrder) -> Result<Sound, ProviderError> {
        Err(ProviderError::new(
            ProviderFault::Rejected,
            "HuggingFace is not asked to speak",
        ))
    }
}

impl HuggingFace {
    /// Where a model does its task: below the address of text generation, else at the same host's own inference.
    fn task(&self, named: &str, usual: Option<&String>, which: &str) -> Result<Url, ProviderError> {
        if let Some(setting) = self.chat.missing_setting() {
            return Err(not_set(setting));
        }
        let model = media::meant(named, usual, &self.config.server.name, which)?;
        let mut base = self.base.clone();
        if self.config.api != (HuggingFaceApi::TextGeneration { dedicated: false }) {
            base.set_path("/hf-inference");
        }
        below_models(&base, model)
    }

    async fn accepted(&self, asking: RequestBuilder, accept: &'static str) -> Result<Response, ProviderError> {
        let response = self.chat.connection().send(asking, accept).await?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.chat.connection().refused(response).await)
        }
    }
}
