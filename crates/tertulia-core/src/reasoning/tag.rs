//! The tags that models put around their thinking, as they really write them.

/// Which tag it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Around thinking.
    Thinking,
    /// `<final>`, around the answer behind it.
    Final,
    /// `<answer>`, likewise.
    Answer,
}

/// What a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A tag of so many bytes.
    Tag(Tag, usize),
    /// It may become one.
    Maybe,
    /// No tag.
    None,
}

/// Names between angle brackets.
const NAMES: [(&str, Tag); 13] = [
    ("think", Tag::Thinking),
    ("thinking", Tag::Thinking),
    ("thought", Tag::Thinking),
    ("thoughts", Tag::Thinking),
    ("reason", Tag::Thinking),
    ("reasoning", Tag::Thinking),
    ("reflection", Tag::Thinking),
    ("scratchpad", Tag::Thinking),
    ("analysis", Tag::Thinking),
    ("antthinking", Tag::Thinking),
    ("seed:think", Tag::Thinking),
    ("final", Tag::Final),
    ("answer", Tag::Answer),
];
/// Marks that some models write instead of tags: opening and closing.
const MARKS: [(&str, &str); 2] = [("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷")];
/// The longest tag with its blanks and attributes, in bytes.
const LONGEST: usize = 100;

impl Tag {
    pub(super) fn is_thinking(self) -> bool {
        self == Self::Thinking
    }
}

/// Whether a text begins with an opening tag.
pub(super) fn opening(text: &str) -> Found {
    if text.is_empty() {
        return Found::Maybe;
    }
    let marks = MARKS.map(|(open, _)| mark(text, open));
    best([named(text, false), marks[0], marks[1]])
}

/// How long the thinking goes on, and what ends it: the tag that closes it, or one that opens the answer.
pub(super) fn until_thinking_ends(text: &str) -> (usize, Found) {
    until(text, |rest| {
        let closed = match named(rest, true) {
            Found::Tag(tag, _) if !tag.is_thinking() => Found::None,
            found => found,
        };
        let answered = match named(rest, false) {
            Found::Tag(Tag::Final, length) => Found::Tag(Tag::Final, length),
            Found::Tag(..) => Found::None,
            found => found,
        };
        let marks = MARKS.map(|(_, close)| mark(rest, close));
        best([closed, answered, best([marks[0], marks[1], Found::None])])
    })
}

/// How long the answer goes on, and the tag that closes it.
pub(super) fn until_closed(text: &str, tag: Tag) -> (usize, Found) {
    until(text, |rest| match named(rest, true) {
        Found::Tag(found, _) if found != tag => Found::None,
        found => found,
    })
}

/// The first place where something is found, or may be; the text's length if there is none.
fn until(text: &str, find: impl Fn(&str) -> Found) -> (usize, Found) {
    for (place, _) in text.match_indices(['<', '[', '◁']) {
        let rest = text.get(place..).unwrap_or_default();
        match find(rest) {
            Found::None => {}
            found => return (place, found),
        }
    }
    (text.len(), Found::None)
}

fn best(found: [Found; 3]) -> Found {
    let tag = found.iter().find(|found| matches!(found, Found::Tag(..)));
    let maybe = || found.iter().find(|found| matches!(found, Found::Maybe));
    tag.or_else(maybe).copied().unwrap_or(Found::None)
}

fn mark(text: &str, mark: &str) -> Found {
    if text.starts_with(mark) {
        Found::Tag(Tag::Thinking, mark.len())
    } else if mark.starts_with(text) {
        Found::Maybe
    } else {
        Found::None
    }
}

/// `< name attributes >`, in any case and with blanks anywhere; a slash before the name if it closes.
fn named(text: &str, closes: bool) -> Found {
    let Some(inside) = text.strip_prefix('<') else {
        return Found::None;
    };
    let rest = inside.trim_start();
    let rest = match (closes, rest.strip_prefix('/')) {
        (true, Some(rest)) => rest.trim_start(),
        (true, None) if rest.is_empty() => return maybe(text),
        (false, None) => rest,
        (true, None) | (false, Some(_)) => return Found::None,
    };
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || ":_-".contains(letter);
    let end = rest.find(|letter| !is_of_name(letter));
    let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_lowercase();
    let Some(end) = end else {
        let may = NAMES.iter().any(|(known, _)| known.starts_with(&name));
        return if may { maybe(text) } else { Found::None };
    };
    let Some((_, tag)) = NAMES.iter().find(|(known, _)| *known == name) else {
        return Found::None;
    };
    let attributes = rest.get(end..).unwrap_or_default();
    match attributes.find(['<', '>', '/', '\n']) {
        None => maybe(text),
        Some(place) if attributes.get(place..).is_some_and(|rest| rest.starts_with('>')) => {
            let length = text.len() - attributes.len() + place + 1;
            if length > LONGEST {
                Found::None
            } else {
                Found::Tag(*tag, length)
            }
        }
        Some(_) => Found::None,
    }
}

fn maybe(text: &str) -> Found {
    if text.len() > LONGEST {
        Found::None
    } else {
        Found::Maybe
    }
}
