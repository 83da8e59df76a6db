//! The bodies of requests, in Ollama's own types.

use serde::Serialize;
use serde_json::Value;
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::ToolOffer;

use super::content::{Audience, WireMessage, messages, pictures};
use super::room::Weight;
use crate::names::{Names, object_schema};
use crate::wording::stops;

/// So many texts that end an answer are sent.
const STOPS: usize = 64;

/// The body of a request to `/api/chat` or `/api/generate`.
#[derive(Debug, Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    #[serde(flatten)]
    asked: Asked<'a>,
    stream: bool,
    /// Whether and how hard to think; never there for a model that cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    options: Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_alive: Option<Value>,
    /// Refuse what is too long; see [`super::room`].
    truncate: bool,
    shift: bool,
}

/// What is asked.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Asked<'a> {
    Chat {
        messages: Vec<WireMessage>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tools: Vec<WireTool<'a>>,
    },
    /// Not `raw`: the model's own template, which knows its marks of beginning and end, is put around the prompt. The
    /// system prompt stands in the prompt and not beside it, or it would come twice.
    Prompt {
        prompt: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<String>,
    },
}

/// How to generate.
#[derive(Debug, Serialize)]
struct Options {
    num_ctx: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireOffer<'a>,
}

#[derive(Debug, Serialize)]
struct WireOffer<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Value,
}

/// What a request is made for.
pub(crate) struct Aim<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    pub(crate) window: u64,
    pub(crate) keep_alive: Option<&'a str>,
}

impl<'a> Body<'a> {
    /// Makes the body: a chat where the model holds one, else one prompt.
    pub(crate) fn new(request: &'a ModelRequest, names: &Names, aim: &Aim<'a>) -> Self {
        let generation = &request.generation;
        let asked = Asked::new(request, names, aim);
        let is_prompt = matches!(asked, Asked::Prompt { .. });
        Self {
            model: aim.model,
            asked,
            stream: true,
            think: aim.able.thinking.then(|| think(generation.think.as_ref())),
            format: generation.format.as_ref().filter(|format| is_format(format)),
            options: Options {
                num_ctx: aim.window,
                num_predict: generation.max_tokens,
                temperature: generation.temperature,
                top_p: generation.top_p,
                stop: stops(&generation.stop, is_prompt, STOPS),
                seed: generation.seed,
            },
            keep_alive: aim.keep_alive.map(keep_alive),
            truncate: false,
            shift: false,
        }
    }

    pub(crate) fn is_chat(&self) -> bool {
        matches!(self.asked, Asked::Chat { .. })
    }

    /// Lets no more be written than this.
    pub(crate) fn limit(&mut self, tokens: Option<u64>) {
        self.options.num_predict = tokens;
    }

    /// What the server will have to read. The JSON around the texts stands for the marks that the template puts there.
    pub(crate) fn weight(&self) -> Weight {
        let images = match &self.asked {
            Asked::Chat { messages, .. } => messages.iter().flat_map(|message| &message.images).collect(),
            Asked::Prompt { images, .. } => images.iter().collect::<Vec<_>>(),
        };
        let encoded: usize = images.iter().map(|image| image.len()).sum();
        // what cannot be written cannot be sent either
        let all = serde_json::to_vec(&self.asked).map_or(0, |json| json.len());
        Weight {
            bytes: all.saturating_sub(encoded) as u64,
            pictures: images.len() as u64,
        }
    }
}

impl<'a> Asked<'a> {
    fn new(request: &'a ModelRequest, names: &Names, aim: &Aim<'a>) -> Self {
        let able = aim.able;
        if !able.conversation {
            return Self::Prompt {
                prompt: layout::prompt(&request.system, &request.messages),
                images: if able.vision { pictures(request) } else { Vec::new() },
            };
        }
        let audience = Audience {
            model: aim.model,
            able,
            names,
        };
        let offered = request.tools.iter().filter(|_| able.tool_calls);
        Self::Chat {
            messages: messages(request, &audience),
            tools: offered.map(|tool| offer(tool, names)).collect(),
        }
    }
}

/// Where nobody says otherwise a model that can think does, and apart from its answer: without the word, some servers
/// let it think in the middle of the text.
fn think(asked: Option<&Value>) -> Value {
    match asked {
        Some(word @ (Value::Bool(_) | Value::String(_))) => word.clone(),
        _ => Value::Bool(true),
    }
}

fn is_format(format: &Value) -> bool {
    format.is_object() || format == "json"
}

/// A number is one of seconds; anything else has a unit.
fn keep_alive(text: &str) -> Value {
    let text = text.trim();
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

fn offer<'a>(tool: &'a ToolOffer, names: &Names) -> WireTool<'a> {
    let function = WireOffer {
        name: names.to_wire(&tool.name),
        description: &tool.description,
        parameters: object_schema(tool),
    };
    WireTool {
        kind: "function",
        function,
    }
}

#[cfg(test)]
mod tests;
