//! What Markdown becomes.

use tertulia_message::{Block, Inline};

use super::parse;

fn text(text: &str) -> Inline {
    Inline::Text(text.to_owned())
}

fn code(language: &str, text: &str) -> Block {
    Block::Code {
        language: language.to_owned(),
        text: text.to_owned(),
    }
}

#[track_caller]
fn check(source: &str, expected: &[Block]) {
    assert_eq!(parse(source).blocks, expected);
}

#[track_caller]
fn check_line(source: &str, expected: Vec<Inline>) {
    check(source, &[Block::Paragraph(expected)]);
}

#[test]
fn running_text() {
    check_line(
        "a **b *c*** ~~d~~",
        vec![
            text("a "),
            Inline::Strong(vec![text("b "), Inline::Emphasis(vec![text("c")])]),
            text(" "),
            Inline::Strike(vec![text("d")]),
        ],
    );
    check_line("a\nb  \nc", vec![text("a\nb\nc")]);
    check_line(
        "a `b*c` &amp; \\*",
        vec![text("a "), Inline::Code("b*c".to_owned()), text(" & *")],
    );
    check_line("a **b", vec![text("a **b")]);
}

#[test]
fn links_and_images() {
    let link = |url: &str, label: &str| Inline::Link {
        url: url.to_owned(),
        text: vec![text(label)],
    };
    check_line("[a](http://x)", vec![link("http://x", "a")]);
    check_line("![a](http://x)", vec![link("http://x", "a")]);
    check_line("![](http://x)", vec![link("http://x", "http://x")]);
    check_line("[![a](http://x)](http://y)", vec![link("http://y", "a")]);
    check_line("[a]()", vec![text("a")]);
    check_line("see <http://x>", vec![text("see "), link("http://x", "http://x")]);
    check_line("<name@example.com>", vec![text("name@example.com")]);
}

#[test]
fn html_is_text() {
    check_line("a <b>c</b>", vec![text("a <b>c</b>")]);
    check(
        "<think>\nhm\n\nx",
        &[
            Block::Paragraph(vec![text("<think>\nhm")]),
            Block::Paragraph(vec![text("x")]),
        ],
    );
    check_line("<tool_call id=\"1\"/>", vec![text("<tool_call id=\"1\"/>")]);
}

#[test]
fn code_blocks() {
    check("```rust ignore\na\n\nb\n```\n", &[code("rust", "a\n\nb")]);
    check("```\na\n```not-a-close\nb", &[code("", "a\n```not-a-close\nb")]);
    check(
        "~~~py\n```\n~~~~ \nx",
        &[code("py", "```"), Block::Paragraph(vec![text("x")])],
    );
    check("    a\n    b", &[code("", "a\nb")]);
}

#[test]
fn lists_quotes_and_tables() {
    let line = |words: &str| Block::Paragraph(vec![text(words)]);
    check(
        "3. a\n4. b\n   - c",
        &[Block::List {
            start: Some(3),
            items: vec![
                vec![line("a")],
                vec![
                    line("b"),
                    Block::List {
                        start: None,
                        items: vec![vec![line("c")]],
                    },
                ],
            ],
        }],
    );
    check(
        "- [ ] a\n- [x] b",
        &[Block::List {
            start: None,
            items: vec![vec![line("☐ a")], vec![line("☑ b")]],
        }],
    );
    check("> a\n> b", &[Block::Quote(vec![line("a\nb")])]);
    check(
        "a|b\n-|-\n1|2",
        &[Block::Table(vec![
            vec![vec![text("a")], vec![text("b")]],
            vec![vec![text("1")], vec![text("2")]],
        ])],
    );
    check("# a\n\n---", &[Block::Heading(1, vec![text("a")]), Block::Rule]);
}

#[test]
fn deep_nesting_is_flattened_and_nothing_is_lost() {
    for source in [
        ">".repeat(5000) + " end",
        "- ".repeat(5000) + "end",
        "*a **b ".repeat(3000) + "end",
    ] {
        assert!(parse(&source).plain().ends_with("end"));
    }
    let wrapped = "**a *b ".repeat(200) + "end" + &"* c**".repeat(200);
    assert_eq!(parse(&wrapped).plain().matches("end").count(), 1);
}

#[test]
fn formulas_are_as_they_are_written() {
    for line in [
        "$a_1 * b_1 * c$",
        "see $$a*b*c$$ here",
        "so \\(a_1 * b_1 * c\\).",
        "\\[\nx^* + y^* \\\\\n- z\n\\]",
        "$$\nx\n---\n= *y*\n+ 1\n$$",
        "text\n$$\n1. *a* b*\n$$\nmore",
        "$$\n*a* is still arriving",
        "$5 and $10",
        "$5, $6 or 7$",
        "US$5",
    ] {
        check_line(line, vec![text(line)]);
    }
    let strong = |words: &str| Inline::Strong(vec![text(words)]);
    check_line("$5–$6, **b**, $7", vec![text("$5–$6, "), strong("b"), text(", $7")]);
    check_line("$5 **b** 6$", vec![text("$5 "), strong("b"), text(" 6$")]);
    check_line("**$x$**的", vec![strong("$x$"), text("的")]);
    check_line(
        "`$a` *b* `c$`",
        vec![
            Inline::Code("$a".to_owned()),
            text(" "),
            Inline::Emphasis(vec![text("b")]),
            text(" "),
            Inline::Code("c$".to_owned()),
        ],
    );
    check_line("\\[1\\] \\$5", vec![text("[1] $5")]);
    check("```\n$a*b*c$\n```", &[code("", "$a*b*c$")]);
    check(
        "> $$\n> a*b*c\n> $$",
        &[Block::Quote(vec![Block::Paragraph(vec![text("$$\na*b*c\n$$")])])],
    );
    check(
        "$$\na\n\n*b*",
        &[
            Block::Paragraph(vec![text("$$\na")]),
            Block::Paragraph(vec![Inline::Emphasis(vec![text("b")])]),
        ],
    );
}

#[test]
fn asterisks_beside_signs_are_paired() {
    let strong = |words: &str| Inline::Strong(vec![text(words)]);
    check_line("**\"a b\"**c", vec![strong("\"a b\""), text("c")]);
    check_line("**「重点」**文字", vec![strong("「重点」"), text("文字")]);
    check_line("**注意：**请", vec![strong("注意："), text("请")]);
    check_line(
        "他说**「你好」**然后**再见**",
        vec![text("他说"), strong("「你好」"), text("然后"), strong("再见")],
    );
    check_line(
        "用**`a*b`**的**`c`**。",
        vec![
            text("用"),
            Inline::Strong(vec![Inline::Code("a*b".to_owned())]),
            text("的"),
            Inline::Strong(vec![Inline::Code("c".to_owned())]),
            text("。"),
        ],
    );
    check_line("a **b", vec![text("a **b")]);
    check_line("f(**a) and g(**b)", vec![text("f(**a) and g(**b)")]);
    check_line("5**(3)**2", vec![text("5**(3)**2")]);
    check_line(
        "said \"**a**\" and **b",
        vec![text("said \""), strong("a"), text("\" and **b")],
    );
    check_line(
        "`**「a」**b` **c",
        vec![Inline::Code("**「a」**b".to_owned()), text(" **c")],
    );
}

#[test]
fn spoilers() {
    let spoiler = |words: &str| Inline::Spoiler(vec![text(words)]);
    check_line("a ||b c|| d", vec![text("a "), spoiler("b c"), text(" d")]);
    check_line("||a||, ||b||", vec![spoiler("a"), text(", "), spoiler("b")]);
    check_line(
        "||a *b*||",
        vec![Inline::Spoiler(vec![text("a "), Inline::Emphasis(vec![text("b")])])],
    );
    check_line("**||a||**", vec![Inline::Strong(vec![spoiler("a")])]);
    for line in ["a || b || c", "a||b||c", "||a", "||||", "||a\nb||", "|| a ||"] {
        check_line(line, vec![text(line)]);
    }
    check_line("`||a||`", vec![Inline::Code("||a||".to_owned())]);
    check_line("\\||a||", vec![text("||a||")]);
}

#[test]
fn line_breaks_of_html() {
    for source in ["a<br>b", "a<br/>b", "a<BR />b", "a<br> b", "a<br>\nb", "<br>a<br>b"] {
        check_line(source, vec![text("a\nb")]);
    }
    check_line("`<br>`", vec![Inline::Code("<br>".to_owned())]);
    check_line("a<brx>b", vec![text("a<brx>b")]);
    check(
        "a\n\n<br>\n\nb",
        &[Block::Paragraph(vec![text("a")]), Block::Paragraph(vec![text("b")])],
    );
    check(
        "|a|b|\n|-|-|\n|1<br>2|3.<br>4|",
        &[Block::Table(vec![
            vec![vec![text("a")], vec![text("b")]],
            vec![vec![text("1; 2")], vec![text("3. 4")]],
        ])],
    );
}

#[test]
fn a_line_of_dashes_makes_no_heading() {
    let line = |words: &str| Block::Paragraph(vec![text(words)]);
    check("a\n---\nb", &[line("a"), Block::Rule, line("b")]);
    check("a\nb\n-----", &[line("a\nb"), Block::Rule]);
    check("> a\n> ---", &[Block::Quote(vec![line("a"), Block::Rule])]);
    check("a\n-", &[line("a\n-")]);
    check("a\n===", &[Block::Heading(1, vec![text("a")])]);
    check("## a ---", &[Block::Heading(2, vec![text("a ---")])]);
}

#[test]
fn a_single_tilde_strikes_nothing_out() {
    for line in ["~5 kg, ~10 kg", "~10~20", "~b~", "a ~b c~ d"] {
        check_line(line, vec![text(line)]);
    }
    check_line(
        "~a *b*~",
        vec![text("~a "), Inline::Emphasis(vec![text("b")]), text("~")],
    );
}
