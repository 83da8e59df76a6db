//! Formatted text as JSON.

use serde::{Deserialize, Serialize};
use tertulia_message::{Block, Markup};

use super::inline::{self, InlineRow};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BlockRow {
    Paragraph(Vec<InlineRow>),
    Heading(u8, Vec<InlineRow>),
    Code {
        language: String,
        text: String,
    },
    Quote(Vec<BlockRow>),
    List {
        start: Option<u64>,
        items: Vec<Vec<BlockRow>>,
    },
    Table(Vec<Vec<Vec<InlineRow>>>),
    Rule,
}

pub(super) fn write(blocks: Vec<Block>) -> Vec<BlockRow> {
    blocks.into_iter().map(BlockRow::from).collect()
}

pub(super) fn read(rows: Vec<BlockRow>) -> Markup {
    Markup { blocks: blocks(rows) }
}

fn blocks(rows: Vec<BlockRow>) -> Vec<Block> {
    rows.into_iter().map(Block::from).collect()
}

impl From<Block> for BlockRow {
    fn from(block: Block) -> Self {
        match block {
            Block::Paragraph(inlines) => Self::Paragraph(inline::write(inlines)),
            Block::Heading(level, inlines) => Self::Heading(level, inline::write(inlines)),
            Block::Code { language, text } => Self::Code { language, text },
            Block::Quote(inner) => Self::Quote(write(inner)),
            Block::List { start, items } => Self::List {
                start,
                items: items.into_iter().map(write).collect(),
            },
            Block::Table(rows) => {
                let row = |row: Vec<_>| row.into_iter().map(inline::write).collect();
                Self::Table(rows.into_iter().map(row).collect())
            }
            Block::Rule => Self::Rule,
        }
    }
}

impl From<BlockRow> for Block {
    fn from(row: BlockRow) -> Self {
        match row {
            BlockRow::Paragraph(inlines) => Self::Paragraph(inline::read(inlines)),
            BlockRow::Heading(level, inlines) => Self::Heading(level, inline::read(inlines)),
            BlockRow::Code { language, text } => Self::Code { language, text },
            BlockRow::Quote(inner) => Self::Quote(blocks(inner)),
            BlockRow::List { start, items } => Self::List {
                start,
                items: items.into_iter().map(blocks).collect(),
            },
            BlockRow::Table(rows) => {
                let row = |row: Vec<_>| row.into_iter().map(inline::read).collect();
                Self::Table(rows.into_iter().map(row).collect())
            }
            BlockRow::Rule => Self::Rule,
        }
    }
}
