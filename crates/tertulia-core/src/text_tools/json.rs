//! JSON in the middle of a model's text.

use std::fmt::Write as _;

use serde_json::Value;

/// The object or array that a text is, or has in it: the whole text, else what stands in a fenced block, else the first
/// complete one in the text. Never a fragment of one that is broken.
///
/// Line breaks and tabs in strings are tolerated, as models write them.
#[must_use]
pub fn extract(text: &str) -> Option<Value> {
    parse(text)
        .or_else(|| fenced(text).find_map(parse))
        .or_else(|| first(text))
}

/// Reads an object or an array, and nothing besides.
pub(super) fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(&strict(text)).ok()
}

/// The same JSON with the control characters in its strings escaped.
fn strict(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escape) = (false, false);
    for letter in text.chars() {
        if in_string && letter < ' ' {
            let slash = if escape { "\\" } else { "" };
            // writing to a string does not fail
            let _ = write!(out, "{slash}\\u{:04x}", u32::from(letter));
            escape = false;
            continue;
        }
        out.push(letter);
        in_string = match letter {
            '"' if !escape => !in_string,
            _ => in_string,
        };
        escape = in_string && letter == '\\' && !escape;
    }
    out
}

fn fenced(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, block) = rest.split_once("```")?;
        let (block, after) = block.split_once("```")?;
        rest = after;
        // the first line names the language
        Some(block.split_once('\n').map_or(block, |(_, block)| block))
    })
}

fn first(text: &str) -> Option<Value> {
    let mut rest = text;
    loop {
        let begin = rest.find(['{', '['])?;
        rest = rest.get(begin..)?;
        if !begins_value(rest) {
            rest = rest.get(1..)?;
            continue;
        }
        // one that is not closed has nothing behind it that is not inside of it
        let end = Scan::default().feed(rest)?;
        let (value, after) = rest.split_at_checked(end)?;
        if let Some(value) = parse(value) {
            return Some(value);
        }
        rest = after;
    }
}

/// True if what begins with a bracket may be JSON, and not prose in brackets.
pub(super) fn begins_value(text: &str) -> bool {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    match (letters.next(), letters.next()) {
        (Some('{'), Some(next)) => next == '"' || next == '}',
        (Some('['), Some(next)) => "{[]\"-".contains(next) || next.is_ascii_digit() || "tfn".contains(next),
        _ => false,
    }
}

/// Finds the end of an object or array, piece by piece.
#[derive(Debug, Default, Clone)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    escape: bool,
    /// How many bytes were read.
    read: usize,
    /// A list that begins with neither object nor list nor string: it has no calls in it, and is prose where it is no JSON.
    is_plain: bool,
}

/// How a value goes on that is passed on as it comes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It goes on.
    On,
    /// Its end, or what says that it is none, stands behind so many bytes.
    Ends(usize),
    /// What stands behind so many bytes has to be longer before it is known.
    Waits(usize),
}

impl Scan {
    /// A scan of this text, from its beginning.
    pub(super) fn of(text: &str) -> Self {
        let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
        let is_list = letters.next() == Some('[');
        let is_plain = is_list && letters.next().is_some_and(|letter| !"{[]\"".contains(letter));
        Self {
            is_plain,
            ..Self::default()
        }
    }

    /// Reads what is new of a text that was read before, as far as its end; gives how long the value is.
    pub(super) fn feed(&mut self, text: &str) -> Option<usize> {
        for letter in text.get(self.read..).unwrap_or_default().chars() {
            self.read += letter.len_utf8();
            if self.step(letter) {
                return Some(self.read);
            }
        }
        None
    }

    /// Reads what follows the text that was read before. `is_call` says whether a call begins with the `<` at a place, if that is
    /// known.
    pub(super) fn flow(&mut self, text: &str, is_call: impl Fn(usize) -> Option<bool>) -> Flow {
        for (place, letter) in text.char_indices() {
            if !self.in_string && letter == '<' {
                match is_call(place) {
                    Some(true) => return Flow::Ends(place),
                    Some(false) => {}
                    None => return Flow::Waits(place),
                }
            }
            if !self.in_string && self.is_plain && !is_of_json(letter) {
                return Flow::Ends(place);
            }
            if self.step(letter) {
                return Flow::Ends(place + letter.len_utf8());
            }
        }
        Flow::On
    }

    /// Reads a letter; true if it is the last one of the value.
    fn step(&mut self, letter: char) -> bool {
        if self.in_string {
            match letter {
                _ if self.escape => self.escape = false,
                '\\' => self.escape = true,
                '"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match letter {
            '"' => self.in_string = true,
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// True for what JSON has outside of strings.
fn is_of_json(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter.is_ascii_digit() || "[]{},:\"+-.eEtrufalsn".contains(letter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: impl Into<Option<Value>>) {
        assert_eq!(extract(text), expected.into(), "{text}");
    }

    #[test]
    fn the_first_whole_value_is_found() {
        check("{\"a\": 1}", json!({"a": 1}));
        check(" [1, 2] ", json!([1, 2]));
        check("so: {\"a\": {\"b\": \"}\"}} {\"c\": 1}", json!({"a": {"b": "}"}}));
        check("[note] {see} :{ {\"a\": 1}", json!({"a": 1}));
        check("{\"a\": b} {\"c\": 1}", json!({"c": 1}));
        check("x {\"no\"} ```json\n{\"a\":1}\n``` y", json!({"a": 1}));
        check("```\nnone\n``` ```\n[1]\n```", json!([1]));
    }

    #[test]
    fn line_breaks_in_strings_are_tolerated() {
        check("{\"a\": \"b\nc\td\"}", json!({"a": "b\nc\td"}));
        check("{\"a\": \"b\\\nc\"}", json!({"a": "b\\\nc"}));
        check("{\"a\": \"\\\"\n\\\\\"}", json!({"a": "\"\n\\"}));
    }

    #[test]
    fn nothing_is_found_in_what_is_broken() {
        for text in [
            "",
            "plain",
            "5",
            "\"a\"",
            "{\"a\": NaN}",
            "{\"a\": {\"b\": 1}",
            "so {\"a\": [{\"b\": 1}, ",
            "{\"a\": bad, \"b\": {\"c\": 1}}",
            "{\"a\": \"{\\\"b\\\": 1}",
        ] {
            check(text, None);
        }
    }
}
