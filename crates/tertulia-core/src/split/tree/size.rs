//! How long the pieces of a tree are: bytes of text, and one for the end of each block, item and row.

use tertulia_message::{Block, Inline};

pub(super) fn block(block: &Block) -> usize {
    let inner = match block {
        Block::Paragraph(text) | Block::Heading(_, text) => inlines(text),
        Block::Code { text, .. } => text.len(),
        Block::Quote(inner) => blocks(inner),
        Block::List { items, .. } => items.iter().map(|item| self::item(item)).sum(),
        Block::Table(rows) => rows.len(),
        Block::Rule => 0,
    };
    inner + 1
}

pub(super) fn item(item: &[Block]) -> usize {
    blocks(item) + 1
}

pub(super) fn inline(inline: &Inline) -> usize {
    match inline {
        Inline::Text(text) | Inline::Code(text) => text.len().max(1),
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
            inlines(inner).max(1)
        }
        // not cut
        Inline::Link { .. } | Inline::Mention { .. } => 1,
    }
}

fn blocks(blocks: &[Block]) -> usize {
    blocks.iter().map(block).sum()
}

fn inlines(text: &[Inline]) -> usize {
    text.iter().map(inline).sum()
}
