//! Pictures and sound at Replicate: predictions whose output is a file or a text.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::ProviderError;
use tertulia_message::Picture;
use tertulia_ports::{Media, Provider as _};

use super::Replicate;
use super::looks::Looks;
use super::prediction::State;
use super::request::Body;
use crate::answer::broken;
use crate::connection::not_set;
use crate::media::{self, LONGEST};

/// The longest sound that is taken, in bytes: it goes inside the question.
const LONGEST_SOUND: usize = 10_000_000;

#[async_trait]
impl Media for Replicate {
    fn abilities(&self) -> MediaAbilities {
        self.config.media.abilities()
    }

    async fn imagine(&self, order: &PictureOrder) -> Result<Picture, ProviderError> {
        let model = self
            .medium(&order.model, self.config.media.picture.as_ref(), "picture")
            .await?;
        let fields = self.fields(model);
        let mut input = Map::from_iter([(fields.prompt, order.prompt.as_str().into())]);
        if let Some((width, height)) = order.size.filter(|_| fields.size) {
            input.extend([("width".to_owned(), width.into()), ("height".to_owned(), height.into())]);
        }
        media::picture(self.file(&self.made(model, input).await?).await?)
    }

    async fn transcribe(&self, spoken: &SpokenWords) -> Result<String, ProviderError> {
        let usual = self.config.media.transcription.as_ref();
        let model = self.medium(&spoken.model, usual, "transcription").await?;
        media::demand_short(&spoken.sound, LONGEST_SOUND)?;
        let kind = media::sound_type(&spoken.sound);
        let sound = format!("data:{kind};base64,{}", STANDARD.encode(&spoken.sound.bytes));
        let field = self.fields(model).sound.unwrap_or_else(|| "audio".to_owned());
        let output = self.made(model, Map::from_iter([(field, sound.into())])).await?;
        let text = words(&output).ok_or_else(|| broken("no text came"))?;
        Ok(text.trim().to_owned())
    }

    async fn speak(&self, order: &SpeechOrder) -> Result<Sound, ProviderError> {
        let model = self
            .medium(&order.model, self.config.media.speech.as_ref(), "speech")
            .await?;
        let fields = self.fields(model);
        let usual = self.config.media.voice.as_deref().unwrap_or_default();
        let voice = if order.voice.is_empty() { usual } else { &order.voice };
        let mut input = Map::from_iter([(self.text_field(model), order.text.as_str().into())]);
        if !voice.is_empty() {
            input.insert(fields.voice.unwrap_or_else(|| "voice".to_owned()), voice.into());
        }
        media::sound(self.file(&self.made(model, input).await?).await?)
    }
}

impl Replicate {
    /// The model that an order means, with what the server tells of it; where it tells nothing, it is asked all the same.
    async fn medium<'a>(
        &'a self,
        named: &'a str,
        usual: Option<&'a String>,
        which: &str,
    ) -> Result<&'a str, ProviderError> {
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let model = media::meant(named, usual, &self.config.server.name, which)?;
        drop(self.probe(model, false).await);
        Ok(model)
    }

    /// Models that speak are given a `text`, unless something else is known.
    fn text_field(&self, model: &str) -> String {
        let said = self.said(model).prompt;
        let learnt = || Some(self.memory.learnt(model)?.fields?.prompt);
        said.or_else(learnt).unwrap_or_else(|| "text".to_owned())
    }

    /// The output of a prediction, however long it takes; whoever stops waiting cancels it.
    async fn made(&self, model: &str, input: Map<String, Value>) -> Result<Value, ProviderError> {
        let (model, name) = self.ready(model)?;
        let (mut running, mut seen) = self.begin(model, &name, Body::of(input)).await?;
        let mut looks = Looks::every(self.config.poll);
        while seen.state == State::Going {
            seen = looks.next(&running).await?;
        }
        running.settled();
        match seen.state {
            State::Failed(error) => Err(self.api.scrubbed(&error)),
            State::Succeeded | State::Going => Ok(seen.output),
        }
    }

    /// The first file of an output: inside it, or at an address of Replicate's.
    async fn file(&self, output: &Value) -> Result<Vec<u8>, ProviderError> {
        let address = address(output).ok_or_else(|| broken("no file came"))?;
        if address.starts_with("data:") {
            return media::from_base64(address);
        }
        let place = self.api.hosts.of_file(address);
        let place = place.ok_or_else(|| broken("what was made lies elsewhere, where it is not fetched from"))?;
        self.api.file(&place, LONGEST).await
    }
}

/// An output is an address, a list of them, or an object that has one somewhere.
fn address(output: &Value) -> Option<&str> {
    match output {
        Value::String(text) => (text.starts_with("data:") || text.contains("://")).then_some(text),
        Value::Array(outputs) => outputs.iter().find_map(address),
        Value::Object(fields) => fields.values().find_map(address),
        _ => None,
    }
}

/// An output is the text, a list of its pieces, or an object with it.
fn words(output: &Value) -> Option<String> {
    match output {
        Value::String(text) => Some(text.clone()),
        Value::Array(pieces) => pieces.iter().map(words).collect(),
        Value::Object(fields) => ["text", "transcription", "output", "segments", "chunks"]
            .iter()
            .find_map(|field| words(fields.get(*field)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outputs_have_many_shapes() {
        for output in [
            json!("https://h/x"),
            json!(["https://h/x", "https://h/y"]),
            json!({"seed": 7, "images": ["https://h/x"]}),
        ] {
            assert_eq!(address(&output), Some("https://h/x"), "{output}");
        }
        assert_eq!((address(&json!("a text")), address(&json!(null))), (None, None));
        for output in [
            json!("ab"),
            json!(["a", "b"]),
            json!({"language": "de", "text": "ab"}),
            json!({"segments": [{"start": 0, "text": "a"}, {"text": "b"}]}),
        ] {
            assert_eq!(words(&output).as_deref(), Some("ab"), "{output}");
        }
        assert_eq!((words(&json!({"language": "de"})), words(&json!(7))), (None, None));
    }
}
