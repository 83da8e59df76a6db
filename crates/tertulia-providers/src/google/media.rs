//! Pictures and sound by Gemini, which makes and hears them in answers, and by Imagen.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde_json::{Value, json};
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::{ProviderError, ProviderFault};
use tertulia_message::Picture;
use tertulia_ports::Media;

use super::config::{self, GoogleConfig};
use crate::answer::broken;
use crate::connection::{Connection, not_set};
use crate::media::{self, LONGEST, MediaModels, Size};

/// The voice where nobody names one.
const VOICE: &str = "Kore";
/// How many samples come in a second where the answer does not say.
const USUAL_RATE: u32 = 24_000;
/// The longest sound that is taken, in bytes: a request has at most 20 MB, and in it three bytes become four.
const LONGEST_SOUND: usize = 14_000_000;
const WRITE_DOWN: &str = "Write down word for word what is said here, in the language in which it is said. Answer with \
                          these words alone; where nothing is said, with nothing.";
/// The shapes of pictures there are.
const SHAPES: &[Size] = &[(1, 1), (4, 3), (3, 4), (16, 9), (9, 16)];

/// What Gemini can do beside answering, with the models that the configuration names.
pub(crate) struct GoogleMedia {
    provider: String,
    missing: Option<String>,
    models: MediaModels,
    base: Url,
    connection: Connection,
}

impl GoogleMedia {
    pub(crate) fn new(config: &GoogleConfig, base: &Url, missing: Option<&str>, connection: &Connection) -> Self {
        Self {
            provider: config.server.name.clone(),
            missing: missing.map(str::to_owned),
            models: config.media.clone().or(MediaModels::default()),
            base: base.clone(),
            connection: connection.clone(),
        }
    }

    fn model<'a>(&'a self, named: &'a str, usual: Option<&'a String>, which: &str) -> Result<&'a str, ProviderError> {
        match &self.missing {
            Some(setting) => Err(not_set(setting)),
            None => media::meant(named, usual, &self.provider, which),
        }
    }

    async fn ask(&self, address: &Url, body: &Value) -> Result<Value, ProviderError> {
        let asking = self.connection.post(address).json(body);
        let response = self.connection.send(asking, "application/json").await?;
        if !response.status().is_success() {
            return Err(self.connection.refused(response).await);
        }
        let body = self.connection.body(response, LONGEST).await?;
        self.connection.parsed(&body)
    }

    async fn generate(&self, model: &str, parts: &Value, config: &Value) -> Result<Value, ProviderError> {
        let body = json!({"contents": [{"role": "user", "parts": parts}], "generationConfig": config});
        self.ask(&config::called(&self.base, model, ":generateContent"), &body)
            .await
    }

    async fn drawn(&self, model: &str, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let mut config = json!({"responseModalities": ["TEXT", "IMAGE"]});
        if let (Some(shape), Some(fields)) = (shape(order.size), config.as_object_mut()) {
            fields.insert("imageConfig".to_owned(), json!({"aspectRatio": shape}));
        }
        let answer = self.generate(model, &json!([{"text": order.prompt}]), &config).await?;
        let data = parts(&answer)
            .find_map(|part| inline(part))
            .ok_or_else(|| self.nothing(&answer))?;
        media::picture(media::from_base64(data.1)?)
    }

    async fn predicted(&self, model: &str, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let shape = shape(order.size).unwrap_or_else(|| "1:1".to_owned());
        let body = json!({
            "instances": [{"prompt": order.prompt}],
            "parameters": {"sampleCount": 1, "aspectRatio": shape},
        });
        let answer = self.ask(&config::called(&self.base, model, ":predict"), &body).await?;
        let first = |field: &str| answer.pointer(&format!("/predictions/0/{field}"))?.as_str();
        match first("bytesBase64Encoded") {
            Some(data) => media::picture(media::from_base64(data)?),
            // whatever is filtered out is missing from the answer
            None => {
                Err(self.refused(first("raiFilteredReason").unwrap_or("no picture came; it may have been filtered")))
            }
        }
    }

    /// The error of an answer without what was asked for.
    fn nothing(&self, answer: &Value) -> ProviderError {
        let told = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
        let reason = told("/promptFeedback/blockReason")
            .or_else(|| told("/candidates/0/finishMessage"))
            .or_else(|| told("/candidates/0/finishReason").filter(|reason| *reason != "STOP"));
        let words = text(answer);
        match reason.or(Some(words.trim()).filter(|words| !words.is_empty())) {
            Some(reason) => self.refused(reason),
            None => broken("the answer is empty"),
        }
    }

    fn refused(&self, reason: &str) -> ProviderError {
        self.connection.error(ProviderFault::Rejected, reason)
    }
}

#[async_trait]
impl Media for GoogleMedia {
    fn abilities(&self) -> MediaAbilities {
        self.models.abilities()
    }

    async fn imagine(&self, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let model = self.model(&order.model, self.models.picture.as_ref(), "picture")?;
        if model.to_lowercase().contains("imagen") {
            self.predicted(model, order).await
        } else {
            self.drawn(model, order).await
        }
    }

    async fn transcribe(&self, spoken: &SpokenWords) -> Result<String, ProviderError> {
        let model = self.model(&spoken.model, self.models.transcription.as_ref(), "transcription")?;
        media::demand_short(&spoken.sound, LONGEST_SOUND)?;
        let data = STANDARD.encode(&spoken.sound.bytes);
        let language = spoken
            .language
            .as_deref()
            .map(|code| format!(" The language is probably {code}."));
        let wish = format!("{WRITE_DOWN}{}", language.unwrap_or_default());
        let sound = json!({"inlineData": {"mimeType": media::sound_type(&spoken.sound), "data": data}});
        let answer = self
            .generate(model, &json!([sound, {"text": wish}]), &json!({}))
            .await?;
        let is_whole = answer.pointer("/candidates/0/finishReason").and_then(Value::as_str) == Some("STOP");
        if is_whole {
            Ok(text(&answer).trim().to_owned())
        } else {
            Err(self.nothing(&answer))
        }
    }

    /// The samples come bare, and become a WAV file.
    async fn speak(&self, order: &SpeechOrder) -> Result<Sound, ProviderError> {
        let model = self.model(&order.model, self.models.speech.as_ref(), "speech")?;
        let usual = self.models.voice.as_deref().unwrap_or(VOICE);
        let voice = if order.voice.is_empty() { usual } else { &order.voice };
        let config = json!({
            "responseModalities": ["AUDIO"],
            "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}},
        });
        let answer = self.generate(model, &json!([{"text": order.text}]), &config).await?;
        let (mime, data) = parts(&answer)
            .find_map(|part| inline(part))
            .ok_or_else(|| self.nothing(&answer))?;
        let bytes = media::from_base64(data)?;
        match rate(mime) {
            Some(rate) => media::sound(media::wav(&bytes, rate)),
            None => media::sound(bytes),
        }
    }
}

/// The parts of the first answer, without those that are thoughts.
fn parts(answer: &Value) -> impl Iterator<Item = &Value> {
    let parts = answer.pointer("/candidates/0/content/parts").and_then(Value::as_array);
    let is_thought = |part: &&Value| part.get("thought") == Some(&Value::Bool(true));
    parts.into_iter().flatten().filter(move |part| !is_thought(part))
}

fn text(answer: &Value) -> String {
    parts(answer).filter_map(|part| part.get("text")?.as_str()).collect()
}

/// The type and the text of data within a part.
fn inline(part: &Value) -> Option<(&str, &str)> {
    let field = |name: &str| part.pointer(&format!("/inlineData/{name}"))?.as_str();
    Some((field("mimeType").unwrap_or_default(), field("data")?))
}

/// How many bare samples of 16 bits come in a second, as a type says: `audio/L16;codec=pcm;rate=24000`; `None` for sound of
/// another type.
fn rate(mime: &str) -> Option<u32> {
    let kind = media::essence(mime);
    let bare = matches!(kind.as_str(), "audio/l16" | "audio/pcm" | "audio/raw");
    let told = mime
        .split(';')
        .find_map(|word| word.trim().strip_prefix("rate=")?.parse().ok());
    bare.then(|| told.unwrap_or(USUAL_RATE))
}

/// The shape of a picture that is nearest to a size; `None` where it is the usual one.
fn shape(size: Option<Size>) -> Option<String> {
    let (width, height) = media::nearest(size?, SHAPES);
    (width != height).then(|| format!("{width}:{height}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_tell_their_rate() {
        assert_eq!(rate("audio/L16;codec=pcm;rate=16000"), Some(16_000));
        assert_eq!(rate("audio/pcm; rate=x"), Some(USUAL_RATE));
        assert_eq!(rate("audio/wav"), None);
    }

    #[test]
    fn sizes_become_shapes() {
        let shape = |width, height| shape(Some((width, height)));
        assert_eq!(shape(1920, 1080).as_deref(), Some("16:9"));
        assert_eq!(shape(600, 800).as_deref(), Some("3:4"));
        assert_eq!(shape(512, 500), None);
        assert_eq!(super::shape(None), None);
    }
}
