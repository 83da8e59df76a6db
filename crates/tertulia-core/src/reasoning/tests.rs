//! Thinking at the beginning of answers, cut anywhere.

use proptest::prelude::*;

use super::*;

/// The answer read in these pieces: its thinking and its text.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let mut reasoning = Reasoning::default();
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces {
        all.extend(reasoning.push(piece));
    }
    all.extend(reasoning.end());
    let (mut thinking, mut text) = (String::new(), String::new());
    for piece in all {
        match piece {
            Piece::Thinking(more) => thinking.push_str(&more),
            Piece::Text(more) => text.push_str(&more),
        }
    }
    (thinking, text)
}

/// However an answer is cut into pieces, its thinking and its text are these.
#[track_caller]
fn check(answer: &str, thinking: &str, text: &str) {
    let expected = (thinking.to_owned(), text.to_owned());
    assert_eq!(read([answer]), expected, "{answer:?} at once");
    let mut letters = [0; 4];
    let mut reasoning = Reasoning::default();
    let mut got = (String::new(), String::new());
    let pieces = answer
        .chars()
        .map(|letter| reasoning.push(letter.encode_utf8(&mut letters)));
    let mut pieces: Vec<Piece> = pieces.collect::<Vec<_>>().into_iter().flatten().collect();
    pieces.extend(reasoning.end());
    for piece in pieces {
        match piece {
            Piece::Thinking(more) => got.0.push_str(&more),
            Piece::Text(more) => got.1.push_str(&more),
        }
    }
    assert_eq!(got, expected, "{answer:?} letter by letter");
}

#[test]
fn thinking_at_the_beginning_is_told_apart() {
    check("<think>\nHm.\n</think>\n\nYes.", "Hm.\n", "Yes.");
    for name in [
        "think",
        "thinking",
        "reasoning",
        "thought",
        "THINK",
        "Reasoning",
        "seed:think",
    ] {
        check(&format!(" \n<{name}>a</{name}>b"), "a", "b");
        check(&format!("< {name} >a</ {name} > b"), "a", "b");
    }
    check("<think type=\"deep\">a</think>b", "a", "b");
    check("[THINK]a[/THINK]b", "a", "b");
    check("◁think▷a◁/think▷b", "a", "b");
    check("<thinking>a</think>b", "a", "b");
    check("<think>a</think>\n<think>b</think>\n\nc", "ab", "c");
    check("<think></think>a", "", "a");
    check("<think>a < b [c] </b></think>d", "a < b [c] </b>", "d");
}

#[test]
fn thinking_that_is_never_closed_is_hidden_as_well() {
    check("<think>Hm. </thi", "Hm. </thi", "");
    check("<think>", "", "");
    check("<think>Hm.\n<final>Yes.</final>", "Hm.\n", "Yes.");
    check("<think>Hm.</think>\n<final> Yes. </final> So.", "Hm.", " Yes.  So.");
    check("<think>Hm.</think><answer>a <b> </answer", "Hm.", "a <b> </answer");
    check("<think>a</think>  ", "a", "");
}

#[test]
fn the_same_letters_elsewhere_stay() {
    for text in [
        "",
        " \n",
        "a <think>b</think>",
        "`<think>`",
        "```\n<think>\n```",
        "<thinker>a</thinker>",
        "<th",
        "<",
        "< 3",
        "<think",
        "<think\n>a",
        "</think>a",
        "<final>a</final>",
        "<answer>a</answer>",
        "[THIN",
        "[THINKER]",
        "[a](b)",
        "<br/>a",
    ] {
        check(text, "", text);
    }
    check("<think>a</think>b <think>c</think>", "a", "b <think>c</think>");
    check("<think>a</think>`<think>`", "a", "`<think>`");
    let long = format!("<think {}>a", "x".repeat(200));
    check(&long, "", &long);
}

#[test]
fn an_answer_flows_as_soon_as_it_is_one() {
    let mut reasoning = Reasoning::default();
    assert_eq!(reasoning.push("  "), []);
    assert_eq!(reasoning.push("<b"), [Piece::Text("  <b".into())]);
    assert_eq!(reasoning.push("<think>"), [Piece::Text("<think>".into())]);
    let mut reasoning = Reasoning::default();
    assert_eq!(reasoning.push("<think>a <"), [Piece::Thinking("a ".into())]);
    assert_eq!(reasoning.push("b"), [Piece::Thinking("<b".into())]);
    assert_eq!(reasoning.held_back(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_cuts_change_nothing(parts in prop::collection::vec("(<think>|</think>|<final>|</final>|[a<>/ \n◁]{0,3})", 0..12), width in 1usize..5) {
        let answer = parts.concat();
        let letters: Vec<char> = answer.chars().collect();
        let pieces: Vec<String> = letters.chunks(width).map(|letters| letters.iter().collect()).collect();
        prop_assert_eq!(read(pieces.iter().map(String::as_str)), read([answer.as_str()]));
    }

    #[test]
    fn an_answer_without_tags_is_as_it_was(answer in "[a-z`\\[\\]{}\"\n ]{0,40}") {
        prop_assert_eq!(read([answer.as_str()]), (String::new(), answer.clone()));
    }
}

#[test]
fn endless_blanks_are_not_held_for_ever() {
    for begin in ["", "<think>a</think>"] {
        let mut reasoning = Reasoning::default();
        reasoning.push(begin);
        for _ in 0..5_000 {
            reasoning.push("\n");
        }
        assert!(reasoning.held_back() < 2_000, "{begin}: {}", reasoning.held_back());
    }
    check(&("\n".repeat(900) + "<think>a</think>b"), "a", "b");
    let late = "\n".repeat(1_001) + "<think>a</think>b";
    check(&late, "", &late);
}
