//! Running text with escapes, so that it shows what it says.

use super::chars::APART;
use super::links;

/// Words that call everybody, behind an `@`.
const EVERYBODY: [&str; 2] = ["everyone", "here"];
/// The longest name of an emoji, in characters.
const LONGEST_NAME: usize = 40;

/// Writes a text of one line. `starts` is true if nothing stands before it on its line.
pub(super) fn text(out: &mut String, text: &str, starts: bool) {
    let mut rest = text;
    let mut starts = starts;
    while let Some((start, end)) = links::find(rest) {
        words(out, rest.get(..start).unwrap_or_default(), starts);
        starts = starts && start == 0;
        match rest.get(start..end).and_then(links::target) {
            // in brackets it ends where it ends, and shows no preview
            Some(target) => {
                for part in ["<", &target, ">"] {
                    out.push_str(part);
                }
            }
            None => words(out, rest.get(start..end).unwrap_or_default(), starts),
        }
        rest = rest.get(end..).unwrap_or_default();
        starts = false;
    }
    words(out, rest, starts);
}

fn words(out: &mut String, text: &str, starts: bool) {
    let mut rest = text;
    if starts {
        let body = text.trim_start_matches(' ');
        out.push_str(text.get(..text.len() - body.len()).unwrap_or_default());
        rest = line_start(out, body);
    }
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        let behind = chars.as_str();
        let before = rest.get(..at).and_then(|before| before.chars().next_back());
        if c == '@' {
            at_sign(out, behind);
        } else {
            if needs_escape(c, before, behind) {
                out.push('\\');
            }
            out.push(c);
        }
    }
}

/// Writes what would begin a heading, a quotation or a list, and returns what stands behind it.
fn line_start<'t>(out: &mut String, text: &'t str) -> &'t str {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, behind) = text.split_at_checked(digits).unwrap_or(("", text));
    let mut chars = behind.chars();
    let next = chars.next();
    let is_alone = chars.as_str().is_empty() || chars.as_str().starts_with([' ', '#']);
    let needs_escape = match next {
        Some('#' | '>') => digits == 0,
        Some('-' | '+') => digits == 0 && is_alone,
        Some('.' | ')') => digits > 0 && is_alone,
        _ => false,
    };
    let Some(sign) = next.filter(|_| needs_escape) else {
        return text;
    };
    out.push_str(number);
    out.push('\\');
    out.push(sign);
    chars.as_str()
}

fn needs_escape(c: char, before: Option<char>, behind: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '*' | '`' | '~' | '|' | '<' | '[' => true,
        '_' => !is_word(before) || !is_word(behind.chars().next()),
        ':' => is_emoji(behind),
        _ => false,
    }
}

/// True for what stands behind the first colon of `:name:`.
fn is_emoji(behind: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_+-".contains(c);
    let end = behind.char_indices().take(LONGEST_NAME).find(|(_, c)| !is_name(*c));
    end.is_some_and(|(at, c)| c == ':' && at > 0)
}

/// An `@`, which must neither call everybody nor stand close behind a bracket.
fn at_sign(out: &mut String, behind: &str) {
    if out.ends_with('<') {
        out.push('\\');
    }
    out.push('@');
    let is_word = |word: &str| {
        behind
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    if EVERYBODY.iter().any(|word| is_word(word)) {
        out.push(APART);
    }
}
