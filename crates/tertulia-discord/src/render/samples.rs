//! Markup and Markdown of all kinds, for the properties.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use tertulia_message::{Block, Inline, Markup};

use super::chars;
use crate::ids::Snowflake;

/// Text of all kinds, with what is left out or shows nothing.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[a-zA-Z0-9 .,!]{0,12}",
        2 => "[ \\n\\t]{0,4}",
        1 => "[äß漢字שלוםعرب]{1,6}",
        1 => "[\u{1F600}-\u{1F64F}]{1,3}",
        1 => "[_*\\[\\]()~`>#+=|{}.!\\\\<&-]{0,6}",
        1 => Just("👩‍👩‍👧 e\u{301}".to_owned()),
        1 => "[\u{200B}-\u{200F}\u{2060}\u{FEFF}\u{AD}\u{3164}\u{2800}\u{A0}\u{301}]{1,4}",
        1 => "(@everyone|@here|<@[0-9]{1,3}>|<#7>|<@&7>|<t:1>|:100:|https?://x.org/[a-z_*|()~]{0,6}|\\[x\\]\\(http://y\\)|# |- |1\\. |>|>>> |-# |\\|\\||~~|```|__){1,3}",
        1 => "[\r\0\u{7}\u{B}\u{85}\u{2028}-\u{202E}]{1,4}",
        1 => "\\PC{0,8}",
    ];
    vec(word, 0..4).prop_map(|words| words.concat())
}

fn inlines() -> impl Strategy<Value = Vec<Inline>> {
    let url = prop_oneof![
        3 => "https?://[a-z]{1,9}\\.org(/[a-z_]{0,9})?",
        1 => "(mailto:|tg://|/|#|ftp://|javascript:)[a-z?=@.]{0,12}",
        1 => "\\PC{0,12}",
    ];
    let leaf = prop_oneof![
        6 => text().prop_map(Inline::Text),
        2 => text().prop_map(Inline::Code),
        1 => ("[1-9][0-9]{0,12}|@[a-z]{1,5}", text()).prop_map(|(id, name)| Inline::Mention { id, name }),
    ];
    let inline = leaf.prop_recursive(4, 24, 4, move |inner| {
        let inner = vec(inner, 0..4);
        prop_oneof![
            inner.clone().prop_map(Inline::Strong),
            inner.clone().prop_map(Inline::Emphasis),
            inner.clone().prop_map(Inline::Strike),
            inner.clone().prop_map(Inline::Spoiler),
            (url.clone(), inner).prop_map(|(url, text)| Inline::Link { url, text }),
        ]
    });
    vec(inline, 0..5)
}

/// Any tree; the order of letters is kept in one without tables.
pub(super) fn markup(has_tables: bool) -> impl Strategy<Value = Markup> {
    let tables = u32::from(has_tables);
    let leaf = prop_oneof![
        6 => inlines().prop_map(Block::Paragraph),
        2 => (1u8..7, inlines()).prop_map(|(level, text)| Block::Heading(level, text)),
        2 => ("\\PC{0,6}|rust", vec(text(), 0..4)).prop_map(|(language, lines)| Block::Code { language, text: lines.join("\n") }),
        2 * tables => vec(vec(inlines(), 0..4), 0..4).prop_map(Block::Table),
        1 => Just(Block::Rule),
    ];
    let block = leaf.prop_recursive(4, 16, 4, |inner| {
        let blocks = vec(inner, 0..4);
        prop_oneof![
            blocks.clone().prop_map(Block::Quote),
            (proptest::option::of(any::<u64>()), vec(blocks, 0..4))
                .prop_map(|(start, items)| Block::List { start, items }),
        ]
    });
    vec(block, 0..6).prop_map(|blocks| Markup { blocks })
}

/// Markdown, well formed and not.
pub(super) fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => "[a-z]{1,9}( [a-zäß漢。.!]{1,9}){0,20}",
        3 => "(\\*\\*|\\*|_|~~|`|``)[a-z ]{1,12}(\\*\\*|\\*|_|~~|`|``)?[a-z ]{0,9}",
        2 => "( {0,6})([-*+]|[0-9]{1,2}[.)]) [a-z ]{0,30}",
        1 => "(> ?){1,3}[a-z ]{0,30}",
        1 => " {0,3}(```|~~~|````|``)[a-z]{0,5}",
        1 => "#{1,7} [a-z ]{0,20}",
        3 => "\\|[a-z ]{0,5}\\|[a-z ]{0,30}\\|[a-z ]{0,30}\\|",
        2 => Just("|-|-|-|".to_owned()),
        1 => Just(String::new()),
        1 => Just("---".to_owned()),
        1 => "!?\\[[a-z `*]{0,9}\\]\\(http://[a-z.]{1,80}\\)",
        1 => "\\[[a-z]{1,3}\\]: http://[a-z]{1,9}",
        1 => "</?[a-z_]{1,9}>[a-z ]{0,9}",
        1 => "[\u{1F600}-\u{1F64F}]{1,40}",
        1 => "[a-zA-Z0-9]{40,120}",
        1 => text(),
        1 => "[ \\t\\r&;\\\\*_`~<>|\\[\\]()!#0-9.-]{0,20}",
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\r\n"), 1 => Just("")];
    vec((line, end), 0..40).prop_map(|lines| {
        let lines = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]);
        lines.collect()
    })
}

/// Long texts of one kind each, as models and people write them.
pub(super) fn nasty() -> Vec<String> {
    let row = format!("|{}|b|{}|\n", "word ".repeat(9), "漢字".repeat(9));
    vec![
        "**a** b ".repeat(600),
        "*a* `b` ~~c~~ ***d*** ".repeat(500),
        format!("**{}**", "a *b* ".repeat(600)),
        "[a `b`](https://x.org/y) ".repeat(250),
        format!("[{}](https://x.org)", "word ".repeat(2000)),
        format!("[a](https://x.org/{})", "y".repeat(9000)),
        "`".repeat(5000),
        "x".repeat(100_000),
        "😀".repeat(9000),
        "👩‍👩‍👧".repeat(1500),
        "שלום עולם, עברית. ".repeat(900),
        "\u{200B}".repeat(9000) + "a",
        format!("a{}b", "\u{200B}".repeat(9000)),
        "<b>tags</b> & <x y=\"z\"> ".repeat(500),
        "_*[]()~`>#+-=|{}.!\\ ".repeat(900),
        "```rust\n".to_owned() + &"    let a = \"漢字 😀\";\n".repeat(600),
        "```\n".to_owned() + &"\ttab\r\n\n".repeat(900),
        "- ```py\n  x = 1\n  ```\n".repeat(400),
        "1. one\n   - two\n     - three `x` **y**\n".repeat(400),
        (0..60)
            .map(|depth| "  ".repeat(depth) + "- deep\n")
            .collect::<String>()
            .repeat(20),
        "> quoted *text*\n> > inner\n\n".repeat(120),
        "|a|b|\n|-|-|\n".to_owned() + &"|1|two words|\n".repeat(500),
        row.clone() + "|-|-|-|\n" + &row.repeat(60),
        "# Head\n\n".repeat(300),
        "---\n\n".repeat(600),
        "\\(x^2\\) $$\\frac{a}{b}$$ ".repeat(500),
        "a\n".repeat(3000),
        "a\n\n\n\n".repeat(1500),
        " \u{A0}\u{3000}".repeat(5000),
        "e\u{301}\u{302}\u{303}".repeat(3000),
        "\r\0\u{202E}".repeat(5000) + "end",
        "- [x] done\n- [ ] open **now**\n".repeat(400),
    ]
}

/// The letters that a reader has to see, in their order; addresses are not among them.
pub(super) fn letters(markup: &Markup) -> String {
    let mut out = String::new();
    from_blocks(&markup.blocks, &mut out);
    letters_of(&out)
}

pub(super) fn letters_of(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric() && chars::is_visible(&c.to_string()))
        .collect()
}

fn from_blocks(blocks: &[Block], out: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(text) | Block::Heading(_, text) => from_inlines(text, out),
            Block::Code { text, .. } => out.push_str(text),
            Block::Quote(inner) => from_blocks(inner, out),
            Block::List { items, .. } => items.iter().for_each(|item| from_blocks(item, out)),
            Block::Table(rows) => rows.iter().flatten().for_each(|cell| from_inlines(cell, out)),
            Block::Rule => {}
        }
    }
}

fn from_inlines(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Mention { id, .. } if id.parse::<Snowflake>().is_ok() => {}
            Inline::Mention { name, .. } => out.push_str(name),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
                from_inlines(inner, out);
            }
            Inline::Link { text, .. } => from_inlines(text, out),
        }
    }
}

/// Whom a tree mentions.
pub(super) fn mentions(markup: &Markup) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    markup.blocks.iter().for_each(|block| mentions_of(block, &mut ids));
    ids
}

fn mentions_of(block: &Block, ids: &mut BTreeSet<String>) {
    match block {
        Block::Paragraph(text) | Block::Heading(_, text) => mentioned(text, ids),
        Block::Quote(blocks) => blocks.iter().for_each(|block| mentions_of(block, ids)),
        Block::List { items, .. } => items.iter().flatten().for_each(|block| mentions_of(block, ids)),
        Block::Table(rows) => rows.iter().flatten().for_each(|cell| mentioned(cell, ids)),
        Block::Code { .. } | Block::Rule => {}
    }
}

fn mentioned(inlines: &[Inline], ids: &mut BTreeSet<String>) {
    for inline in inlines {
        match inline {
            Inline::Mention { id, .. } => {
                ids.insert(id.clone());
            }
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
                mentioned(inner, ids);
            }
            Inline::Link { text, .. } => mentioned(text, ids),
            Inline::Text(_) | Inline::Code(_) => {}
        }
    }
}

pub(super) fn has_table(block: &Block) -> bool {
    match block {
        Block::Table(_) => true,
        Block::Quote(blocks) => blocks.iter().any(has_table),
        Block::List { items, .. } => items.iter().flatten().any(has_table),
        _ => false,
    }
}
