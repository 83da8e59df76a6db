//! The body of a request, in Gemini's own types.

use serde::Serialize;
use serde_json::Value;
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::{Generation, ToolOffer};

use super::content::{self, Audience, Content};
use super::schema;
use super::traits::{ThinkingConfig, Traits};
use crate::names::Names;
use crate::wording::stops;

/// So many texts that end an answer are taken.
const STOPS: usize = 5;
const JSON: &str = "application/json";

/// The body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    contents: Vec<Content>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTools<'a>>,
    generation_config: GenerationConfig,
}

/// How to generate.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WireTools<'a> {
    function_declarations: Vec<WireOffer<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WireOffer<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

/// What a request is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    pub(crate) traits: Traits,
}

/// Makes the body: a conversation, or one prompt where the operator wants that.
pub(crate) fn body<'a>(request: &'a ModelRequest, names: &Names, aim: Aim<'_>) -> Body<'a> {
    let Aim { able, traits, model } = aim;
    let mut generation_config = GenerationConfig::new(&request.generation, !able.conversation, traits);
    if !able.thinking {
        generation_config.thinking_config = None;
    }
    if !able.conversation {
        let prompt = layout::prompt(&request.system, &request.messages);
        return Body {
            system_instruction: None,
            contents: content::prompt(&prompt, request, able.vision),
            tools: Vec::new(),
            generation_config,
        };
    }
    let audience = Audience {
        model,
        sees: able.vision,
        names,
    };
    let system = Some(request.system.as_str()).filter(|system| !system.is_empty());
    let (apart, begin) = if traits.instruction {
        (system, None)
    } else {
        (None, system)
    };
    // whoever asks for a format wants it more than tools
    let format_alone = generation_config.response_mime_type.is_some() && !traits.format_beside_tools;
    let offers = able.tool_calls && !format_alone;
    Body {
        system_instruction: apart.map(content::instruction),
        contents: content::contents(request, begin, &audience),
        tools: tools(request.tools.iter().filter(|_| offers), names, traits),
        generation_config,
    }
}

impl GenerationConfig {
    fn new(generation: &Generation, is_prompt: bool, traits: Traits) -> Self {
        let format = generation
            .format
            .as_ref()
            .filter(|format| format.is_object() || *format == "json");
        let schema = format.filter(|format| format.is_object());
        Self {
            temperature: generation.temperature,
            top_p: generation.top_p,
            max_output_tokens: generation.max_tokens,
            stop_sequences: stops(&generation.stop, is_prompt, STOPS),
            // a number of 32 bits there
            seed: generation.seed.map(|seed| seed & 0x7fff_ffff),
            response_mime_type: format.map(|_| JSON),
            response_json_schema: schema.filter(|_| traits.json_schema).cloned(),
            response_schema: schema.filter(|_| !traits.json_schema).map(schema::subset),
            thinking_config: traits.think(generation.think.as_ref()),
        }
    }
}

fn tools<'a>(offered: impl Iterator<Item = &'a ToolOffer>, names: &Names, traits: Traits) -> Vec<WireTools<'a>> {
    let function_declarations: Vec<WireOffer<'a>> = offered.map(|tool| offer(tool, names, traits)).collect();
    if function_declarations.is_empty() {
        return Vec::new();
    }
    vec![WireTools { function_declarations }]
}

/// A tool that takes nothing is offered without parameters: older models refuse an object without properties.
fn offer<'a>(tool: &'a ToolOffer, names: &Names, traits: Traits) -> WireOffer<'a> {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let takes = properties.is_some_and(|properties| !properties.is_empty()) || tool.parameters.get("$ref").is_some();
    let parameters = Some(&tool.parameters).filter(|_| takes);
    WireOffer {
        name: names.to_wire(&tool.name),
        description: &tool.description,
        parameters_json_schema: parameters.filter(|_| traits.json_schema),
        parameters: parameters.filter(|_| !traits.json_schema).map(schema::subset),
    }
}

#[cfg(test)]
mod tests;
