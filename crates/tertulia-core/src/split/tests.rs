//! Where texts are cut, and how the rest goes on.

use tertulia_message::Markup;

use super::{Cursor, roll, tree};
use crate::markdown::parse;

fn chars(markup: &Markup) -> usize {
    markup.plain().chars().count()
}

/// The parts' plain texts, with the lead of each part in front.
fn parts(text: &str, limit: usize) -> Vec<String> {
    roll(text, &Cursor::default(), limit, &chars)
        .all()
        .iter()
        .map(|piece| piece.markup.plain())
        .collect()
}

impl super::Rolled {
    fn all(self) -> Vec<super::Piece> {
        let mut all = self.closed;
        all.push(self.open);
        all
    }
}

#[track_caller]
fn check(text: &str, limit: usize, expected: &[&str]) {
    assert_eq!(parts(text, limit), expected);
}

/// Checks the Markdown that the second part is read from.
#[track_caller]
fn check_lead(text: &str, limit: usize, lead: &str, rest: &str) {
    let rolled = roll(text, &Cursor::default(), limit, &chars);
    assert_eq!(rolled.closed.len(), 1, "{rolled:?}");
    assert_eq!(
        (rolled.cursor.lead.as_str(), text.get(rolled.cursor.from..)),
        (lead, Some(rest))
    );
}

#[test]
fn the_best_border_in_the_last_half_is_taken() {
    check("aaaa aaaa\n\nbbbb", 12, &["aaaa aaaa", "bbbb"]);
    check("a\n\nbbbb bbbb bbbb", 12, &["a\n\nbbbb bbbb", "bbbb"]);
    check("aaaa aaaa\nbbbb bbbb", 12, &["aaaa aaaa", "bbbb bbbb"]);
    check("Aaaa a. Bbb bbb bb", 12, &["Aaaa a.", "Bbb bbb bb"]);
    check("aaaaaaaaaaaaaaa", 6, &["aaaaaa", "aaaaaa", "aaa"]);
    check("aaaa aa\n\n# h\n\nbbbbbb", 13, &["aaaa aa", "h\n\nbbbbbb"]);
}

#[test]
fn the_rest_reads_as_before() {
    check_lead("```rs\naaaa\nbbbb\n```\n", 6, "```rs\n", "bbbb\n```\n");
    check_lead("~~~~ py x\naaaa\nbbbb", 6, "~~~~py\n", "bbbb");
    check_lead("  ```\n  aaaa\n    bb\n  ```\n", 6, "  ```\n  ", "  bb\n  ```\n");
    check_lead("> ```\n> aaaa\n> bbbb\n> ```", 9, "> ```\n> ", "bbbb\n> ```");
    check_lead("> aaaa\n> bbbb", 7, "> ", "bbbb");
    check_lead("**aaaa bbbb** c", 7, "**", "bbbb** c");
    check_lead("***aaaa bbbb*** c", 7, "***", "bbbb*** c");
    check_lead("~~aaaa bbbb~~ c", 7, "~~", "bbbb~~ c");
    check_lead("||aaaa bbbb|| c", 7, "||", "bbbb|| c");
    check_lead("**「aaa」 「bb」**c", 8, "**", "「bb」**c");
    check_lead("aaa $b_1 + c$", 9, "", "$b_1 + c$");
    check_lead("## aaaa bbbb\n\nc", 8, "## ", "bbbb\n\nc");
    check_lead("- aaaa\n- bbbb", 8, "- ", "bbbb");
    check_lead("1. aaaa\n1. bbbb\n1. c", 12, "2. ", "bbbb\n1. c");
    check_lead("- a\n    - bbbb\n    - cccc\n", 12, "-   - ", "cccc\n");
    check_lead("3. aaaa\n\n   bbbb\n", 9, "3. ", "bbbb\n");
    check_lead(
        "|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n|7|8|\n",
        24,
        "|a|b|\n|-|-|\n",
        "|7|8|\n",
    );
}

#[test]
fn what_would_be_misread_is_not_cut_there() {
    check("aaaa bbbb - cc", 10, &["aaaa", "bbbb - cc"]);
    check("aaaa\n---\nbbbb", 5, &["aaaa", "———", "bbbb"]);
    check("aaaa bbb\n5. c\n69. d", 16, &["aaaa bbb\n5.", "c\n69. d"]);
    check("```\naaaa\nbb```\n```\n", 8, &["aaaa", "bb```"]);
    check("a\\*\\*\\*\\*", 3, &["a**", "**"]);
    check("👍🏽👍🏽👍🏽", 3, &["👍🏽", "👍🏽", "👍🏽"]);
}

#[test]
fn what_can_not_be_cut_is_shown_as_its_source() {
    check("[a](http://xxxxxxxx)", 10, &["[a](http:/", "/xxxxxxxx)"]);
    check("[a]: http://x\n", 20, &["[a]: http://x"]);
    check(
        "[a]: http://x\n[b]: http://y",
        20,
        &["[a]: http://x\n[b]: h", "ttp://y"],
    );
    check("a [b](http://xx) c", 10, &["a", "[b](http:/", "/xx) c"]);
}

#[test]
fn one_heavy_character_is_accepted() {
    let rolled = roll("ab", &Cursor::default(), 1, &|markup| markup.plain().len() * 5);
    assert_eq!(rolled.all().len(), 2);
}

#[test]
fn a_closing_fence_that_is_still_arriving_gets_no_part_of_its_own() {
    check("```\naaaa\nbbbb\n``", 9, &["aaaa", "bbbb\n``"]);
}

#[test]
fn closed_parts_stay_when_text_arrives() {
    let text = "```rs\nlet a = 1;\nlet b = 2;\n```\n\nAnd **so on and on**, as it goes.\n".repeat(20);
    let mut cursor = Cursor::default();
    let mut ranges = Vec::new();
    for end in 1..=text.len() {
        let rolled = roll(text.get(..end).unwrap(), &cursor, 60, &chars);
        ranges.extend(rolled.closed.iter().map(|piece| piece.source.clone()));
        cursor = rolled.cursor;
    }
    assert_eq!(ranges.first().map(|range| range.start), Some(0));
    assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
}

#[track_caller]
fn check_tree(source: &str, limit: usize, expected: &[&str]) {
    let parts = tree(parse(source), limit, &chars);
    assert_eq!(parts, expected.iter().map(|part| parse(part)).collect::<Vec<_>>());
}

#[test]
fn trees_are_cut_with_what_is_around() {
    check_tree("aaaa\n\nbbbb", 6, &["aaaa", "bbbb"]);
    check_tree("**aaaa bbbb**", 6, &["**aaaa**", "**bbbb**"]);
    check_tree("```rs\naaaa\nbbbb\n```", 6, &["```rs\naaaa\n```", "```rs\nbbbb\n```"]);
    check_tree("3. aaaa\n4. bbbb", 8, &["3. aaaa", "4. bbbb"]);
    check_tree("- aaaa bbbb", 8, &["- aaaa", "- bbbb"]);
    check_tree("> aaaa\n> bbbb", 7, &["> aaaa", "> bbbb"]);
    check_tree(
        "|a|b|\n|-|-|\n|1|2|\n|3|4|\n",
        12,
        &["|a|b|\n|-|-|\n|1|2|\n", "|a|b|\n|-|-|\n|3|4|\n"],
    );
    check_tree("[aaaa](http://xxxx)", 8, &["aaaa (ht", "tp\\://xxx", "x)"]);
    check_tree("", 8, &[""]);
}
