//! Running text as JSON.

use serde::{Deserialize, Serialize};
use tertulia_message::Inline;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InlineRow {
    Text(String),
    Strong(Vec<InlineRow>),
    Emphasis(Vec<InlineRow>),
    Code(String),
    Strike(Vec<InlineRow>),
    Link { url: String, text: Vec<InlineRow> },
    Mention { id: String, name: String },
    Spoiler(Vec<InlineRow>),
}

pub(super) fn write(inlines: Vec<Inline>) -> Vec<InlineRow> {
    inlines.into_iter().map(InlineRow::from).collect()
}

pub(super) fn read(rows: Vec<InlineRow>) -> Vec<Inline> {
    rows.into_iter().map(Inline::from).collect()
}

impl From<Inline> for InlineRow {
    fn from(inline: Inline) -> Self {
        match inline {
            Inline::Text(text) => Self::Text(text),
            Inline::Strong(inner) => Self::Strong(write(inner)),
            Inline::Emphasis(inner) => Self::Emphasis(write(inner)),
            Inline::Code(text) => Self::Code(text),
            Inline::Strike(inner) => Self::Strike(write(inner)),
            Inline::Link { url, text } => Self::Link { url, text: write(text) },
            Inline::Mention { id, name } => Self::Mention { id, name },
            Inline::Spoiler(inner) => Self::Spoiler(write(inner)),
        }
    }
}

impl From<InlineRow> for Inline {
    fn from(row: InlineRow) -> Self {
        match row {
            InlineRow::Text(text) => Self::Text(text),
            InlineRow::Strong(inner) => Self::Strong(read(inner)),
            InlineRow::Emphasis(inner) => Self::Emphasis(read(inner)),
            InlineRow::Code(text) => Self::Code(text),
            InlineRow::Strike(inner) => Self::Strike(read(inner)),
            InlineRow::Link { url, text } => Self::Link { url, text: read(text) },
            InlineRow::Mention { id, name } => Self::Mention { id, name },
            InlineRow::Spoiler(inner) => Self::Spoiler(read(inner)),
        }
    }
}
