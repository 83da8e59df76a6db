//! Discord's rules for Markdown, written anew: what a text would show, and what of it was made by accident.
#![expect(clippy::string_slice, reason = "a test that cuts a character fails as it should")]

use std::collections::BTreeSet;

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What Discord would take otherwise than it is meant.
    pub(super) faults: Vec<String>,
    /// Who is mentioned.
    pub(super) mentions: BTreeSet<String>,
    /// The text outside of code, with its signs.
    outside: String,
    /// What is shown, without any signs of styles.
    pub(super) shown: String,
}

pub(super) fn check(text: &str) -> Found {
    let mut found = Found::default();
    if text.trim() != text || text.is_empty() {
        found.faults.push("blanks around it, or empty".to_owned());
    }
    // what begins a quotation is taken away before anything else
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_start_matches("> ")).collect();
    let text = lines.join("\n");
    let mut rest = text.as_str();
    let mut open = Vec::new();
    while !rest.is_empty() {
        let behind = step(rest, &mut open, &mut found);
        let taken = &rest[..rest.len() - behind.len()];
        found.outside.push_str(if taken.starts_with('`') { "`" } else { taken });
        rest = behind;
    }
    if !open.is_empty() {
        found.faults.push(format!("not closed: {open:?}"));
    }
    let call = ["@everyone", "@here"].iter().find(|call| found.outside.contains(*call));
    found.faults.extend(call.map(|call| format!("calls {call}")));
    found
}

pub(super) fn shown(text: &str) -> String {
    check(text).shown
}

fn step<'t>(rest: &'t str, open: &mut Vec<&'static str>, found: &mut Found) -> &'t str {
    let first = rest.chars().next().unwrap();
    let behind = &rest[first.len_utf8()..];
    match first {
        '\\' => match behind
            .chars()
            .next()
            .filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        {
            Some(c) => {
                found.shown.push(c);
                return &behind[c.len_utf8()..];
            }
            None => found.faults.push("a stroke that escapes nothing".to_owned()),
        },
        '`' => return code(rest, found),
        '<' => return brackets(rest, found),
        '[' => return link(rest, found),
        '*' | '~' | '|' => return sign(rest, open, found),
        '_' => {
            let before = found.shown.chars().next_back();
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            if !is_word(before) || !is_word(behind.chars().next()) {
                found.faults.push("an underscore".to_owned());
            }
        }
        '\n' if !open.is_empty() => found.faults.push(format!("open over lines: {open:?}")),
        _ => {}
    }
    found.shown.push(first);
    behind
}

fn code<'t>(rest: &'t str, found: &mut Found) -> &'t str {
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    if ticks >= 3 {
        let Some((inner, behind)) = rest[3..].split_once("```") else {
            found.faults.push("a fence that is not closed".to_owned());
            return "";
        };
        let (language, body) = inner.split_once('\n').unwrap_or(("", inner));
        if language
            .chars()
            .any(|c| !c.is_ascii_alphanumeric() && !"+-#._".contains(c))
            || body.trim().is_empty()
        {
            found.faults.push(format!("a fence with {language:?} and {body:?}"));
        }
        if !(behind.is_empty() || behind.starts_with('\n')) {
            found.faults.push(format!("behind a fence: {behind:?}"));
        }
        found.shown.push_str(body);
        return behind;
    }
    let mut from = ticks;
    loop {
        let Some(at) = rest[from..].find('`') else {
            found.faults.push("code that is not closed".to_owned());
            return "";
        };
        let tail = &rest[from + at..];
        let length = tail.len() - tail.trim_start_matches('`').len();
        if length == ticks {
            found.shown.push_str(&rest[ticks..from + at]);
            return &tail[ticks..];
        }
        from += at + length;
    }
}

fn brackets<'t>(rest: &'t str, found: &mut Found) -> &'t str {
    let Some((inner, behind)) = rest[1..].split_once('>') else {
        found.faults.push("an open bracket".to_owned());
        return "";
    };
    let is_mention = inner.strip_prefix('@').is_some_and(|id| id.parse::<u64>().is_ok());
    let is_address = inner.starts_with("http") && !inner.contains(char::is_whitespace);
    if is_mention {
        found.mentions.insert(inner[1..].to_owned());
    }
    if !is_mention && !is_address {
        found.faults.push(format!("<{inner}>"));
    }
    found.shown.push_str(inner);
    behind
}

fn link<'t>(rest: &'t str, found: &mut Found) -> &'t str {
    let parts = rest[1..].split_once("](").and_then(|(label, rest)| {
        let (target, behind) = rest.split_once(')')?;
        Some((label, target, behind))
    });
    let Some((label, target, behind)) = parts else {
        found.faults.push("a bracket".to_owned());
        return "";
    };
    let is_plain = !target.contains(|c: char| c.is_whitespace() || "<>(\"".contains(c)) && target.starts_with("http");
    if !is_plain || label.contains(['[', ']', '\n']) || label.trim().is_empty() {
        found.faults.push(format!("[{label}]({target})"));
    }
    found.shown.push_str(label);
    behind
}

fn sign<'t>(rest: &'t str, open: &mut Vec<&'static str>, found: &mut Found) -> &'t str {
    let all = ["***", "**", "*", "~~", "||"];
    let Some(sign) = all.into_iter().find(|sign| rest.starts_with(sign)) else {
        found.faults.push(format!("a sign: {rest:?}"));
        return "";
    };
    let behind = &rest[sign.len()..];
    let is_closing = open.last() == Some(&sign);
    if is_closing {
        open.pop();
    } else if open.contains(&sign) {
        found.faults.push(format!("{sign} within {open:?}"));
    } else {
        open.push(sign);
        if sign.starts_with('*') && behind.starts_with(char::is_whitespace) {
            found.faults.push(format!("a blank behind {sign}"));
        }
    }
    if behind.starts_with(&sign[..1]) {
        found.faults.push(format!("more behind {sign}"));
    }
    behind
}
