//! Formatted text as a tree of blocks and inlines, made once and rendered once per platform.

/// One piece of formatted text: a list of blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Markup {
    /// The blocks in reading order.
    pub blocks: Vec<Block>,
}

/// A block of formatted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A heading of level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A code block; the language may be empty, the text carries no final line break.
    Code {
        /// The info string's first word, e.g. `rust`.
        language: String,
        /// The code, verbatim.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A list; `start` is the first number of an ordered list.
    List {
        /// `None` for a bullet list.
        start: Option<u64>,
        /// The items.
        items: Vec<ListItem>,
    },
    /// A table; the first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    /// A thematic break.
    Rule,
}

/// One item of a list.
pub type ListItem = Vec<Block>;

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Literal text; a line break inside is a line break in the output.
    Text(String),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Code, verbatim.
    Code(String),
    /// Struck-out text.
    Strike(Vec<Inline>),
    /// A link with its visible text.
    Link {
        /// Where it points.
        url: String,
        /// What is shown.
        text: Vec<Inline>,
    },
    /// A mention of a person, by the platform's immutable id.
    Mention {
        /// The platform's id of the person.
        id: String,
        /// The name shown.
        name: String,
    },
    /// Text hidden until it is asked for.
    Spoiler(Vec<Inline>),
}

impl Markup {
    /// One paragraph of literal text; empty text gives no block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            return Self::default();
        }
        Self {
            blocks: vec![Block::Paragraph(vec![Inline::Text(text)])],
        }
    }

    /// True if nothing would be shown.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.plain().trim().is_empty()
    }

    /// The same content without any formatting: what a platform shows that knows none.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut out = String::new();
        plain_blocks(&self.blocks, "", &mut out);
        out
    }
}

fn plain_blocks(blocks: &[Block], separator_indent: &str, out: &mut String) {
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push_str("\n\n");
            out.push_str(separator_indent);
        }
        plain_block(block, separator_indent, out);
    }
}

fn plain_block(block: &Block, indent: &str, out: &mut String) {
    match block {
        Block::Paragraph(inlines) | Block::Heading(_, inlines) => {
            let mut text = String::new();
            plain_inlines(inlines, &mut text);
            out.push_str(&text.replace('\n', &format!("\n{indent}")));
        }
        Block::Code { text, .. } => out.push_str(&text.replace('\n', &format!("\n{indent}"))),
        Block::Quote(blocks) => {
            out.push_str("> ");
            plain_blocks(blocks, &format!("{indent}> "), out);
        }
        Block::List { start, items } => plain_list(*start, items, indent, out),
        Block::Table(rows) => plain_table(rows, indent, out),
        Block::Rule => out.push_str("———"),
    }
}

fn plain_list(start: Option<u64>, items: &[ListItem], indent: &str, out: &mut String) {
    for (index, item) in (0u64..).zip(items) {
        if index > 0 {
            out.push('\n');
            out.push_str(indent);
        }
        let marker = start.map_or_else(|| "• ".to_owned(), |first| format!("{}. ", first.saturating_add(index)));
        out.push_str(&marker);
        let inner = format!("{indent}{}", " ".repeat(marker.chars().count()));
        for (nth, block) in item.iter().enumerate() {
            if nth > 0 {
                out.push('\n');
                out.push_str(&inner);
            }
            plain_block(block, &inner, out);
        }
    }
}

fn plain_table(rows: &[Vec<Vec<Inline>>], indent: &str, out: &mut String) {
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(indent);
        }
        for (nth, cell) in row.iter().enumerate() {
            if nth > 0 {
                out.push_str(" | ");
            }
            plain_inlines(cell, out);
        }
    }
}

fn plain_inlines(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
                plain_inlines(inner, out);
            }
            Inline::Link { url, text } => plain_link(url, text, out),
            Inline::Mention { name, .. } => out.push_str(name),
        }
    }
}

fn plain_link(url: &str, text: &[Inline], out: &mut String) {
    let mut label = String::new();
    plain_inlines(text, &mut label);
    if label.is_empty() || label == url {
        out.push_str(url);
        return;
    }
    out.push_str(&label);
    out.push_str(" (");
    out.push_str(url);
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(blocks: Vec<Block>, expected: &str) {
        assert_eq!(Markup { blocks }.plain(), expected);
    }

    fn words(text: &str) -> Vec<Inline> {
        vec![Inline::Text(text.to_owned())]
    }

    #[test]
    fn plain_text_keeps_everything_a_reader_needs() {
        check(
            vec![Block::Paragraph(words("a")), Block::Paragraph(words("b"))],
            "a\n\nb",
        );
        check(vec![Block::Quote(vec![Block::Paragraph(words("a\nb"))])], "> a\n> b");
        check(
            vec![Block::List {
                start: Some(9),
                items: vec![vec![Block::Paragraph(words("x"))], vec![Block::Paragraph(words("y"))]],
            }],
            "9. x\n10. y",
        );
        check(
            vec![Block::Table(vec![
                vec![words("a"), words("b")],
                vec![words("1"), words("2")],
            ])],
            "a | b\n1 | 2",
        );
        check(
            vec![Block::Paragraph(vec![Inline::Link {
                url: "http://x".into(),
                text: words("here"),
            }])],
            "here (http://x)",
        );
        check(
            vec![Block::Code {
                language: "rs".into(),
                text: "a\nb".into(),
            }],
            "a\nb",
        );
    }

    #[test]
    fn blank_is_what_shows_nothing() {
        assert!(Markup::text("").is_blank());
        assert!(Markup::text(" \n").is_blank());
        assert!(!Markup::text("x").is_blank());
    }
}
