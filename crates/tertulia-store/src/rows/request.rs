//! A request of an HTTP door as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tertulia_message::{Generation, Request, RequestHistory, Role, SuppliedCall, SuppliedMessage, ToolOffer};

use super::entry::PictureRow;
use crate::fault::Fault;
use crate::media::Media;

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
pub(crate) struct RequestRow {
    supplied: bool,
    messages: Vec<SaidRow>,
    model: String,
    system: Option<String>,
    tools: Vec<OfferRow>,
    generation: GenerationRow,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct SaidRow {
    role: RoleRow,
    text: String,
    thinking: String,
    pictures: Vec<PictureRow>,
    calls: Vec<CalledRow>,
    call_id: Option<String>,
    tool_name: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum RoleRow {
    #[default]
    User,
    Assistant,
    Tool,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct CalledRow {
    id: String,
    name: String,
    arguments: String,
}

/// JSON of clients is kept as text: it may be nested as deeply as the reader allows, and must stay readable inside ours.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct OfferRow {
    name: String,
    description: String,
    parameters: String,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct GenerationRow {
    temperature: Option<f64>,
    top_p: Option<f64>,
    max_tokens: Option<u64>,
    stop: Vec<String>,
    seed: Option<i64>,
    format: Option<String>,
    think: Option<String>,
}

impl From<Request> for RequestRow {
    fn from(request: Request) -> Self {
        let (supplied, messages) = match request.history {
            RequestHistory::Stored(messages) => (false, messages),
            RequestHistory::Supplied(messages) => (true, messages),
        };
        Self {
            supplied,
            messages: messages.into_iter().map(SaidRow::from).collect(),
            model: request.model,
            system: request.system,
            tools: request.tools.into_iter().map(OfferRow::from).collect(),
            generation: request.generation.into(),
        }
    }
}

impl RequestRow {
    pub(super) fn read(self, media: &Media) -> Result<Request, Fault> {
        let messages = self.messages.into_iter().map(|said| said.read(media)).collect();
        let tools: Result<_, Fault> = self.tools.into_iter().map(OfferRow::read).collect();
        Ok(Request {
            history: if self.supplied {
                RequestHistory::Supplied(messages)
            } else {
                RequestHistory::Stored(messages)
            },
            model: self.model,
            system: self.system,
            tools: tools?,
            generation: self.generation.read()?,
        })
    }
}

impl From<SuppliedMessage> for SaidRow {
    fn from(said: SuppliedMessage) -> Self {
        let called = |call: SuppliedCall| CalledRow {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
        };
        Self {
            role: match said.role {
                Role::User => RoleRow::User,
                Role::Assistant => RoleRow::Assistant,
                Role::Tool => RoleRow::Tool,
            },
            text: said.text,
            thinking: said.thinking,
            pictures: said.pictures.iter().map(PictureRow::from).collect(),
            calls: said.calls.into_iter().map(called).collect(),
            call_id: said.call_id,
            tool_name: said.tool_name,
        }
    }
}

impl SaidRow {
    fn read(self, media: &Media) -> SuppliedMessage {
        let called = |row: CalledRow| SuppliedCall {
            id: row.id,
            name: row.name,
            arguments: row.arguments,
        };
        SuppliedMessage {
            role: match self.role {
                RoleRow::User => Role::User,
                RoleRow::Assistant => Role::Assistant,
                RoleRow::Tool => Role::Tool,
            },
            text: self.text,
            thinking: self.thinking,
            pictures: self
                .pictures
                .into_iter()
                .filter_map(|picture| media.load(picture))
                .collect(),
            calls: self.calls.into_iter().map(called).collect(),
            call_id: self.call_id,
            tool_name: self.tool_name,
        }
    }
}

impl From<ToolOffer> for OfferRow {
    fn from(offer: ToolOffer) -> Self {
        Self {
            name: offer.name,
            description: offer.description,
            parameters: offer.parameters.to_string(),
        }
    }
}

impl OfferRow {
    fn read(self) -> Result<ToolOffer, Fault> {
        let parameters = serde_json::from_str(&self.parameters)?;
        Ok(ToolOffer {
            name: self.name,
            description: self.description,
            parameters,
        })
    }
}

impl From<Generation> for GenerationRow {
    fn from(generation: Generation) -> Self {
        let text = |value: Option<Value>| value.map(|value| value.to_string());
        Self {
            temperature: generation.temperature,
            top_p: generation.top_p,
            max_tokens: generation.max_tokens,
            stop: generation.stop,
            seed: generation.seed,
            format: text(generation.format),
            think: text(generation.think),
        }
    }
}

impl GenerationRow {
    fn read(self) -> Result<Generation, Fault> {
        let value = |text: Option<String>| text.map(|text| serde_json::from_str(&text)).transpose();
        Ok(Generation {
            temperature: self.temperature,
            top_p: self.top_p,
            max_tokens: self.max_tokens,
            stop: self.stop,
            seed: self.seed,
            format: value(self.format)?,
            think: value(self.think)?,
        })
    }
}
