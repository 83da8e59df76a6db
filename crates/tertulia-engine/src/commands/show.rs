//! How words of others are shown: as code, on one line, cut where they are too long.

/// Shown in place of what could change how the words around it look.
const HIDDEN: char = '\u{fffd}';
/// Makes one picture of two.
const JOINER: char = '\u{200d}';
/// Asks for the colourful form of what stands before it.
const AS_PICTURE: char = '\u{fe0f}';
/// The mark of what was cut.
const CUT: char = '…';

/// Words of others as code in Markdown; at most `most` characters of them.
pub(super) fn code(text: &str, most: usize) -> String {
    let text = line(text, most);
    if text.is_empty() {
        return "(nothing)".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // else the blanks and backticks at the ends would be taken for part of the fence
    let is_open = |edge: Option<char>| edge.is_some_and(|edge| edge == '`' || edge == ' ');
    let pad = if is_open(text.chars().next()) || is_open(text.chars().next_back()) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text on one line, without anything that could hide or turn around what stands beside it.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    let mut blank = true;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() && (blank || count == 0) {
            continue;
        }
        if count == most {
            shown.push(CUT);
            break;
        }
        blank = letter.is_whitespace();
        shown.push(if blank {
            ' '
        } else if is_replaced(letter, shown.chars().next_back(), letters.peek().copied()) {
            HIDDEN
        } else {
            letter
        });
        count += 1;
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// True for what is hidden and no part of a picture. A joiner between letters of ASCII joins nothing.
fn is_replaced(letter: char, before: Option<char>, after: Option<char>) -> bool {
    let is_sign = |letter: char| is_seen(letter) && !letter.is_ascii();
    match letter {
        JOINER => {
            let begins = before.is_some_and(|before| before == AS_PICTURE || is_sign(before));
            !(begins && after.is_some_and(is_sign))
        }
        AS_PICTURE => !before.is_some_and(is_seen),
        letter => is_hidden(letter),
    }
}

fn is_seen(letter: char) -> bool {
    !is_hidden(letter) && !letter.is_whitespace() && !matches!(letter, HIDDEN | AS_PICTURE)
}

/// Names as code, with commas between them.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 30;
    let mut names = names.into_iter();
    let mut shown: Vec<String> = names.by_ref().take(MOST).map(|name| code(name, 64)).collect();
    let more = names.count();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

/// A number with its noun.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `text` with a capital letter at its beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Control characters, and those that turn the direction of writing or show nothing.
pub(super) fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// What turns the direction of writing.
pub(crate) fn is_bidi(letter: char) -> bool {
    matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(code(text, 10), expected, "{text:?}");
    }

    #[test]
    fn words_of_others_stay_on_their_line_and_in_their_code() {
        check("a b", "`a b`");
        check("", "(nothing)");
        check(" \n\t", "(nothing)");
        check("a\n\n- b", "`a - b`");
        check("`a", "`` `a ``");
        check("a``b", "```a``b```");
        check("\u{202e}abc\u{1b}[0m", "`\u{fffd}abc\u{fffd}[0m`");
        check("0123456789", "`0123456789`");
        check("0123456789x", "`0123456789…`");
        check("012345678 9", "`012345678 …`");
        check("**a**<b>", "`**a**<b>`");
        for emoji in ["👩\u{200d}💻", "❤\u{fe0f}\u{200d}🔥", "1\u{fe0f}\u{20e3}"] {
            check(emoji, &format!("`{emoji}`"));
        }
        check("\u{200d}💻\u{200d}", "`\u{fffd}💻\u{fffd}`");
        check("a\u{200d}b", "`a\u{fffd}b`");
        check("👩\u{200d}\u{200d}💻", "`👩\u{fffd}\u{fffd}💻`");
        check("\u{fe0f}a\u{fe0f}\u{fe0f}", "`\u{fffd}a\u{fe0f}\u{fffd}`");
    }

    #[test]
    fn a_long_list_says_how_much_is_left_out() {
        assert_eq!(list(["a", "b"]), "`a`, `b`");
        let shown = list(std::iter::repeat_n("a", 32));
        assert!(shown.ends_with("`a`, 2 more"), "{shown}");
        assert_eq!(count(1, "line", "lines"), "1 line");
        assert_eq!(count(0, "line", "lines"), "0 lines");
        assert_eq!(sentence("set here"), "Set here");
    }
}
