//! The body of a request, in the provider's own types.

use serde::Serialize;
use serde_json::{Value, json};
use tertulia_core::layout;
use tertulia_core::provider::ModelRequest;
use tertulia_message::{Generation, ToolOffer};

use super::content::{Audience, WireMessage, is_thoughtless_round, messages, question};
use super::traits::{Thinking, Traits};
use crate::names::{Names, object_schema};
use crate::wording::{instructed, json_wish, stops};

/// So many texts that end an answer are sent.
const STOPS: usize = 64;
/// The hottest a model takes.
const HOTTEST: f64 = 1.0;

/// The body.
#[derive(Debug, Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    system: String,
    messages: Vec<WireMessage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<WireThinking>,
    #[serde(skip_serializing_if = "Output::is_empty")]
    output_config: Output,
    stream: bool,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum WireThinking {
    Disabled,
    Enabled { budget_tokens: u64 },
    Adaptive { display: &'static str },
}

/// How to answer.
#[derive(Debug, Default, Serialize)]
struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Value>,
}

/// How to think, and how many tokens that may take beside the answer.
#[derive(Debug, Default)]
struct Thought {
    wire: Option<WireThinking>,
    effort: Option<String>,
    room: u64,
}

/// Makes the body: a conversation where the model holds one, else one prompt.
pub(crate) fn body<'a>(request: &'a ModelRequest, audience: &Audience<'a>, traits: &Traits) -> Body<'a> {
    let (generation, able) = (&request.generation, audience.able);
    let format = generation.format.as_ref();
    let schema = format.filter(|format| traits.schema && format.is_object());
    let wish = format.filter(|_| schema.is_none()).and_then(json_wish);
    let system = instructed(request.system.trim(), wish);
    let (apart, within) = if able.system {
        (system.clone(), "")
    } else {
        (String::new(), system.as_str())
    };
    let messages = if able.conversation {
        messages(request, within, audience)
    } else {
        question(&layout::prompt(&system, &request.messages), request, able.vision)
    };
    let thought = Thought::new(generation.think.as_ref(), audience, traits, &messages);
    let offered = request.tools.iter().filter(|_| able.conversation && able.tool_calls);
    // the provider refuses blank ones
    let sayable = generation.stop.iter().filter(|stop| !stop.trim().is_empty());
    let sayable: Vec<String> = sayable.cloned().collect();
    let sampling = traits.sampling && thought.room == 0;
    let temperature = generation
        .temperature
        .filter(|_| sampling)
        .map(|heat| heat.clamp(0.0, HOTTEST));
    Body {
        model: audience.model,
        max_tokens: answer_limit(generation, audience, traits, thought.room),
        system: if able.conversation { apart } else { String::new() },
        messages,
        tools: offered.map(|tool| offer(tool, audience.names)).collect(),
        temperature,
        // newer models take only one of the two
        top_p: generation.top_p.filter(|_| sampling && temperature.is_none()),
        stop_sequences: stops(&sayable, !able.conversation, STOPS),
        thinking: thought.wire,
        output_config: Output {
            effort: thought.effort,
            format: schema.map(|schema| json!({"type": "json_schema", "schema": closed(schema)})),
        },
        stream: true,
    }
}

impl Thought {
    fn new(asked: Option<&Value>, audience: &Audience<'_>, traits: &Traits, messages: &[WireMessage]) -> Self {
        let way = match traits.thinking {
            _ if !audience.able.thinking => Thinking::None,
            // the operator says that it can; the older way is what other makers' servers know
            Thinking::None => Thinking::Budget,
            way => way,
        };
        let level = match asked {
            Some(Value::Bool(true)) => None,
            Some(Value::String(level)) => Some(level.to_lowercase()),
            Some(Value::Bool(false)) if way != Thinking::None => return Self::not_at_all(),
            _ => return Self::default(),
        };
        match way {
            Thinking::None => Self::default(),
            Thinking::Budget if is_thoughtless_round(messages) => Self::default(),
            Thinking::Budget => Self::within(budget(level.as_deref())),
            Thinking::Adaptive => Self {
                wire: Some(WireThinking::Adaptive { display: "summarized" }),
                room: budget(level.as_deref()),
                effort: level,
            },
        }
    }

    fn not_at_all() -> Self {
        Self {
            wire: Some(WireThinking::Disabled),
            ..Self::default()
        }
    }

    fn within(budget_tokens: u64) -> Self {
        Self {
            wire: Some(WireThinking::Enabled { budget_tokens }),
            effort: None,
            room: budget_tokens,
        }
    }
}

/// How many tokens a model may think; the provider refuses less than 1024.
fn budget(level: Option<&str>) -> u64 {
    match level {
        Some("low") => 1_024,
        Some("high") => 12_288,
        Some("xhigh" | "max") => 24_576,
        _ => 4_096,
    }
}

/// `max_tokens`, which holds the thinking as well. What nobody asked for leaves half of the window to the question.
fn answer_limit(generation: &Generation, audience: &Audience<'_>, traits: &Traits, thinking: u64) -> u64 {
    let usual = traits.usual_answer.min(audience.able.max_context / 2);
    let answer = generation.max_tokens.unwrap_or(usual).max(1);
    let longest = traits.longest_answer.max(thinking.saturating_add(1));
    answer.saturating_add(thinking).min(longest)
}

/// A schema whose objects take nothing but what it lists: the provider refuses any other.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut fields: serde_json::Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value)))
                .collect();
            if fields.get("type").and_then(Value::as_str) == Some("object") {
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Value::Object(fields)
        }
        Value::Array(values) => values.iter().map(closed).collect(),
        plain => plain.clone(),
    }
}

fn offer<'a>(tool: &'a ToolOffer, names: &Names) -> WireTool<'a> {
    WireTool {
        name: names.to_wire(&tool.name),
        description: &tool.description,
        input_schema: object_schema(tool),
    }
}

impl Output {
    fn is_empty(&self) -> bool {
        self.effort.is_none() && self.format.is_none()
    }
}

#[cfg(test)]
mod tests;
