//! What is open while a tree is built.

use tertulia_message::{Block, Inline, ListItem};

/// Something open, with what it holds so far.
pub(super) enum Frame {
    /// A holder of blocks.
    Blocks(Holder, Vec<Block>),
    /// A list.
    List(Option<u64>, Vec<ListItem>),
    /// Running text.
    Inlines(Run, Vec<Inline>),
    /// A code block: language and text.
    Code(String, String),
    /// A block of raw HTML, shown as it is.
    Html(String),
    /// A table.
    Table(Vec<Vec<Vec<Inline>>>),
    /// A row of a table.
    Row(Vec<Vec<Inline>>),
}

/// What a holder of blocks is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Holder {
    Root,
    Quote,
    Item,
}

/// What a piece of running text is.
#[derive(Clone, PartialEq)]
pub(super) enum Run {
    /// Text that stands in a holder without a paragraph around it, as in tight lists.
    Loose,
    Paragraph,
    Heading(u8),
    Cell,
    Strong,
    Emphasis,
    Strike,
    Spoiler,
    Link(String),
}

impl Frame {
    pub(super) fn run(run: Run) -> Self {
        Self::Inlines(run, Vec::new())
    }

    pub(super) fn holder(holder: Holder) -> Self {
        Self::Blocks(holder, Vec::new())
    }

    pub(super) fn is_loose(&self) -> bool {
        matches!(self, Self::Inlines(Run::Loose, _))
    }

    pub(super) fn is_link(&self) -> bool {
        matches!(self, Self::Inlines(Run::Link(_), _))
    }
}

/// Adds literal text, joined with literal text before it.
pub(super) fn push_text(inlines: &mut Vec<Inline>, text: &str) {
    if let Some(Inline::Text(last)) = inlines.last_mut() {
        last.push_str(text);
    } else if !text.is_empty() {
        inlines.push(Inline::Text(text.to_owned()));
    }
}

/// Takes away blanks at the end, which a cut can leave there.
pub(crate) fn trim_end(inlines: &mut Vec<Inline>) {
    let Some(Inline::Text(last)) = inlines.last_mut() else {
        return;
    };
    last.truncate(last.trim_end_matches([' ', '\t', '\r', '\n']).len());
    if last.is_empty() {
        inlines.pop();
    }
}
