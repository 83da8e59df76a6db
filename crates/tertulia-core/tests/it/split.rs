//! What holds for every text that is cut.

use std::ops::Range;

use proptest::prelude::*;
use tertulia_core::markdown::parse;
use tertulia_core::split::{Cursor, Piece, roll, tree};
use tertulia_message::{Block, Markup};

use crate::texts;

type Measure = fn(&Markup) -> usize;

/// All pieces of a text that arrives up to each of the given ends, one after the other.
fn pieces(text: &str, ends: &[usize], limit: usize, weigh: Measure) -> Vec<Piece> {
    let mut cursor = Cursor::default();
    let mut all = Vec::new();
    for end in ends.iter().copied().chain([text.len()]) {
        let rolled = roll(&text[..text.floor_char_boundary(end)], &cursor, limit, &weigh);
        all.extend(rolled.closed);
        cursor = rolled.cursor;
    }
    all.push(roll(text, &cursor, limit, &weigh).open);
    all
}

fn joined(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
    ranges.map(|range| &text[range]).collect()
}

fn check(text: &str, ends: &[usize], limit: usize, weigh: Measure) -> Result<(), TestCaseError> {
    let pieces = pieces(text, ends, limit, weigh);
    prop_assert_eq!(joined(text, pieces.iter().map(|piece| piece.source.clone())), text);
    for piece in &pieces {
        let shown = &text[piece.source.clone()];
        prop_assert!(
            weigh(&piece.markup) <= limit,
            "{} > {limit}: {piece:?}",
            weigh(&piece.markup)
        );
        prop_assert_eq!(piece.markup.is_blank(), shown.trim().is_empty(), "{:?}", piece);
    }
    prop_assert!(pieces.len() == 1 || pieces.iter().all(|piece| !piece.markup.is_blank()));
    Ok(())
}

/// The ends of chunks of one to `most` bytes.
fn ends(text: &str, most: usize) -> Vec<usize> {
    (most..text.len()).step_by(most).collect()
}

proptest! {
    #[test]
    fn parts_cover_the_text_and_keep_the_limit(text in texts::markdown(), limit in 40usize..400) {
        for weigh in texts::measures() {
            check(&text, &[], limit, weigh)?;
        }
    }

    #[test]
    fn the_same_holds_while_text_arrives(text in texts::markdown(), limit in 40usize..200, most in 1usize..50) {
        for weigh in texts::measures() {
            check(&text, &ends(&text, most), limit, weigh)?;
        }
    }

    #[test]
    fn code_keeps_its_fences_and_its_lines(
        lines in proptest::collection::vec("[a-z ]{0,60}|```[a-z]{1,9}|``|    [a-z]{0,9}", 1..60),
        most in prop_oneof![Just(1usize), Just(7), Just(10_000)],
        is_closed in any::<bool>(),
    ) {
        let code = lines.join("\n") + "\n.";
        let text = format!("```rust\n{code}{}", if is_closed { "\n```\n" } else { "" });
        for weigh in texts::measures() {
            let mut shown = String::new();
            for piece in pieces(&text, &ends(&text, most), 120, weigh) {
                let [Block::Code { language, text }] = piece.markup.blocks.as_slice() else {
                    return Err(TestCaseError::fail(format!("not one block of code: {piece:?}")));
                };
                prop_assert_eq!(language, "rust");
                shown += text;
            }
            let bare = |code: &str| code.replace('\n', "");
            prop_assert_eq!(bare(&shown), bare(&code));
        }
    }

    #[test]
    fn words_are_not_lost(words in proptest::collection::vec("[a-z]{1,12}", 1..200), limit in 30usize..200) {
        let text = words.join(" ");
        let shown: Vec<String> =
            pieces(&text, &[], limit, |markup| markup.plain().len()).iter().map(|piece| piece.markup.plain()).collect();
        prop_assert_eq!(shown.join(" "), text);
    }

    #[test]
    fn formatting_goes_on_in_the_next_part(text in texts::document(), limit in 30usize..300, most in 1usize..500) {
        let letters = |text: &str| text.chars().filter(|c| c.is_lowercase()).collect::<String>();
        let weigh: Measure = |markup| markup.plain().len();
        for ends in [vec![], ends(&text, most)] {
            let pieces = pieces(&text, &ends, limit, weigh);
            let shown: String = pieces.iter().map(|piece| piece.markup.plain()).collect();
            prop_assert_eq!(letters(&shown), letters(&parse(&text).plain()));
            // with a whole text before it, no sign of Markdown is left over
            prop_assert!(!ends.is_empty() || !shown.contains(['*', '`', '~', '#', '_', '|']), "{}", shown);
        }
    }

    #[test]
    fn trees_keep_the_limit_and_their_letters(text in texts::markdown(), limit in 40usize..400) {
        let letters = |text: &str| text.chars().filter(|c| c.is_lowercase()).collect::<String>();
        let markup = parse(&text);
        for weigh in texts::measures() {
            let parts = tree(markup.clone(), limit, &weigh);
            prop_assert!(parts.iter().all(|part| weigh(part) <= limit));
            prop_assert!(parts.len() == 1 || parts.iter().all(|part| !part.is_blank()));
            // a table's head is repeated, so the letters may only grow
            let shown: String = parts.iter().map(Markup::plain).collect();
            prop_assert!(letters(&shown).len() >= letters(&markup.plain()).len());
            if !markup.blocks.iter().any(has_table) {
                prop_assert_eq!(letters(&shown), letters(&markup.plain()));
            }
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,300}", from in 0usize..400, lead in "\\PC{0,20}", limit in 0usize..50) {
        let rolled = roll(&text, &Cursor { from, lead }, limit, &|markup| markup.plain().len());
        prop_assert!(rolled.open.source.end >= rolled.open.source.start);
        prop_assert!(!tree(parse(&text), limit, &|markup| markup.plain().len()).is_empty());
    }
}

fn has_table(block: &Block) -> bool {
    match block {
        Block::Table(_) => true,
        Block::Quote(blocks) => blocks.iter().any(has_table),
        Block::List { items, .. } => items.iter().flatten().any(has_table),
        _ => false,
    }
}

#[test]
fn every_tail_near_the_limit_fits() {
    for length in 1990..=2000 {
        let body = "x".repeat(length);
        for text in [
            body.clone(),
            format!("{body}\n\ny"),
            format!("```\n{body}\n``` tail\n```\nend"),
            format!("```rs\n{body}\n```\nend"),
            format!("```rs\n{}\n```\nend", "word ".repeat(length / 5)),
            format!("**{body}** end"),
            "😀".repeat(length / 2) + " end",
            format!("{}\n- {body}", "- item\n".repeat(9)),
        ] {
            for weigh in texts::measures() {
                check(&text, &[], 2000, weigh).unwrap();
                check(&text, &ends(&text, 331), 2000, weigh).unwrap();
            }
        }
    }
}

#[test]
fn a_long_text_is_cut_in_reasonable_steps() {
    use std::cell::Cell;

    let text = "Some *words* of a text that goes on. ".repeat(8000);
    let weighed = Cell::new(0);
    let weigh = |markup: &Markup| {
        let weight = markup.plain().len();
        weighed.set(weighed.get() + weight);
        weight
    };
    let rolled = roll(&text, &Cursor::default(), 2000, &weigh);
    assert!(rolled.closed.len() > 100);
    assert!(rolled.closed.iter().all(|piece| piece.source.len() > 1000));
    // each part is weighed some twenty times, never the whole text for each part
    assert!(weighed.get() < text.len() * 100, "{}", weighed.get());
}
