//! Blocks and inlines as Telegram shows them.

use teloxide::types::MessageEntity;
use tertulia_core::markdown::parse;
use tertulia_message::{Block, Inline, Markup};

use super::{checker, render, weigh};

#[track_caller]
fn check_markup(markup: &Markup, text: &str, entities: &[&str]) {
    let rendered = render(markup);
    assert_eq!(rendered.text, text, "{markup:?}");
    assert_eq!(checker::show(&rendered), entities, "{markup:?}");
    assert_eq!(checker::faults(&rendered), Vec::<String>::new(), "{markup:?}");
    assert!(weigh(markup) >= rendered.text.encode_utf16().count());
}

#[track_caller]
fn check(markdown: &str, text: &str, entities: &[&str]) {
    check_markup(&parse(markdown), text, entities);
}

/// One that shows the text as it is, without entities.
#[track_caller]
fn check_same(text: &str) {
    check_markup(&Markup::text(text), text, &[]);
}

fn words(text: &str) -> Vec<Inline> {
    vec![Inline::Text(text.to_owned())]
}

fn paragraph(inlines: Vec<Inline>) -> Markup {
    Markup {
        blocks: vec![Block::Paragraph(inlines)],
    }
}

#[test]
fn emphases() {
    check(
        "**a** *b* ~~c~~ `d`",
        "a b c d",
        &["bold(a)", "italic(b)", "strikethrough(c)", "code(d)"],
    );
    check("***a***", "a", &["bold(a)", "italic(a)"]);
    check("**a *b* c**", "a b c", &["bold(a)", "bold(b c)", "italic(b)"]);
    check("*a **b***", "a b", &["italic(a)", "bold(b)", "italic(b)"]);
    check("**a `b` c**", "a b c", &["bold(a)", "code(b)", "bold(c)"]);
    check("a **b\nc** d", "a b\nc d", &["bold(b\nc)"]);
    check("** a**", "** a**", &[]);
    let spoiler = |inner| Inline::Spoiler(inner);
    check_markup(&paragraph(vec![spoiler(words("a"))]), "a", &["spoiler(a)"]);
    let hidden = vec![spoiler(vec![Inline::Code("a".into()), Inline::Text(" b".into())])];
    check_markup(&paragraph(hidden), "a b", &["spoiler(a b)"]);
    let twice = vec![Inline::Strong(vec![
        Inline::Strong(words("a ")),
        Inline::Text("b".into()),
    ])];
    check_markup(&paragraph(twice), "a b", &["bold(a b)"]);
    for blank in [
        Inline::Strong(words(" \n ")),
        Inline::Code(" ".into()),
        Inline::Emphasis(vec![]),
    ] {
        let around = vec![Inline::Text("a".into()), blank, Inline::Text("b".into())];
        assert_eq!(render(&paragraph(around)).entities, []);
    }
}

#[test]
fn places_are_counted_in_utf16_units() {
    let rendered = render(&parse("😀 **é👍🏽** `x`"));
    assert_eq!(rendered.text, "😀 é👍🏽 x");
    assert_eq!(
        rendered.entities,
        [MessageEntity::bold(3, 5), MessageEntity::code(9, 1)]
    );
    let rendered = render(&parse("e\u{301} **👩‍👩‍👧** שלום **עולם**"));
    assert_eq!(
        rendered.entities,
        [MessageEntity::bold(3, 8), MessageEntity::bold(17, 4)]
    );
    assert_eq!(weigh(&Markup::text("four")), 4);
    assert_eq!(weigh(&Markup::text("😀😀")), 4);
}

#[test]
fn links() {
    check("[a](https://x.org/b?c=d)", "a", &["link https://x.org/b?c=d(a)"]);
    check(
        "[a `b` **c**](https://x.org)",
        "a b c",
        &["link https://x.org/(a b c)", "bold(c)"],
    );
    check(
        "**see [a](https://x.org) now**",
        "see a now",
        &["bold(see)", "link https://x.org/(a)", "bold(a)", "bold(now)"],
    );
    check("<https://x.org/y_z>", "https://x.org/y_z", &[]);
    check("[a](mailto:a@x.org)", "a (a@x.org)", &[]);
    check("[a@x.org](mailto:a@x.org)", "a@x.org", &[]);
    check("[a](tg://resolve?domain=b)", "a", &["link tg://resolve?domain=b(a)"]);
    check("[öl](https://öl.de)", "öl", &["link https://xn--l-0ga.de/(öl)"]);
    // what Telegram would refuse is shown
    for odd in [
        "/a/b",
        "#a",
        "javascript:a()",
        "ftp://x.org",
        "http://",
        "http://x:0",
        "https://x:99999",
        "tg://user?id=5",
        "tg://x/y",
        "http://a`b.org/",
    ] {
        let link = Inline::Link {
            url: odd.to_owned(),
            text: words("w"),
        };
        check_markup(&paragraph(vec![link]), &format!("w ({odd})"), &[]);
    }
    let long = format!("https://x.org/{}", "y".repeat(3000));
    assert_eq!(render(&parse(&format!("[a]({long})"))).text, format!("a ({long})"));
}

#[test]
fn mentions() {
    let mention = |id: &str, name: &str| {
        paragraph(vec![Inline::Mention {
            id: id.to_owned(),
            name: name.to_owned(),
        }])
    };
    check_markup(&mention("5", "Ana"), "Ana", &["link tg://user?id=5(Ana)"]);
    check_markup(&mention("5", ""), "5", &["link tg://user?id=5(5)"]);
    check_markup(&mention("@ana:x", "Ana"), "Ana", &[]);
    check_markup(&mention("-5", "Ana"), "Ana", &[]);
}

#[test]
fn headings_and_rules() {
    check("# a\n\nb", "a\n\nb", &["bold(a)"]);
    check("b\n\n### a\n\nc", "b\n\na\nc", &["bold(a)"]);
    check("## a `b`", "a b", &["bold(a)", "code(b)"]);
    check("## **a** *b*", "a b", &["bold(a)", "bold(b)", "italic(b)"]);
    check("a\n\n---\n\nb", "a\n\n————————\n\nb", &[]);
}

#[test]
fn lists() {
    check("- a\n- b\n  - c\n    d\n- e", "• a\n• b\n  • c\n    d\n• e", &[]);
    check("9. a\n10. b\n\n    c", "9. a\n10. b\n    c", &[]);
    check("- [ ] a\n- [x] b", "☐ a\n☑ b", &[]);
    check("1. a\n   - b\n     1. c", "1. a\n   • b\n     1. c", &[]);
    check("- **a**: b", "• a: b", &["bold(a)"]);
    check("- - a", "• • a", &[]);
    check("a\n\n1. b\n2.\n3. c", "a\n\n1. b\n2. \n3. c", &[]);
    check("-", "•", &[]);
}

#[test]
fn code_blocks() {
    check("```rust\nfn a() {}\n```", "fn a() {}", &["pre rust(fn a() {})"]);
    check(
        "a\n```\n  b\n\n  c\n```\nd",
        "a\n\n  b\n\n  c\n\nd",
        &["pre -(  b\n\n  c)"],
    );
    check("```\n\n  b\n\n```", "  b", &["pre -(  b)"]);
    check("```go\n\ta\tb\n```", "    a   b", &["pre go(    a   b)"]);
    check(
        "1. a\n   ```sh\n   b\n   ```\n   c\n2. d",
        "1. a\nb\n   c\n2. d",
        &["pre sh(b)"],
    );
    check("- ```\n  a\n  ```", "• \na", &["pre -(a)"]);
    check(
        "```c++\nx\n```\n\n```{.py}\ny\n```",
        "x\n\ny",
        &["pre c++(x)", "pre py(y)"],
    );
    check("```rust,ignore\nx\n```", "x", &["pre rust(x)"]);
    check("```ἀ\nx\n```", "x", &["pre -(x)"]);
    check("```\n```\n\na", "a", &[]);
    check(
        "```py\nunclosed **x** `y`",
        "unclosed **x** `y`",
        &["pre py(unclosed **x** `y`)"],
    );
}

#[test]
fn quotations() {
    check("a\n\n> b\n> c\n\nd", "a\n\nb\nc\n\nd", &["blockquote(b\nc)"]);
    check("> **a** b", "a b", &["blockquote(a b)", "bold(a)"]);
    check(
        "> a\n>\n> > b\n> > c\n>\n> d",
        "a\n\n> b\n> c\n\nd",
        &["blockquote(a\n\n> b\n> c\n\nd)"],
    );
    check("> > a", "> a", &["blockquote(> a)"]);
    check("> ```\n> a\n> ```", "a", &["blockquote(a)", "pre -(a)"]);
    check(">     a\n>     b", "a\nb", &["blockquote(a\nb)", "pre -(a\nb)"]);
    check(
        "> ```\n>   a\n> ```\n> b",
        "  a\n\nb",
        &["blockquote(  a\n\nb)", "pre -(  a)"],
    );
    check(">\n>     a", "a", &["blockquote(a)", "pre -(a)"]);
    check("> - a\n> - b", "• a\n• b", &["blockquote(• a\n• b)"]);
    check("- a\n  > b\n- c", "• a\nb\n• c", &["blockquote(b)"]);
    check("a\n\n>\n\nb", "a\n\nb", &[]);
    check(
        "> a\n\n<!-- -->\n\n> b",
        "a\n\n<!-- -->\n\nb",
        &["blockquote(a)", "blockquote(b)"],
    );
}

#[test]
fn tables() {
    let narrow = "|Name|Age|\n|-|-|\n|Ana|30|\n|漢字 **x**|`5`|\n|👩‍👩‍👧||\n";
    let shown = "Name   | Age\n-------+----\nAna    | 30\n漢字 x | 5\n👩‍👩‍👧     |";
    check(narrow, shown, &[&format!("pre -({shown})")]);
    check("|a|\n|-|\n", "a", &["pre -(a)"]);
    check(
        "> |a|b|\n> |-|-|\n> |1|2|",
        "a | b\n--+--\n1 | 2",
        &["blockquote(a | b\n--+--\n1 | 2)", "pre -(a | b\n--+--\n1 | 2)"],
    );
    let long = "word ".repeat(12);
    let long = long.trim_end();
    check(
        &format!("|A|B *b*|\n|-|-|\n|1|{long}|\n|2||\n||x|\n"),
        &format!("A: 1\nB b: {long}\n\nA: 2\nB b: –\n\nA: –\nB b: x"),
        &[
            "bold(A)",
            "bold(B)",
            "bold(b)",
            "italic(b)",
            "bold(A)",
            "bold(B)",
            "bold(b)",
            "italic(b)",
            "bold(A)",
            "bold(B)",
            "bold(b)",
            "italic(b)",
        ],
    );
    check(
        "|A|B|\n|-|-|\n|[x](https://x.org)|y|",
        "A: x\nB: y",
        &["bold(A)", "link https://x.org/(x)", "bold(B)"],
    );
    check(
        &format!("|{long}|b|\n|-|-|\n"),
        &format!("{long} | b"),
        &[&format!("bold({long})"), "bold(b)"],
    );
}

#[test]
fn ragged_tables() {
    let cells = |cells: &[&str]| cells.iter().map(|cell| words(cell)).collect::<Vec<_>>();
    let table = |rows: Vec<Vec<Vec<Inline>>>| Markup {
        blocks: vec![Block::Table(rows)],
    };
    let rows = vec![cells(&["a"]), cells(&["1", "2"]), cells(&[]), cells(&["", "", "x\ny"])];
    let shown = "a\n--+---+----\n1 | 2 |\n  |   |\n  |   | x y".replace("a\n", "a |   |\n");
    check_markup(&table(rows), &shown, &[&format!("pre -({shown})")]);
    let wide = "w".repeat(60);
    let rows = vec![cells(&["a", ""]), cells(&["1", "", &wide]), cells(&[])];
    check_markup(&table(rows), &format!("a: 1\n{wide}\n\na: –"), &["bold(a)", "bold(a)"]);
    check_markup(&table(vec![]), "(empty)", &[]);
    check_markup(&table(vec![vec![]]), "(empty)", &[]);
}

#[test]
fn odd_texts_stay_as_they_are() {
    for text in [
        "<tags> & </b> <b>x</b> &amp;",
        "_*[]()~`>#+-=|{}.!\\",
        "*not bold _ `x",
        "😀😀",
        "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪",
        "שלום עולם (x)",
        "a\u{200B}b\u{AD}c",
        "e\u{301}",
        "a\n\n\n\nb",
        "a  b",
        ".",
    ] {
        check_same(text);
    }
    let long = "x".repeat(100_000);
    assert_eq!(render(&Markup::text(long.clone())).text, long);
    assert_eq!(weigh(&Markup::text(long)), 100_000);
}

#[test]
fn what_telegram_takes_away_is_not_sent() {
    for (text, shown) in [
        ("a\r\nb\0c\u{7}d", "a\nbcd"),
        ("a\tb\u{C}c", "a b c"),
        ("a\u{2028}b\u{2029}c\u{85}d", "a\nb\nc\nd"),
        ("\u{202E}abc\u{202C}", "abc"),
        ("Malmo\u{308} A\u{30A} x\u{30A}", "Malmo\u{308} Å x"),
        ("  \n a \n ", "a"),
        ("\u{7F}a\u{9B}", "a"),
    ] {
        check_markup(&Markup::text(text), shown, &[]);
    }
}

#[test]
fn what_telegram_calls_empty_is_shown() {
    for text in [
        "",
        " \n\t ",
        "\u{200B}\u{200C}\u{200D}\u{200E}\u{200F}",
        "\u{2060}\u{FEFF}\u{AD}",
        "\u{3164}\u{2800}\u{115F}",
        "\0\r\u{1B}",
        "\u{301}\u{20DD}",
        "\u{A0}\u{3000}\u{202F}",
        "\u{E0067}\u{FE0F}",
        "\u{FFFC}",
    ] {
        check_markup(&Markup::text(text), "(empty)", &[]);
        check_markup(&paragraph(vec![Inline::Strong(words(text))]), "(empty)", &[]);
    }
    check_markup(&Markup::default(), "(empty)", &[]);
}

#[test]
fn too_many_entities_are_dropped_and_weigh_more_than_a_message() {
    let markup = parse(&"**a** b ".repeat(150));
    let rendered = render(&markup);
    assert_eq!(rendered.entities.len(), 100);
    assert_eq!(rendered.entities[99], MessageEntity::bold(99 * 4, 1));
    assert_eq!(checker::faults(&rendered), Vec::<String>::new());
    for (count, weight) in [(1, 41), (99, 4056), (100, 4096), (101, 4137)] {
        assert_eq!(weigh(&parse(&"**a** b ".repeat(count))), weight);
    }
}
