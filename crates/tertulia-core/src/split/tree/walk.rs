//! Finds the borders of a tree, in the lengths of `size`.

use tertulia_message::{Block, Inline};

use crate::markdown::Cut;
use crate::split::border::{Border, Kind};
use crate::split::text_borders::kind;

use super::size;

/// All borders in reading order.
pub(super) fn borders(blocks: &[Block]) -> Vec<Border> {
    let mut walk = Walk {
        at: 0,
        found: Vec::new(),
    };
    walk.blocks(blocks, Kind::Block);
    walk.found
}

struct Walk {
    at: usize,
    found: Vec<Border>,
}

impl Walk {
    fn blocks(&mut self, blocks: &[Block], between: Kind) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            match before {
                None => {}
                // a heading stays with what it is the head of
                Some(Block::Heading(..)) => self.border(Kind::Space),
                Some(_) => self.border(between),
            }
            self.block(block);
            before = Some(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(text) | Block::Heading(_, text) => self.inlines(text),
            Block::Code { text, .. } => self.text(text),
            Block::Quote(blocks) => self.blocks(blocks, Kind::Line),
            Block::List { items, .. } => self.items(items),
            Block::Table(rows) => {
                for row in 0..rows.len() {
                    // a head without rows is no table
                    if row > 1 {
                        self.border(Kind::Line);
                    }
                    self.at += 1;
                }
            }
            Block::Rule => {}
        }
        self.at += 1;
    }

    fn items(&mut self, items: &[Vec<Block>]) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.border(Kind::Line);
            }
            self.blocks(item, Kind::Line);
            self.at += 1;
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        let mut before: Option<&Inline> = None;
        for inline in inlines {
            match before {
                None => {}
                Some(Inline::Text(text)) if text.ends_with('\n') => self.border(Kind::Line),
                Some(Inline::Text(text)) if text.ends_with(char::is_whitespace) => self.border(Kind::Space),
                Some(_) => self.border(Kind::Char),
            }
            match inline {
                Inline::Text(text) | Inline::Code(text) if !text.is_empty() => self.text(text),
                Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner)
                    if !inner.is_empty() =>
                {
                    self.inlines(inner);
                }
                atom => self.at += size::inline(atom),
            }
            before = Some(inline);
        }
    }

    fn text(&mut self, text: &str) {
        for (offset, next) in text.char_indices().skip(1) {
            if let Some(kind) = text.get(..offset).and_then(|before| kind(before, next)) {
                self.found.push(border(self.at + offset, kind));
            }
        }
        self.at += text.len();
    }

    fn border(&mut self, kind: Kind) {
        self.found.push(border(self.at, kind));
    }
}

fn border(at: usize, kind: Kind) -> Border {
    Border {
        cut: Cut { stop: 0, at },
        kind,
        resume: 0,
    }
}
