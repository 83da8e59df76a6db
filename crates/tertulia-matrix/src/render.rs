//! Markup as Matrix takes it: a plain body, and HTML of the tags that the specification allows.

mod html;
mod letters;
mod links;
mod plain;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use tertulia_message::{Block, Inline, Markup};

/// Stands for a text that would show nothing.
const EMPTY: &str = "(empty)";

/// What one message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// The text for clients and notifications without formatting; never blank. What is hidden in the text is not in it.
    pub(crate) body: String,
    /// The text as HTML, where it has any formatting.
    pub(crate) html: Option<String>,
    /// The ids of the users that are meant to notice; nobody else is called, whatever the text says.
    pub(crate) mentions: Vec<String>,
}

/// Always a message that a server takes, but for its length.
#[must_use]
pub(crate) fn render(markup: &Markup) -> Rendered {
    let body = plain::body(markup);
    if body.trim().is_empty() {
        return Rendered {
            body: EMPTY.to_owned(),
            html: None,
            mentions: Vec::new(),
        };
    }
    if markup.blocks.iter().all(is_literal) {
        return Rendered {
            body,
            html: None,
            mentions: Vec::new(),
        };
    }
    let (html, mentions) = html::html(markup);
    Rendered {
        body,
        html: Some(html),
        mentions,
    }
}

/// True for what the plain body shows as well as any HTML.
fn is_literal(block: &Block) -> bool {
    let is_text = |inline: &Inline| matches!(inline, Inline::Text(_));
    matches!(block, Block::Paragraph(text) if text.iter().all(is_text))
}
