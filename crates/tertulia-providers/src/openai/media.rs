//! Pictures and sound by the ways that stand beside OpenAI's chat.

use async_trait::async_trait;
use reqwest::multipart::{Form, Part};
use reqwest::{RequestBuilder, Response, Url};
use serde::Serialize;
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SoundFormat, SpeechOrder, SpokenWords};
use tertulia_core::provider::{ProviderError, ProviderFault};
use tertulia_message::Picture;
use tertulia_ports::Media;

use super::config::OpenAiConfig;
use crate::answer::broken;
use crate::connection::{Connection, SetupError, not_set};
use crate::media::{self, LONGEST, MediaModels, Size};

/// The voice where nobody names one: the API insists on one.
const VOICE: &str = "alloy";
/// The longest sound that is taken, in bytes.
const LONGEST_SOUND: usize = 25_000_000;
const JSON: &str = "application/json";

const GPT_IMAGE: &[Size] = &[(1024, 1024), (1536, 1024), (1024, 1536)];
const DALL_E_3: &[Size] = &[(1024, 1024), (1792, 1024), (1024, 1792)];
const DALL_E_2: &[Size] = &[(256, 256), (512, 512), (1024, 1024)];

/// What a server of OpenAI's shape can do beside answering.
pub(crate) struct OpenAiMedia {
    provider: String,
    missing: Option<String>,
    models: MediaModels,
    base: Url,
    pictures: Url,
    transcriptions: Url,
    speech: Url,
    connection: Connection,
}

#[derive(Serialize)]
struct Drawing<'a> {
    model: &'a str,
    prompt: &'a str,
    n: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    /// Models that always answer with the picture itself refuse to be asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<&'static str>,
}

#[derive(Serialize)]
struct Speaking<'a> {
    model: &'a str,
    input: &'a str,
    voice: &'a str,
    response_format: &'static str,
}

impl OpenAiMedia {
    /// Of OpenAI itself the usual models are known.
    pub(crate) fn new(
        config: &OpenAiConfig,
        official: bool,
        missing: Option<&str>,
        connection: &Connection,
    ) -> Result<Self, SetupError> {
        let usual = if official { usual() } else { MediaModels::default() };
        let server = &config.server;
        Ok(Self {
            provider: server.name.clone(),
            missing: missing.map(str::to_owned),
            models: config.media.clone().or(usual),
            base: server.address_of(&[])?,
            pictures: server.address_of(&["images", "generations"])?,
            transcriptions: server.address_of(&["audio", "transcriptions"])?,
            speech: server.address_of(&["audio", "speech"])?,
            connection: connection.clone(),
        })
    }

    fn model<'a>(&'a self, named: &'a str, usual: Option<&'a String>, which: &str) -> Result<&'a str, ProviderError> {
        match &self.missing {
            Some(setting) => Err(not_set(setting)),
            None => media::meant(named, usual, &self.provider, which),
        }
    }

    async fn send(&self, asking: RequestBuilder, accept: &'static str) -> Result<Response, ProviderError> {
        let response = self.connection.send(asking, accept).await?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.connection.refused(response).await)
        }
    }

    async fn draw(&self, drawing: &Drawing<'_>) -> Result<Picture, ProviderError> {
        let asking = self.connection.post(&self.pictures).json(drawing);
        let response = self.send(asking, JSON).await?;
        let body = self.connection.body(response, LONGEST).await?;
        let answer = self.connection.parsed(&body)?;
        let told = |field: &str| answer.pointer(&format!("/data/0/{field}"))?.as_str();
        let bytes = match (told("b64_json"), told("url")) {
            (Some(text), _) => media::from_base64(text)?,
            (None, Some(address)) if address.starts_with("data:") => media::from_base64(address)?,
            (None, Some(address)) => media::fetched(&self.connection, &self.base, address).await?,
            (None, None) => return Err(broken("no picture came")),
        };
        media::picture(bytes)
    }
}

#[async_trait]
impl Media for OpenAiMedia {
    fn abilities(&self) -> MediaAbilities {
        self.models.abilities()
    }

    async fn imagine(&self, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let model = self.model(&order.model, self.models.picture.as_ref(), "picture")?;
        let drawing = Drawing {
            model,
            prompt: &order.prompt,
            n: 1,
            size: order.size.map(|size| size_on_wire(model, size)),
            response_format: (!is_gpt_image(model)).then_some("b64_json"),
        };
        match self.draw(&drawing).await {
            // a model of which that was not known
            Err(error) if drawing.response_format.is_some() && is_about_the_format(&error) => {
                let response_format = None;
                self.draw(&Drawing {
                    response_format,
                    ..drawing
                })
                .await
            }
            outcome => outcome,
        }
    }

    async fn transcribe(&self, spoken: &SpokenWords) -> Result<String, ProviderError> {
        let model = self.model(&spoken.model, self.models.transcription.as_ref(), "transcription")?;
        media::demand_short(&spoken.sound, LONGEST_SOUND)?;
        let form = form(model, spoken).map_err(|error| self.connection.error(ProviderFault::Rejected, &error))?;
        let asking = self.connection.post(&self.transcriptions).multipart(form);
        let response = self.send(asking, JSON).await?;
        let answer = self.connection.json(response).await?;
        let text = answer.get("text").and_then(serde_json::Value::as_str);
        text.map(|text| text.trim().to_owned())
            .ok_or_else(|| broken("no text came"))
    }

    async fn speak(&self, order: &SpeechOrder) -> Result<Sound, ProviderError> {
        let model = self.model(&order.model, self.models.speech.as_ref(), "speech")?;
        let usual = self.models.voice.as_deref().unwrap_or(VOICE);
        let speaking = Speaking {
            model,
            input: &order.text,
            voice: if order.voice.is_empty() { usual } else { &order.voice },
            response_format: match order.format {
                SoundFormat::Opus => "opus",
                SoundFormat::Mp3 => "mp3",
                SoundFormat::Wav => "wav",
            },
        };
        let asking = self.connection.post(&self.speech).json(&speaking);
        let response = self.send(asking, "audio/*").await?;
        media::sound(self.connection.body(response, LONGEST).await?)
    }
}

/// OpenAI's own.
fn usual() -> MediaModels {
    MediaModels {
        picture: Some("gpt-image-1".to_owned()),
        transcription: Some("gpt-4o-mini-transcribe".to_owned()),
        speech: Some("gpt-4o-mini-tts".to_owned()),
        voice: Some(VOICE.to_owned()),
    }
}

fn is_gpt_image(model: &str) -> bool {
    let model = model.to_lowercase();
    model.contains("gpt-image")
}

fn is_about_the_format(error: &ProviderError) -> bool {
    error.kind == ProviderFault::Rejected && error.detail.contains("response_format")
}

/// The nearest size that the model has; of other models nothing is known, so they are asked for what is wanted.
fn size_on_wire(model: &str, wanted: Size) -> String {
    let name = model.to_lowercase();
    let sizes = match name.as_str() {
        _ if is_gpt_image(model) => GPT_IMAGE,
        name if name.contains("dall-e-3") => DALL_E_3,
        name if name.contains("dall-e-2") => DALL_E_2,
        _ => &[wanted],
    };
    let (width, height) = media::nearest(wanted, sizes);
    format!("{width}x{height}")
}

fn form(model: &str, spoken: &SpokenWords) -> Result<Form, String> {
    let mime = media::sound_type(&spoken.sound);
    let file = Part::bytes(spoken.sound.bytes.to_vec()).file_name(media::file_name(&mime));
    let file = file.mime_str(&mime).map_err(|error| error.to_string())?;
    let form = Form::new()
        .part("file", file)
        .text("model", model.to_owned())
        .text("response_format", "json");
    Ok(match &spoken.language {
        Some(language) => form.text("language", language.clone()),
        None => form,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_nearest_that_a_model_has() {
        let size = |model: &str, width, height| size_on_wire(model, (width, height));
        assert_eq!(size("gpt-image-1", 512, 512), "1024x1024");
        assert_eq!(size("GPT-image-1-mini", 1920, 1080), "1536x1024");
        assert_eq!(size("dall-e-3", 720, 1280), "1024x1792");
        assert_eq!(size("dall-e-2", 300, 200), "256x256");
        assert_eq!(size("flux", 768, 512), "768x512");
    }
}
