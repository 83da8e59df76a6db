//! The plain body: what a notification shows, so that nothing hidden is in it, and everybody has a name.

use tertulia_message::{Block, Inline, Markup};

use super::letters::clean;

/// Stands for what is hidden.
const HIDDEN: &str = "[Spoiler]";

/// The whole text, without any formatting, and without what is hidden.
pub(super) fn body(markup: &Markup) -> String {
    if !markup.blocks.iter().any(is_block_changed) {
        return clean(&markup.plain());
    }
    let blocks = markup.blocks.iter().map(block).collect();
    clean(&Markup { blocks }.plain())
}

/// The words of running text, without what is hidden.
pub(super) fn words(text: &[Inline]) -> String {
    let blocks = vec![Block::Paragraph(inlines(text))];
    clean(&Markup { blocks }.plain())
}

/// What is shown of whom is mentioned.
pub(super) fn name<'a>(id: &'a str, name: &'a str) -> &'a str {
    if clean(name).trim().is_empty() { id } else { name }
}

fn is_block_changed(block: &Block) -> bool {
    match block {
        Block::Paragraph(text) | Block::Heading(_, text) => text.iter().any(is_changed),
        Block::Quote(blocks) => blocks.iter().any(is_block_changed),
        Block::List { items, .. } => items.iter().flatten().any(is_block_changed),
        Block::Table(rows) => rows.iter().flatten().flatten().any(is_changed),
        Block::Code { .. } | Block::Rule => false,
    }
}

fn is_changed(inline: &Inline) -> bool {
    match inline {
        Inline::Spoiler(_) => true,
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => inner.iter().any(is_changed),
        Inline::Link { text, .. } => text.iter().any(is_changed),
        Inline::Mention { name, .. } => clean(name).trim().is_empty(),
        Inline::Text(_) | Inline::Code(_) => false,
    }
}

fn block(block: &Block) -> Block {
    match block {
        Block::Paragraph(text) => Block::Paragraph(inlines(text)),
        Block::Heading(level, text) => Block::Heading(*level, inlines(text)),
        Block::Quote(inner) => Block::Quote(blocks(inner)),
        Block::List { start, items } => Block::List {
            start: *start,
            items: items.iter().map(|item| blocks(item)).collect(),
        },
        Block::Table(rows) => {
            let row = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| inlines(cell)).collect();
            Block::Table(rows.iter().map(row).collect())
        }
        Block::Code { .. } | Block::Rule => block.clone(),
    }
}

fn blocks(inner: &[Block]) -> Vec<Block> {
    inner.iter().map(block).collect()
}

fn inlines(text: &[Inline]) -> Vec<Inline> {
    text.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> Inline {
    match inline {
        Inline::Spoiler(inner) if words(inner).trim().is_empty() => Inline::Text(String::new()),
        Inline::Spoiler(_) => Inline::Text(HIDDEN.to_owned()),
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => Inline::Strong(inlines(inner)),
        Inline::Link { url, text } if text.iter().any(is_changed) => Inline::Link {
            url: url.clone(),
            text: inlines(text),
        },
        Inline::Mention { id, name } => Inline::Text(self::name(id, name).to_owned()),
        other => other.clone(),
    }
}
