//! The columns `kind` and `body` of the inbox.

use serde::{Deserialize, Serialize};
use tertulia_core::record::{InboxId, MessageBody, RowBody};
use tertulia_message::{FileRef, Quoted};

use super::json;
use super::request::RequestRow;
use crate::fault::Fault;
use crate::media::Media;

#[derive(Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(crate) struct MessageRow {
    pub(crate) text: String,
    speaker: String,
    direct: bool,
    files: Vec<FileRow>,
    reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted: Option<QuotedRow>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct QuotedRow {
    who: String,
    text: String,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct CommandRow {
    name: String,
    arguments: String,
    direct: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    button: Option<i64>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
pub(crate) struct FileRow {
    handle: String,
    name: String,
    mime: Option<String>,
    size: Option<u64>,
}

pub(crate) fn kind(body: &RowBody) -> &'static str {
    match body {
        RowBody::Message(_) => "message",
        RowBody::Command { .. } => "command",
        RowBody::Request(_) => "request",
    }
}

pub(crate) fn write(body: RowBody) -> Result<String, Fault> {
    match body {
        RowBody::Message(message) => json(&MessageRow::from(message)),
        RowBody::Command {
            name,
            arguments,
            direct,
            button,
        } => json(&CommandRow {
            name,
            arguments,
            direct,
            button: button.map(|turn| turn.0),
        }),
        RowBody::Request(request) => json(&RequestRow::from(*request)),
    }
}

pub(crate) fn read(kind: &str, body: &str, media: &Media) -> Result<RowBody, Fault> {
    match kind {
        "command" => {
            let row: CommandRow = serde_json::from_str(body)?;
            Ok(RowBody::Command {
                name: row.name,
                arguments: row.arguments,
                direct: row.direct,
                button: row.button.map(InboxId),
            })
        }
        "request" => {
            let row: RequestRow = serde_json::from_str(body)?;
            Ok(RowBody::Request(Box::new(row.read(media)?)))
        }
        _ => Ok(RowBody::Message(serde_json::from_str::<MessageRow>(body)?.into())),
    }
}

impl From<MessageBody> for MessageRow {
    fn from(body: MessageBody) -> Self {
        Self {
            text: body.text,
            speaker: body.speaker,
            direct: body.direct,
            files: body.files.into_iter().map(FileRow::from).collect(),
            reply_to: body.reply_to,
            quoted: body.quoted.map(|Quoted { who, text }| QuotedRow { who, text }),
        }
    }
}

impl From<MessageRow> for MessageBody {
    fn from(row: MessageRow) -> Self {
        Self {
            text: row.text,
            speaker: row.speaker,
            direct: row.direct,
            files: row.files.into_iter().map(FileRef::from).collect(),
            reply_to: row.reply_to,
            quoted: row.quoted.map(|QuotedRow { who, text }| Quoted { who, text }),
        }
    }
}

impl From<FileRef> for FileRow {
    fn from(file: FileRef) -> Self {
        Self {
            handle: file.handle,
            name: file.name,
            mime: file.mime,
            size: file.size,
        }
    }
}

impl From<FileRow> for FileRef {
    fn from(row: FileRow) -> Self {
        Self {
            handle: row.handle,
            name: row.name,
            mime: row.mime,
            size: row.size,
        }
    }
}
