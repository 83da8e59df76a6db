//! Cuts a tree in two at a border; what is open there is closed before it and opened again after it.

use tertulia_message::{Block, Inline, ListItem};

use crate::markdown::trim_end;

use super::size;

pub(super) fn blocks(blocks: Vec<Block>, at: usize) -> (Vec<Block>, Vec<Block>) {
    apart(blocks, at, size::block, block)
}

/// Deals pieces out to both sides; one that lies across the cut is cut itself.
fn apart<T>(
    pieces: Vec<T>,
    at: usize,
    size: impl Fn(&T) -> usize,
    cut: impl Fn(T, usize) -> (T, T),
) -> (Vec<T>, Vec<T>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut left = at;
    for piece in pieces {
        let size = size(&piece);
        if left == 0 {
            after.push(piece);
        } else if left >= size {
            before.push(piece);
            left -= size;
        } else {
            let (first, second) = cut(piece, left);
            before.push(first);
            after.push(second);
            left = 0;
        }
    }
    (before, after)
}

fn block(block: Block, at: usize) -> (Block, Block) {
    match block {
        Block::Paragraph(text) => {
            let (before, after) = inlines(text, at);
            (Block::Paragraph(before), Block::Paragraph(after))
        }
        Block::Heading(level, text) => {
            let (before, after) = inlines(text, at);
            (Block::Heading(level, before), Block::Heading(level, after))
        }
        Block::Code { language, text } => {
            let (before, after) = text.split_at_checked(at).unwrap_or((&text, ""));
            let before = before.strip_suffix('\n').unwrap_or(before).to_owned();
            (
                Block::Code {
                    language: language.clone(),
                    text: before,
                },
                Block::Code {
                    language,
                    text: after.to_owned(),
                },
            )
        }
        Block::Quote(inner) => {
            let (before, after) = blocks(inner, at);
            (Block::Quote(before), Block::Quote(after))
        }
        Block::List { start, items } => list(start, items, at),
        Block::Table(rows) => table(rows, at),
        Block::Rule => (Block::Rule, Block::Rule),
    }
}

fn list(start: Option<u64>, items: Vec<ListItem>, at: usize) -> (Block, Block) {
    let count = items.len();
    let (before, after) = apart(items, at, |item| size::item(item), blocks);
    // an item that goes on keeps its number
    let passed = u64::try_from(count.saturating_sub(after.len())).unwrap_or_default();
    let next = start.map(|first| first.saturating_add(passed));
    (
        Block::List { start, items: before },
        Block::List {
            start: next,
            items: after,
        },
    )
}

fn table(rows: Vec<Vec<Vec<Inline>>>, at: usize) -> (Block, Block) {
    let head = rows.first().cloned();
    let mut before = rows;
    let after = before.split_off(at.min(before.len()));
    (
        Block::Table(before),
        Block::Table(head.into_iter().chain(after).collect()),
    )
}

fn inlines(text: Vec<Inline>, at: usize) -> (Vec<Inline>, Vec<Inline>) {
    let (mut before, after) = apart(text, at, size::inline, inline);
    trim_end(&mut before);
    (before, after)
}

fn inline(inline: Inline, at: usize) -> (Inline, Inline) {
    let both = |inner, wrap: fn(Vec<Inline>) -> Inline| {
        let (before, after) = inlines(inner, at);
        (wrap(before), wrap(after))
    };
    let text = |text: String, wrap: fn(String) -> Inline| {
        let (before, after) = text.split_at_checked(at).unwrap_or((&text, ""));
        (wrap(before.to_owned()), wrap(after.to_owned()))
    };
    match inline {
        Inline::Text(words) => text(words, Inline::Text),
        Inline::Code(code) => text(code, Inline::Code),
        Inline::Strong(inner) => both(inner, Inline::Strong),
        Inline::Emphasis(inner) => both(inner, Inline::Emphasis),
        Inline::Strike(inner) => both(inner, Inline::Strike),
        Inline::Spoiler(inner) => both(inner, Inline::Spoiler),
        atom => (atom.clone(), atom),
    }
}
