//! Blocks, one below the other.

use tertulia_message::{Block, Inline, ListItem};

use super::runs::Style;
use super::writer::Writer;

/// How a thematic break is shown: Discord knows none.
const RULE: &str = "————————";
/// The mark of a quotation.
const QUOTE: &str = "> ";
/// How deep quotations and lists are marked; what is deeper is shown like what it is in.
const DEEPEST_QUOTE: usize = 4;
const DEEPEST_LIST: usize = 8;

pub(super) const BOLD: Style = Style {
    strong: true,
    emphasis: false,
    strike: false,
    hidden: false,
};

impl Writer {
    /// Writes blocks; `is_tight` without blank lines between them.
    pub(super) fn blocks(&mut self, blocks: &[Block], is_tight: bool) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            match before {
                None => {}
                // Discord puts space below its own headings
                Some(Block::Heading(..)) => self.gap(1),
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
            Block::Heading(level, text) => self.heading(*level, text),
            Block::Code { language, text } => self.code(language, text),
            Block::Quote(blocks) => self.quote(blocks),
            Block::List { start, items } => self.list(*start, items),
            Block::Table(rows) => self.table(rows),
            Block::Rule => self.sign(RULE),
        }
    }

    /// Discord has three levels, and none inside of lists.
    fn heading(&mut self, level: u8, text: &[Inline]) {
        let level = usize::from(level.max(1));
        if level > 3 || self.lists > 0 {
            return self.one_line(text, BOLD);
        }
        if !super::runs::plain(text).trim().is_empty() {
            self.sign(&format!("{} ", "#".repeat(level)));
            self.one_line(text, Style::default());
        }
    }

    /// A quotation stands without the indentation of a list: Discord would not see it there.
    fn quote(&mut self, blocks: &[Block]) {
        let indent = std::mem::take(&mut self.indent);
        let lists = std::mem::take(&mut self.lists);
        let length = self.quotes.len();
        if length < DEEPEST_QUOTE * QUOTE.len() {
            self.quotes.push_str(QUOTE);
        }
        self.blocks(blocks, false);
        self.quotes.truncate(length);
        self.indent = indent;
        self.lists = lists;
    }

    fn list(&mut self, start: Option<u64>, items: &[ListItem]) {
        self.lists += 1;
        for (index, item) in (0..).zip(items) {
            if index > 0 {
                self.gap(1);
            }
            let marker = match start {
                Some(first) => format!("{}. ", first.saturating_add(index)),
                None => "- ".to_owned(),
            };
            self.marker(&marker);
            let length = self.indent.len();
            if self.lists <= DEEPEST_LIST {
                self.indent.push_str(&" ".repeat(marker.len()));
            }
            if item.first().is_some_and(needs_line) {
                self.gap(1);
            }
            self.blocks(item, true);
            self.indent.truncate(length);
        }
        self.lists -= 1;
    }
}

/// True for what does not stand behind the marker of an item.
fn needs_line(block: &Block) -> bool {
    matches!(
        block,
        Block::Code { .. } | Block::Quote(_) | Block::Table(_) | Block::List { .. }
    )
}
