//! Markup and Markdown of all kinds, for the properties.

use proptest::collection::vec;
use proptest::prelude::*;
use tertulia_message::{Block, Inline, Markup};

/// Text of all kinds.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[a-zA-Z0-9 .,!]{0,12}",
        2 => "[ \\n\\t]{0,4}",
        1 => "[äß漢字שלוםعرب]{1,6}",
        1 => "[\u{1F600}-\u{1F64F}]{1,3}",
        2 => "[<>&\"'/=;\\\\]{0,6}",
        1 => "</?(script|p|span|mx-reply)>?",
        1 => "[\r\0\u{7}\u{B}\u{85}\u{2028}-\u{202E}]{1,4}",
        1 => "\\PC{0,8}",
    ];
    vec(word, 0..4).prop_map(|words| words.concat())
}

fn inlines() -> impl Strategy<Value = Vec<Inline>> {
    let url = prop_oneof![
        3 => "https?://[a-z]{1,9}\\.org(/[a-z_\"<&]{0,9})?",
        1 => "(mailto:|javascript:|data:|/|#|ftp://|HTTP://)[a-z?=@.\"]{0,12}",
        1 => "\\PC{0,12}",
    ];
    let leaf = prop_oneof![
        6 => text().prop_map(Inline::Text),
        2 => text().prop_map(Inline::Code),
        1 => ("@[a-z\"<]{1,5}(:h)?", text()).prop_map(|(id, name)| Inline::Mention { id, name }),
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

/// Any tree.
pub(crate) fn markup() -> impl Strategy<Value = Markup> {
    let leaf = prop_oneof![
        6 => inlines().prop_map(Block::Paragraph),
        2 => (0u8..9, inlines()).prop_map(|(level, text)| Block::Heading(level, text)),
        2 => ("\\PC{0,6}|rust|c\\+\\+", text()).prop_map(|(language, text)| Block::Code { language, text }),
        2 => vec(vec(inlines(), 0..4), 0..4).prop_map(Block::Table),
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
pub(crate) fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => "[a-z]{1,9}( [a-zäß漢。.!]{1,9}){0,20}",
        3 => "(\\*\\*|\\*|_|~~|`|``)[a-z ]{1,12}(\\*\\*|\\*|_|~~|`|``)?[a-z ]{0,9}",
        2 => "( {0,6})([-*+]|[0-9]{1,2}[.)]) [a-z ]{0,30}",
        1 => "(> ?){1,3}[a-z ]{0,30}",
        1 => " {0,3}(```|~~~)[a-z]{0,5}",
        1 => "#{1,7} [a-z ]{0,20}",
        3 => "\\|[a-z ]{0,5}\\|[a-z ]{0,30}\\|",
        2 => Just("|-|-|".to_owned()),
        1 => "\\[[a-z `*]{0,9}\\]\\(http://[a-z.]{1,80}\\)",
        1 => text(),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\n\n")];
    vec((line, end), 0..40).prop_map(|lines| {
        let lines = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]);
        lines.collect()
    })
}

/// Long texts of one kind each, as models and people write them.
pub(crate) fn nasty() -> Vec<String> {
    vec![
        "**a** b ".repeat(2500),
        format!("**{}**", "a *b* ".repeat(2500)),
        "[a `b`](https://x.org/y) ".repeat(2500),
        format!("[a](https://x.org/{})", "y".repeat(40_000)),
        "x".repeat(40_000),
        "😀".repeat(12_000),
        "<b>tags</b> & <x y=\"z\"> ".repeat(2500),
        "\"\\\n".repeat(12_000),
        format!("```rust\n{}", "    let a = \"漢字 <😀>\";\n".repeat(1500)),
        "> quoted & \"said\"\n".repeat(2500),
        format!("|a|b|\n|-|-|\n{}", "|word & word|漢字|\n".repeat(1500)),
        format!("{}x", "> ".repeat(500)),
        format!("{}x", "- ".repeat(500)),
    ]
}
