//! What markup looks like on Discord.

use tertulia_core::markdown::parse;
use tertulia_message::{Block, Inline, Markup};

use super::{checker, render, weigh};

#[track_caller]
fn check(markdown: &str, expected: &str) {
    check_tree(&parse(markdown), expected);
}

#[track_caller]
fn check_tree(markup: &Markup, expected: &str) {
    let text = render(markup);
    assert_eq!(text, expected);
    let found = checker::check(&text);
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    assert_eq!(weigh(markup), expected.chars().count());
}

#[track_caller]
fn literal(text: &str, expected: &str) {
    check_tree(&Markup::text(text), expected);
}

fn text(text: &str) -> Inline {
    Inline::Text(text.to_owned())
}

fn paragraph(inlines: Vec<Inline>) -> Markup {
    Markup {
        blocks: vec![Block::Paragraph(inlines)],
    }
}

#[test]
fn nothing_in_a_text_is_a_sign() {
    literal("a*b_c_d*e", "a\\*b_c_d\\*e");
    literal("_a_ __b__", "\\_a\\_ \\_\\_b\\_\\_");
    literal("~~a~~ ||b|| `c` \\d", "\\~\\~a\\~\\~ \\|\\|b\\|\\| \\`c\\` \\\\d");
    literal("[a](http://b.org)", "\\[a](<http://b.org>)");
    literal("a < b > c", "a \\< b > c");
    literal("a :smile: 12:30:45 http:", "a \\:smile: 12\\:30:45 http:");
}

#[test]
fn nobody_is_called_by_a_text() {
    literal("<@1> <@!1> <@&2> <#3>", "\\<\\@1> \\<\\@!1> \\<\\@&2> \\<#3>");
    literal("@everyone @HERE @ada", "@\u{200B}everyone @\u{200B}HERE @ada");
    literal("<:a:1> <t:1:R> </x:1>", "\\<\\:a:1> \\<t\\:1:R> \\</x:1>");
}

#[test]
fn lines_begin_nothing() {
    literal("# a\n## b\n#c", "\\# a\n\\## b\n\\#c");
    literal("-# small\n- a\n-5\n+ b\n-", "\\-# small\n\\- a\n-5\n\\+ b\n\\-");
    literal("1. a\n12) b\n1.5\n3.", "1\\. a\n12\\) b\n1.5\n3\\.");
    literal("> a\n>>> b\nc > d", "\\> a\n\\>>> b\nc > d");
    literal("x\n  - a\n  # b", "x\n  \\- a\n  \\# b");
    check("a **b**\\\n**- c**", "a **b**\n**\\- c**");
}

#[test]
fn styles_are_signs_around_words() {
    check("*a* **b** ***c*** ~~d~~", "*a* **b** ***c*** ~~d~~");
    check("**a *b* c**", "**a** ***b*** **c**");
    check("**a**b*c*", "**a**b*c*");
    check("a `b` **c**", "a `b` **c**");
    check("**a `b` c**", "**a** **`b`** **c**");
    check_tree(
        &paragraph(vec![
            Inline::Strong(vec![text("a")]),
            Inline::Emphasis(vec![text("b")]),
            Inline::Strong(vec![text(" ")]),
            Inline::Strike(vec![Inline::Strong(vec![text("c ")]), text("d")]),
        ]),
        "**a**\u{200B}*b* ~~**c**~~ ~~d~~",
    );
    check("*a\\\nb*", "*a*\n*b*");
}

#[test]
fn what_is_hidden_is_hidden_as_one() {
    let hidden = |inner| paragraph(vec![text("a "), Inline::Spoiler(inner), text(" z")]);
    check_tree(
        &hidden(vec![text("b "), Inline::Strong(vec![text("c")]), text(" d")]),
        "a ||b **c** d|| z",
    );
    check_tree(&hidden(vec![text(" ")]), "a   z");
    check_tree(&hidden(vec![Inline::Code("x || y".to_owned())]), "a ||x \\|\\| y|| z");
    check_tree(&hidden(vec![text("b\nc")]), "a ||b||\n||c|| z");
    check_tree(&hidden(vec![text("https://x.org")]), "a ||<https://x.org>|| z");
    let link = Inline::Link {
        url: "https://x.org".to_owned(),
        text: vec![Inline::Spoiler(vec![text("b")])],
    };
    check_tree(&paragraph(vec![link]), "||[b](https://x.org)||");
}

#[test]
fn code_stays_code() {
    let code = |code: &str| paragraph(vec![Inline::Code(code.to_owned())]);
    check_tree(&code("a * b"), "`a * b`");
    check_tree(&code("a`b"), "``a`b``");
    check_tree(&code("`a`"), "`` `a` ``");
    check_tree(&code("a``b```c"), "``a`\u{200B}`b`\u{200B}`\u{200B}`c``");
    check_tree(&code("a\nb"), "`a b`");
    check_tree(&code(" "), "(empty)");
    check_tree(
        &paragraph(vec![Inline::Code("a".to_owned()), Inline::Code("b".to_owned())]),
        "`a`\u{200B}`b`",
    );
    check_tree(
        &paragraph(vec![Inline::Emphasis(vec![Inline::Code("a*b".to_owned())])]),
        "`a*b`",
    );
}

#[test]
fn fences_are_whole() {
    check(
        "```rust\nlet a = 1;\n\n# no head\n```\nb",
        "```rust\nlet a = 1;\n\n# no head\n```\n\nb",
    );
    check(
        "````md\n```rs\nx\n```\n````",
        "```md\n``\u{200B}`rs\nx\n``\u{200B}`\n```",
    );
    check("```a b&c\nx\n```", "```a\nx\n```");
    check("```\n\n  x\n```", "```\n  x\n```");
    check("a\n```\n```\nb", "a\n\nb");
    check("> ```\n> x\n>\n> y\n> ```", "> ```\n> x\n> \n> y\n> ```");
    check("- a\n  ```\n  x\n  ```\n- b", "- a\n```\nx\n```\n- b");
}

#[test]
fn blocks_stand_below_each_other() {
    check("a\n\nb", "a\n\nb");
    check("# A\n## B\n### C\n#### D\nx", "# A\n## B\n### C\n**D**\nx");
    check("# -\nx", "# -\nx");
    check("a\n\n---\n\nb", "a\n\n————————\n\nb");
    check("- a\n- b\n  - c\n    1. d\n- e", "- a\n- b\n  - c\n    1. d\n- e");
    check("3. a\n4. b\n\n   c", "3. a\n4. b\n   c");
    check("- # a\n- - b", "- **a**\n- \n  - b");
    check("- [x] done\n- [ ] open", "- ☑ done\n- ☐ open");
}

fn quote(words: &str) -> Block {
    Block::Quote(vec![Block::Paragraph(vec![text(words)])])
}

#[test]
fn quotations_keep_their_mark_on_every_line() {
    check("> a\n> b\n>\n> c\n\nd", "> a\n> b\n> \n> c\n\nd");
    check_tree(
        &Markup {
            blocks: vec![quote("a"), quote("b")],
        },
        "> a\n\n> b",
    );
    check("> a\n> > b\n\nc", "> a\n> \n> > b\n\nc");
    check("a\n\n> - b\n>   - c", "a\n\n> - b\n>   - c");
    check("- a\n  > b\n  > c\n- d", "- a\n> b\n> c\n- d");
    check("> \\# a", "> \\# a");
}

#[test]
fn tables_are_code_while_they_are_narrow() {
    check(
        "|a|b|\n|-|-|\n|1|`x`|\n|two||",
        "```\na   | b\n----+--\n1   | x\ntwo |\n```",
    );
    let wide = "word ".repeat(20);
    check(
        &format!("|a|b|\n|-|-|\n|1|{wide}|\n|2||"),
        &format!("**a**: 1\n**b**: {}\n\n**a**: 2\n**b**: –", wide.trim()),
    );
    check("|a|\n|-|\n|[x](https://x.org)|", "**a**: [x](https://x.org)");
    check("|a|b|\n|-|-|", "```\na | b\n```");
}

#[test]
fn links_lead_where_they_say() {
    check("[a *b*](https://x.org/_y_)", "[a b](https://x.org/_y_)");
    check("[a](https://x.org/(y)?z=*)", "[a](https://x.org/%28y%29?z=%2A)");
    check("<https://x.org>", "<https://x.org>");
    check("see https://x.org/a_b. *c*", "see <https://x.org/a_b>. *c*");
    check("[a\\]b](https://x.org)", "[a b](https://x.org)");
    check("[a](javascript:x)", "a (javascript:x)");
    check(
        "[https://good.org](https://evil.org)",
        "<https://good.org> (<https://evil.org>)",
    );
    check("[m](mailto:a@b.org)", "m (a@b.org)");
    check("[](https://x.org)", "<https://x.org>");
    let long = format!("https://x.org/{}", "y".repeat(900));
    let text = render(&parse(&format!("[a]({long})")));
    assert!(text.starts_with("a (x.org/yyy") && text.chars().count() < 200, "{text}");
}

#[test]
fn people_are_mentioned_by_their_ids() {
    let mention = |id: &str, name: &str| {
        paragraph(vec![Inline::Mention {
            id: id.to_owned(),
            name: name.to_owned(),
        }])
    };
    check_tree(&mention("123", "Ada"), "<@123>");
    check_tree(&mention("x", "Ada*"), "Ada\\*");
    check_tree(&mention("<@1>", " "), "\\<\\@1>");
    check_tree(&mention("&12", "Ada"), "Ada");
}

#[test]
fn there_is_always_something_to_see() {
    for blank in ["", " ", "\n\n", "\u{200B}", "\u{3164}", "\u{0}"] {
        literal(blank, "(empty)");
    }
    check_tree(&Markup::default(), "(empty)");
    check("```\n \n```", "(empty)");
    literal("a\u{202E}b\u{7}c\td", "abc d");
}
