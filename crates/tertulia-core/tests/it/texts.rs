//! Texts and measures for the properties.

use proptest::prelude::*;
use tertulia_message::{Block, Inline, Markup};

/// Markdown of all kinds, well formed and not, and plain noise.
pub(crate) fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => "[a-z]{1,9}( [a-zäß漢。.!]{1,9}){0,20}",
        2 => "(\\*\\*|\\*|_|~~|`|``)[a-z ]{1,12}(\\*\\*|\\*|_|~~|`|``)?[a-z ]{0,9}",
        2 => "( {0,6})([-*+]|[0-9]{1,2}[.)]) [a-z ]{0,30}",
        1 => "(> ?){1,3}[a-z ]{0,30}",
        1 => " {0,3}(```|~~~|````|``)[a-z]{0,5}",
        1 => "#{1,7} [a-z ]{0,20}",
        1 => "\\|[a-z ]{0,5}\\|[a-z ]{0,5}\\|",
        1 => Just("|-|-|".to_owned()),
        1 => Just(String::new()),
        1 => Just("---".to_owned()),
        1 => "!?\\[[a-z ]{0,9}\\]\\(http://[a-z]{1,80}\\)",
        1 => "\\[[a-z]{1,3}\\]: http://[a-z]{1,9}",
        1 => "</?[a-z_]{1,9}>[a-z ]{0,9}",
        1 => "[a-z ]{0,9}(\\$|\\$\\$|\\\\[(\\[])[a-z_*^ +-]{0,12}(\\$|\\$\\$|\\\\[)\\]])?[a-z ]{0,9}",
        1 => "[a-z]{0,5}(\\*\\*|~|\\|\\|)[「(\"a]?[a-z`]{1,9}[」)\":.`]?(\\*\\*|~|\\|\\|)[a-z ]{0,9}",
        1 => "[a-z ]{0,9}<br ?/?>[a-z ]{0,9}",
        1 => "[a-z]{1,9}\n(-{1,4}|=)",
        1 => "[\u{1F600}-\u{1F64F}]{1,40}",
        1 => "[a-zA-Z0-9]{40,120}",
        1 => "\\PC{0,40}",
        1 => "[ \\t\\r&;\\\\*_`~<>|\\[\\]()!#0-9.-]{0,20}",
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\r\n"), 1 => Just("")];
    proptest::collection::vec((line, end), 0..40).prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.to_owned()])
            .collect()
    })
}

/// Well formed Markdown without tables and links.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let words = "[a-z]{1,9}( [a-z.]{0,8}[a-z]){0,20}";
    let run = (
        prop_oneof![4 => Just(""), 1 => Just("**"), 1 => Just("*"), 1 => Just("***"), 1 => Just("~~"), 1 => Just("||")],
        words,
    )
        .prop_map(|(sign, words)| format!("{sign}{words}{sign}"));
    let line = proptest::collection::vec(run, 1..4).prop_map(|runs| runs.join(" "));
    let lines = proptest::collection::vec(line.clone(), 1..5);
    let block = prop_oneof![
        lines.clone().prop_map(|lines| lines.join("\n")),
        lines.clone().prop_map(|lines| format!("> {}", lines.join("\n> "))),
        lines.clone().prop_map(|lines| format!("- {}", lines.join("\n- "))),
        lines.clone().prop_map(|lines| format!("- {}", lines.join("\n  - "))),
        lines.prop_map(|lines| format!("1. {}", lines.join("\n   more\n2. "))),
        line.prop_map(|line| format!("## {line}")),
        proptest::collection::vec("[a-z ]{0,40}", 1..12)
            .prop_map(|lines| format!("```rust\n{}\n.\n```", lines.join("\n"))),
        proptest::collection::vec("[a-z]{1,20}", 1..9)
            .prop_map(|lines| format!("- code\n\n  ~~~py\n  {}\n  ~~~\n\n  after", lines.join("\n  "))),
    ];
    proptest::collection::vec(block, 1..8).prop_map(|blocks| blocks.join("\n\n"))
}

/// Measures: UTF-16, characters, bytes, and one where every block and wrapper has a price of its own.
pub(crate) fn measures() -> [fn(&Markup) -> usize; 4] {
    [
        |markup| markup.plain().encode_utf16().count(),
        |markup| markup.plain().chars().count(),
        |markup| markup.plain().len(),
        |markup| markup.plain().len() + blocks(&markup.blocks),
    ]
}

fn blocks(all: &[Block]) -> usize {
    let price = |block: &Block| match block {
        Block::Paragraph(text) | Block::Heading(_, text) => inlines(text),
        Block::Quote(inner) => blocks(inner),
        Block::List { items, .. } => items.iter().map(|item| blocks(item)).sum(),
        Block::Table(rows) => rows.iter().flatten().map(|cell| 3 + inlines(cell)).sum(),
        Block::Code { .. } | Block::Rule => 0,
    };
    all.iter().map(|block| 7 + price(block)).sum()
}

fn inlines(all: &[Inline]) -> usize {
    let price = |inline: &Inline| match inline {
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
            5 + inlines(inner)
        }
        Inline::Link { url, text } => 5 + url.len() + inlines(text),
        Inline::Text(_) | Inline::Code(_) | Inline::Mention { .. } => 1,
    };
    all.iter().map(price).sum()
}
