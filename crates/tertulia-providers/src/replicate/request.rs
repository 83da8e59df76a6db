//! The body that makes a prediction.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::Picture;

use super::fields::{Fields, ListOr};
use crate::wording::{instructed, json_wish, stops};

/// So many texts that end an answer are sent.
const STOPS: usize = 64;

/// The body that makes a prediction.
#[derive(Debug, Serialize)]
pub(crate) struct Body {
    /// The version, for models that are asked by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    input: Map<String, Value>,
    /// Asks for an address of the stream; a model that cannot stream gets none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stream: bool,
}

impl Body {
    /// A question: the system prompt in a field of its own where the model has one, else in front.
    pub(crate) fn asking(request: &ModelRequest, fields: &Fields, able: Capabilities) -> Self {
        let mut input = Map::new();
        let said = instructed(&request.system, request.generation.format.as_ref().and_then(json_wish));
        let apart = fields.system.as_ref().filter(|_| able.system);
        let in_front = if apart.is_some() { "" } else { said.as_str() };
        input.insert(
            fields.prompt.clone(),
            layout::prompt(in_front, &request.messages).into(),
        );
        let mut put = |name: Option<&String>, value: Option<Value>| {
            if let (Some(name), Some(value)) = (name, value) {
                input.insert(name.clone(), value);
            }
        };
        let generation = &request.generation;
        let system = (!said.is_empty()).then(|| said.as_str().into());
        put(apart, system);
        put(fields.limit.as_ref(), generation.max_tokens.map(Value::from));
        put(fields.temperature.as_ref(), generation.temperature.map(Value::from));
        put(fields.top_p.as_ref(), generation.top_p.map(Value::from));
        put(fields.seed.as_ref(), generation.seed.map(Value::from));
        let stops = stops(&request.generation.stop, true, STOPS);
        put(
            fields.stop.as_ref().map(|stop| &stop.name),
            fields.stop.as_ref().map(|stop| stop_value(stop, &stops)),
        );
        if let Some(images) = fields.images.as_ref().filter(|_| able.vision) {
            put(Some(&images.name), image_value(images, request));
        }
        Self::of(input)
    }

    /// Any input.
    pub(crate) fn of(input: Map<String, Value>) -> Self {
        Self {
            version: None,
            input,
            stream: false,
        }
    }
}

/// Where it is one text, its commas part the texts: one with a comma in it cannot be said.
fn stop_value(field: &ListOr, stops: &[String]) -> Value {
    if field.is_list {
        return stops.into();
    }
    let sayable: Vec<&str> = stops
        .iter()
        .map(String::as_str)
        .filter(|stop| !stop.contains(','))
        .collect();
    sayable.join(",").into()
}

fn image_value(field: &ListOr, request: &ModelRequest) -> Option<Value> {
    let mut pictures = request.messages.iter().flat_map(pictures).map(data_address);
    if field.is_list {
        let all: Vec<String> = pictures.collect();
        (!all.is_empty()).then(|| all.into())
    } else {
        pictures.next_back().map(Value::from)
    }
}

fn pictures<'a>(message: &'a ChatMessage) -> Vec<&'a Picture> {
    let ChatMessage::User { parts } = message else {
        return Vec::new();
    };
    let picture = |part: &'a Part| match part {
        Part::Picture(picture) => Some(picture),
        Part::Text(_) => None,
    };
    parts.iter().filter_map(picture).collect()
}

fn data_address(picture: &Picture) -> String {
    format!("data:{};base64,{}", picture.mime, STANDARD.encode(&picture.bytes))
}

#[cfg(test)]
mod tests;
