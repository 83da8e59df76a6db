//! Running text as a row of pieces with one style each.

use tertulia_message::Inline;

use super::links;
use crate::ids::Snowflake;

/// How a piece is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be combined")]
pub(super) struct Style {
    pub(super) strong: bool,
    pub(super) emphasis: bool,
    pub(super) strike: bool,
    pub(super) hidden: bool,
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words; may hold line breaks.
    Text(String),
    /// Code in running text.
    Code(String),
    /// Words that link to an address.
    Link(String, String),
    /// Somebody, by their id.
    Person(Snowflake),
}

/// A piece with its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) style: Style,
    pub(super) piece: Piece,
}

/// The pieces of running text; neighbours of one style are one piece.
pub(super) fn runs(inlines: &[Inline], style: Style) -> Vec<Run> {
    let mut runs = Vec::new();
    collect(inlines, style, &mut runs);
    runs
}

/// The words of running text, without any style.
pub(super) fn plain(inlines: &[Inline]) -> String {
    let words = |run: Run| match run.piece {
        Piece::Text(text) | Piece::Code(text) | Piece::Link(text, _) => text,
        Piece::Person(id) => format!("@{id}"),
    };
    runs(inlines, Style::default()).into_iter().map(words).collect()
}

fn collect(inlines: &[Inline], style: Style, runs: &mut Vec<Run>) {
    for inline in inlines {
        match inline {
            Inline::Text(text) => push(runs, style, Piece::Text(text.clone())),
            Inline::Code(code) => push(runs, style, Piece::Code(code.clone())),
            Inline::Strong(inner) => collect(inner, Style { strong: true, ..style }, runs),
            Inline::Emphasis(inner) => collect(
                inner,
                Style {
                    emphasis: true,
                    ..style
                },
                runs,
            ),
            Inline::Strike(inner) => collect(inner, Style { strike: true, ..style }, runs),
            Inline::Spoiler(inner) => collect(inner, Style { hidden: true, ..style }, runs),
            Inline::Link { url, text } => link(url, text, style, runs),
            Inline::Mention { id, name } => push(runs, style, person(id, name)),
        }
    }
}

fn person(id: &str, name: &str) -> Piece {
    match id.parse() {
        Ok(id) => Piece::Person(id),
        Err(_) if name.trim().is_empty() => Piece::Text(id.to_owned()),
        Err(_) => Piece::Text(name.to_owned()),
    }
}

fn link(url: &str, text: &[Inline], style: Style, runs: &mut Vec<Run>) {
    let label = plain(text);
    let words = label.trim();
    if words.is_empty() {
        return push(runs, style, Piece::Text(links::shown(url)));
    }
    if words == url || words == links::bare(url) {
        // made a link by the clients
        return push(runs, style, Piece::Text(label));
    }
    // Discord shows a link as it is written whose words are an address themselves
    let target = links::target(url).filter(|_| !words.contains("://"));
    let Some(target) = target else {
        collect(text, style, runs);
        return push(runs, style, Piece::Text(format!(" ({})", links::shown(url))));
    };
    let hidden = style.hidden || text.iter().any(is_hidden);
    push(runs, Style { hidden, ..style }, Piece::Link(label, target));
}

fn is_hidden(inline: &Inline) -> bool {
    match inline {
        Inline::Spoiler(_) => true,
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => inner.iter().any(is_hidden),
        Inline::Link { text, .. } => text.iter().any(is_hidden),
        Inline::Text(_) | Inline::Code(_) | Inline::Mention { .. } => false,
    }
}

fn push(runs: &mut Vec<Run>, style: Style, piece: Piece) {
    if let (Some(last), Piece::Text(text)) = (runs.last_mut(), &piece)
        && last.style == style
        && let Piece::Text(before) = &mut last.piece
    {
        before.push_str(text);
        return;
    }
    runs.push(Run { style, piece });
}
