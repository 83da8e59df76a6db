//! Trees and what is made of them.

use proptest::prelude::*;
use tertulia_core::markdown::parse;

use super::samples::{markdown, markup, nasty};
use super::*;

#[track_caller]
fn check(source: &str, body: &str, html: &str) {
    let rendered = render(&parse(source));
    assert_eq!(
        (rendered.body.as_str(), rendered.html.as_deref()),
        (body, Some(html)),
        "{source}"
    );
}

#[track_caller]
fn check_tree(inlines: Vec<Inline>, html: &str) {
    let rendered = render(&Markup {
        blocks: vec![Block::Paragraph(inlines)],
    });
    assert_eq!(rendered.html.as_deref(), Some(html));
}

fn words(text: &str) -> Vec<Inline> {
    vec![Inline::Text(text.to_owned())]
}

fn link(url: &str, text: &str) -> Inline {
    Inline::Link {
        url: url.to_owned(),
        text: words(text),
    }
}

#[test]
fn plain_text_needs_no_html() {
    for (source, body) in [
        ("a <b> & c", "a <b> & c"),
        ("a\n\nb", "a\n\nb"),
        ("", "(empty)"),
        (" \n", "(empty)"),
    ] {
        let rendered = render(&Markup::text(source));
        assert_eq!((rendered.body.as_str(), rendered.html), (body, None));
    }
    assert_eq!(render(&parse("one\n\ntwo")).html, None);
    assert_eq!(render(&Markup::text("a\0b\u{7}\r\nc")).body, "ab\nc");
}

#[test]
fn running_text_is_escaped_and_marked() {
    check(
        "**a <b>** & *c*",
        "a <b> & c",
        "<strong>a &lt;b&gt;</strong> &amp; <em>c</em>",
    );
    check("~~a~~ `<i> &`", "a <i> &", "<del>a</del> <code>&lt;i&gt; &amp;</code>");
    check("a **b**\n\nc", "a b\n\nc", "<p>a <strong>b</strong></p><p>c</p>");
    check_tree(
        vec![Inline::Strong(words("a\n  b  c"))],
        "<strong>a<br>\u{a0}\u{a0}b \u{a0}c</strong>",
    );
}

#[test]
fn blocks_have_their_tags() {
    check("## Head", "Head", "<h2>Head</h2>");
    check(
        "```rust\nlet a = \"<\";\n```",
        "let a = \"<\";",
        "<pre><code class=\"language-rust\">let a = &quot;&lt;&quot;;</code></pre>",
    );
    check("```a\"b\nx\n```", "x", "<pre><code>x</code></pre>");
    check(
        "> a\n> > b",
        "> a\n\n> > b",
        "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>",
    );
    check(
        "- a\n  1. b\n  2. c\n- d",
        "• a\n  1. b\n  2. c\n• d",
        "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>",
    );
    check("7. a\n8. b", "7. a\n8. b", "<ol start=\"7\"><li>a</li><li>b</li></ol>");
    check(
        "|a|b|\n|-|-|\n|1|<|",
        "a | b\n1 | <",
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>&lt;</td></tr></tbody></table>",
    );
    check("a\n\n---\n\nb", "a\n\n———\n\nb", "<p>a</p><hr><p>b</p>");
}

#[test]
fn mathematics_is_text() {
    assert_eq!(render(&parse("$a_1 * b_2 * c$")).body, "$a_1 * b_2 * c$");
    assert_eq!(render(&parse("$a_1 * b_2 * c$")).html, None);
}

#[test]
fn what_is_hidden_is_hidden_everywhere() {
    let markup = Markup {
        blocks: vec![Block::Paragraph(vec![
            Inline::Text("it was ".to_owned()),
            Inline::Spoiler(vec![Inline::Strong(words("Ada")), link("https://secret.org", "x")]),
        ])],
    };
    let rendered = render(&markup);
    assert_eq!(rendered.body, "it was [Spoiler]");
    let html = "it was <span data-mx-spoiler><strong>Ada</strong><a href=\"https://secret.org\">x</a></span>";
    assert_eq!(rendered.html.as_deref(), Some(html));
}

#[test]
fn only_harmless_addresses_are_linked() {
    check_tree(
        vec![link("https://x.org/?a=1&b=\"2", "x")],
        "<a href=\"https://x.org/?a=1&amp;b=&quot;2\">x</a>",
    );
    check_tree(
        vec![link("https://x.org", "https://x.org")],
        "<a href=\"https://x.org\">https://x.org</a>",
    );
    check_tree(
        vec![link("mailto:a@b.org", "")],
        "<a href=\"mailto:a@b.org\">a@b.org</a>",
    );
    check_tree(vec![link("javascript:alert(1)", "x")], "x (javascript:alert(1))");
    check_tree(vec![link("data:text/html,x", "data:text/html,x")], "data:text/html,x");
    check_tree(vec![link("", "x")], "x");
    let inner = Inline::Link {
        url: "https://a.org".to_owned(),
        text: vec![link("https://b.org", "b"), Inline::Text("!".to_owned())],
    };
    check_tree(vec![inner], "<a href=\"https://a.org\">b (https://b.org)!</a>");
}

#[test]
fn only_who_is_meant_is_mentioned() {
    let mention = |id: &str, name: &str| Inline::Mention {
        id: id.to_owned(),
        name: name.to_owned(),
    };
    let rendered = render(&Markup {
        blocks: vec![Block::Paragraph(vec![
            mention("@ada:h", "Ada <3"),
            mention("@ada:h", ""),
            mention("17", "Bob"),
            Inline::Text(" @eve:h @room".to_owned()),
            link("https://matrix.to/#/@eve:h", "Eve"),
        ])],
    });
    assert_eq!(rendered.mentions, ["@ada:h"]);
    let html = rendered.html.unwrap();
    assert!(
        html.starts_with("<a href=\"https://matrix.to/#/%40ada%3Ah\">Ada &lt;3</a>"),
        "{html}"
    );
    assert!(html.contains("</a>Bob @eve:h @room"), "{html}");
}

#[test]
fn depth_has_a_bound_and_loses_no_words() {
    let mut blocks = vec![Block::Paragraph(words("deep"))];
    let mut inline = Inline::Spoiler(words("hidden"));
    for _ in 0..200 {
        blocks = vec![Block::Paragraph(words("a")), Block::Quote(blocks)];
        inline = Inline::Strong(vec![inline]);
    }
    blocks.push(Block::Paragraph(vec![inline]));
    let html = render(&Markup { blocks }).html.unwrap();
    assert!(html.contains("deep"));
    assert!(html.contains("<span data-mx-spoiler>hidden</span>"));
    assert!(checked(&html).unwrap() <= 32);
}

/// Checks HTML as a strict client reads it: known tags, closed in order, nothing unescaped. Returns its depth.
fn checked(html: &str) -> Result<usize, String> {
    const TAGS: [&str; 27] = [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "code",
        "blockquote",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "strong",
        "em",
        "del",
        "span",
        "a",
        "hr",
        "br",
        "sup",
    ];
    let (mut open, mut deepest): (Vec<String>, usize) = (Vec::new(), 0);
    let mut rest = html;
    loop {
        let (text, tag) = match rest.split_once('<') {
            Some((text, tag)) => (text, Some(tag)),
            None => (rest, None),
        };
        if text.contains(['>', '"']) || text.split('&').skip(1).any(|part| !is_escape(part)) {
            return Err(format!("unescaped: {text}"));
        }
        let Some(tag) = tag else { break };
        let (tag, behind) = tag.split_once('>').ok_or("an open tag")?;
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(format!("{name} closes nothing"));
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !TAGS.contains(&name) || attributes.matches('"').count() % 2 != 0 {
            return Err(format!("not allowed: {tag}"));
        }
        if name == "a" && open.iter().any(|open| open == "a") {
            return Err("a link in a link".to_owned());
        }
        if let Some(url) = attributes.strip_prefix("href=\"") {
            let is_known = ["http:", "https:", "ftp:", "mailto:", "magnet:"];
            if !is_known.iter().any(|scheme| url.to_lowercase().starts_with(scheme)) {
                return Err(format!("not to be linked: {url}"));
            }
        }
        if !["hr", "br"].contains(&name) {
            open.push(name.to_owned());
            deepest = deepest.max(open.len());
        }
    }
    if open.is_empty() {
        Ok(deepest)
    } else {
        Err(format!("not closed: {open:?}"))
    }
}

fn is_escape(part: &str) -> bool {
    ["amp;", "lt;", "gt;", "quot;"]
        .iter()
        .any(|escape| part.starts_with(escape))
}

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The words that the HTML has to show, in their order. Addresses are not among them where they are linked.
fn said_blocks(blocks: &[Block], out: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(text) | Block::Heading(_, text) => said(text, false, out),
            Block::Code { text, .. } => out.push_str(text),
            Block::Quote(blocks) => said_blocks(blocks, out),
            Block::List { items, .. } => items.iter().for_each(|item| said_blocks(item, out)),
            Block::Table(rows) => rows.iter().flatten().for_each(|cell| said(cell, false, out)),
            Block::Rule => {}
        }
    }
}

fn said(inlines: &[Inline], is_in_link: bool, out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) | Inline::Spoiler(inner) => {
                said(inner, is_in_link, out);
            }
            Inline::Link { url, text } => {
                let url = letters::clean(url);
                let is_link = !is_in_link && links::is_link(&url);
                let mut words = String::new();
                said(text, is_in_link || is_link, &mut words);
                let words = letters::clean(&words);
                let is_bare = words.trim().is_empty() || words == url || words == links::shown(&url);
                if !is_bare {
                    out.push_str(&words);
                }
                if !is_link || is_bare {
                    out.push_str(links::shown(&url));
                }
            }
            Inline::Mention { id, name } => out.push_str(plain::name(id, name)),
        }
    }
}

fn is_valid(rendered: &Rendered) -> Result<(), TestCaseError> {
    prop_assert!(!rendered.body.trim().is_empty());
    prop_assert!(!rendered.body.contains(letters::is_left_out));
    let html = rendered.html.clone().unwrap_or_default();
    prop_assert!(!html.contains(letters::is_left_out));
    let depth = checked(&html).map_err(|fault| TestCaseError::fail(format!("{fault} in {html}")))?;
    prop_assert!(depth <= 40, "{depth}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_tree_is_valid(markup in markup()) {
        let rendered = render(&markup);
        is_valid(&rendered)?;
        let mut expected = String::new();
        said_blocks(&markup.blocks, &mut expected);
        if let Some(html) = &rendered.html {
            let shown: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
            let expected = letters(&expected);
            prop_assert_eq!(letters(&shown.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "")), expected);
        } else if rendered.body != EMPTY {
            prop_assert_eq!(letters(&rendered.body), letters(&expected));
        }
    }

    #[test]
    fn every_markdown_is_valid(text in markdown()) {
        is_valid(&render(&parse(&text)))?;
    }
}

#[test]
fn nasty_texts_are_valid() {
    for text in nasty() {
        is_valid(&render(&parse(&text))).unwrap_or_else(|fault| panic!("{fault}"));
    }
}
