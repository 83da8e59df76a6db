//! Blocks, one below the other.

use tertulia_message::{Block, Inline, ListItem};

use super::writer::{BOLD, Style, Writer};

/// How a thematic break is shown.
const RULE: &str = "————————";
/// The longest name of a programming language, in characters.
const LONGEST_LANGUAGE: usize = 32;

impl Writer {
    /// Writes blocks; `is_tight` without blank lines between them.
    pub(super) fn blocks(&mut self, blocks: &[Block], is_tight: bool) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            match before {
                None => {}
                // a small heading stands close to what it is the head of
                Some(Block::Heading(3.., _)) => self.gap(1),
                Some(_) => self.gap(if is_tight { 1 } else { 2 }),
            }
            let length = self.length();
            self.block(block);
            if self.length() > length {
                before = Some(block);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(text) => self.inlines(text, Style::default()),
            Block::Heading(_, text) => self.inlines(text, Style::default().with(BOLD)),
            Block::Code { language, text } => self.pre(clean_language(language), text),
            Block::Quote(blocks) => self.quote(blocks),
            Block::List { start, items } => self.list(*start, items),
            Block::Table(rows) => self.table(rows),
            Block::Rule => self.write(RULE, Style::default()),
        }
    }

    /// A quotation; Telegram does not nest them, so an inner one is marked by signs.
    fn quote(&mut self, blocks: &[Block]) {
        if self.quoted > 0 {
            self.quoted += 1;
            self.within("> ", |writer| writer.blocks(blocks, false));
        } else {
            self.quoted += 1;
            self.quotation(|writer| writer.blocks(blocks, false));
        }
        self.quoted -= 1;
    }

    fn list(&mut self, start: Option<u64>, items: &[ListItem]) {
        for (index, item) in (0..).zip(items) {
            if index > 0 {
                self.gap(1);
            }
            let marker = match start {
                Some(first) => format!("{}. ", first.saturating_add(index)),
                None => "• ".to_owned(),
            };
            if start.is_none() && is_task(item) {
                self.start_line();
            } else {
                self.write(&marker, Style::default());
            }
            let indent = " ".repeat(marker.chars().count());
            self.within(&indent, |writer| {
                if item.first().is_some_and(needs_line) {
                    writer.gap(1);
                }
                writer.blocks(item, true);
            });
        }
    }

    /// Writes with a longer prefix.
    fn within(&mut self, more: &str, write: impl FnOnce(&mut Self)) {
        let length = self.prefix.len();
        self.prefix.push_str(more);
        write(self);
        self.prefix.truncate(length);
    }
}

/// True for what does not stand behind the marker of an item.
fn needs_line(block: &Block) -> bool {
    matches!(block, Block::Code { .. } | Block::Quote(_) | Block::Table(_))
}

/// True for an item that has a box in place of a marker.
fn is_task(item: &ListItem) -> bool {
    matches!(item.first(), Some(Block::Paragraph(text))
        if matches!(text.first(), Some(Inline::Text(text)) if text.starts_with(['☐', '☑'])))
}

/// The name of a language as clients know it; none if nothing is left.
fn clean_language(language: &str) -> Option<String> {
    let is_part = |c: &char| c.is_ascii_alphanumeric() || "+-#._".contains(*c);
    let name: String = language
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
        .chars()
        .take_while(is_part)
        .take(LONGEST_LANGUAGE)
        .collect();
    (!name.is_empty()).then_some(name)
}
