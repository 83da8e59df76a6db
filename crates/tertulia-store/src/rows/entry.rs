//! The columns of an entry: parts, calls and results.

use serde::{Deserialize, Serialize};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_message::Picture;

use super::json;
use crate::fault::Fault;
use crate::media::{self, Media};

/// A message as it lies in its columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct EntryColumns {
    pub(crate) role: String,
    pub(crate) parts: String,
    pub(crate) calls: Option<String>,
    pub(crate) results: Option<String>,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) provider_data: Option<Vec<u8>>,
}

/// A picture by its hash; its bytes lie in a file.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
pub(crate) struct PictureRow {
    pub(crate) sha256: String,
    pub(crate) mime: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PartRow {
    Text(String),
    Picture(PictureRow),
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct CallRow {
    id: String,
    name: String,
    arguments: String,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct ResultRow {
    call_id: String,
    name: String,
    failed: bool,
    content: String,
}

impl From<&Picture> for PictureRow {
    fn from(picture: &Picture) -> Self {
        Self {
            sha256: media::name_of(&picture.bytes),
            mime: picture.mime.clone(),
        }
    }
}

/// True if there is something to remember: text, a picture, a call or a result.
pub(crate) fn has_content(message: &ChatMessage) -> bool {
    match message {
        ChatMessage::User { parts } => parts.iter().any(|part| match part {
            Part::Text(text) => !text.is_empty(),
            Part::Picture(_) => true,
        }),
        ChatMessage::Assistant { text, calls, .. } => !text.is_empty() || !calls.is_empty(),
        ChatMessage::Tool { results } => !results.is_empty(),
    }
}

pub(crate) fn write(message: ChatMessage) -> Result<EntryColumns, Fault> {
    match message {
        ChatMessage::User { parts } => {
            let rows: Vec<_> = parts.into_iter().map(PartRow::from).collect();
            Ok(EntryColumns {
                role: "user".to_owned(),
                parts: json(&rows)?,
                ..EntryColumns::default()
            })
        }
        ChatMessage::Assistant { text, calls, data } => assistant(text, calls, data),
        ChatMessage::Tool { results } => {
            let rows: Vec<_> = results.into_iter().map(ResultRow::from).collect();
            let results = Some(json(&rows)?);
            Ok(EntryColumns {
                role: "tool".to_owned(),
                parts: "[]".to_owned(),
                results,
                ..EntryColumns::default()
            })
        }
    }
}

fn assistant(text: String, calls: Vec<ToolCall>, data: Option<ProviderData>) -> Result<EntryColumns, Fault> {
    let parts = [PartRow::Text(text)];
    let call = |call: ToolCall| CallRow {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
    };
    let calls: Vec<_> = calls.into_iter().map(call).collect();
    let (kind, model, bytes) = match data {
        Some(data) => (Some(data.kind), Some(data.model), Some(data.bytes)),
        None => (None, None, None),
    };
    Ok(EntryColumns {
        role: "assistant".to_owned(),
        parts: json(&parts)?,
        calls: if calls.is_empty() { None } else { Some(json(&calls)?) },
        results: None,
        provider: kind,
        model,
        provider_data: bytes,
    })
}

impl EntryColumns {
    pub(crate) fn read(self, media: &Media) -> Result<ChatMessage, Fault> {
        match self.role.as_str() {
            "user" => {
                let parts: Vec<PartRow> = serde_json::from_str(&self.parts)?;
                Ok(ChatMessage::User {
                    parts: parts.into_iter().filter_map(|part| part.read(media)).collect(),
                })
            }
            "tool" => {
                let rows: Vec<ResultRow> = serde_json::from_str(self.results.as_deref().unwrap_or("[]"))?;
                Ok(ChatMessage::Tool {
                    results: rows.into_iter().map(ToolResult::from).collect(),
                })
            }
            _ => {
                let calls: Vec<CallRow> = serde_json::from_str(self.calls.as_deref().unwrap_or("[]"))?;
                let call = |row: CallRow| ToolCall {
                    id: row.id,
                    name: row.name,
                    arguments: row.arguments,
                };
                Ok(ChatMessage::Assistant {
                    text: visible_text(&self.parts)?,
                    calls: calls.into_iter().map(call).collect(),
                    data: provider_data(self.provider, self.model, self.provider_data),
                })
            }
        }
    }
}

fn provider_data(kind: Option<String>, model: Option<String>, bytes: Option<Vec<u8>>) -> Option<ProviderData> {
    Some(ProviderData {
        kind: kind?,
        model: model?,
        bytes: bytes?,
    })
}

/// The texts of a `parts` column, one per line; empty if there is none.
pub(crate) fn visible_text(parts: &str) -> Result<String, Fault> {
    let parts: Vec<PartRow> = serde_json::from_str(parts)?;
    let texts = parts.into_iter().filter_map(|part| match part {
        PartRow::Text(text) if !text.is_empty() => Some(text),
        PartRow::Text(_) | PartRow::Picture(_) => None,
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

pub(crate) fn write_result(result: ToolResult) -> Result<String, Fault> {
    json(&ResultRow::from(result))
}

pub(crate) fn read_result(text: &str) -> Result<ToolResult, Fault> {
    Ok(serde_json::from_str::<ResultRow>(text)?.into())
}

impl From<Part> for PartRow {
    fn from(part: Part) -> Self {
        match part {
            Part::Text(text) => Self::Text(text),
            Part::Picture(picture) => Self::Picture(PictureRow::from(&picture)),
        }
    }
}

impl PartRow {
    fn read(self, media: &Media) -> Option<Part> {
        match self {
            Self::Text(text) => Some(Part::Text(text)),
            Self::Picture(picture) => media.load(picture).map(Part::Picture),
        }
    }
}

impl From<ToolResult> for ResultRow {
    fn from(result: ToolResult) -> Self {
        Self {
            call_id: result.call_id,
            name: result.name,
            failed: result.status == ToolStatus::Failed,
            content: result.content,
        }
    }
}

impl From<ResultRow> for ToolResult {
    fn from(row: ResultRow) -> Self {
        Self {
            call_id: row.call_id,
            name: row.name,
            status: if row.failed { ToolStatus::Failed } else { ToolStatus::Ok },
            content: row.content,
        }
    }
}
