//! Takes secrets out of texts that come from outside, before anything else sees them.

use secrecy::{ExposeSecret, SecretString};

/// What stands in place of a secret.
const HIDDEN: &str = "[hidden]";

/// So much of a key at the end of a text, where it was cut, is taken for the key.
const TELLING: usize = 4;

/// The text without the key, which is sent without the white space around it, and without the user names and passwords of
/// addresses; on one line, and with no more of a page of HTML than its title.
pub(crate) fn scrub(text: &str, key: Option<&SecretString>) -> String {
    let text = match key.map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty()) {
        Some(key) => without_end_of(key, &text.replace(key, HIDDEN)),
        None => text.to_owned(),
    };
    without_userinfo(&on_one_line(&without_page(&text)))
}

/// A text may have been cut in the middle of the key.
fn without_end_of(key: &str, text: &str) -> String {
    let beginnings = key.char_indices().rev().map_while(|(end, _)| key.get(..end));
    let mut telling = beginnings.take_while(|begun| begun.len() >= TELLING);
    match telling.find_map(|begun| text.strip_suffix(begun)) {
        Some(rest) => format!("{rest}{HIDDEN}"),
        None => text.to_owned(),
    }
}

/// What stands before a page, and the page's title.
fn without_page(text: &str) -> String {
    let folded = text.to_ascii_lowercase();
    let Some(begin) = ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .filter_map(|tag| folded.find(tag))
        .min()
    else {
        return text.to_owned();
    };
    let element = |name: &str| {
        let from = begin + folded.get(begin..)?.find(name)? + name.len();
        let length = folded.get(from..)?.find('<')?;
        text.get(from..from + length)
            .map(str::trim)
            .filter(|said| !said.is_empty())
    };
    let before = text.get(..begin).unwrap_or_default();
    match element("<title>").or_else(|| element("<h1>")) {
        Some(title) => format!("{before}a page of HTML, {title}"),
        None => format!("{before}a page of HTML"),
    }
}

fn on_one_line(text: &str) -> String {
    let lines = text.split(char::is_control).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn without_userinfo(text: &str) -> String {
    let mut pieces = text.split("://");
    let mut clean = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        clean.push_str("://");
        let end = piece
            .find(|c: char| "/?#\"'`<>)".contains(c) || c.is_whitespace())
            .unwrap_or(piece.len());
        let (authority, rest) = piece.split_at_checked(end).unwrap_or((piece, ""));
        clean.push_str(authority.rsplit_once('@').map_or(authority, |(_, host)| host));
        clean.push_str(rest);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(scrub(text, Some(&"sk-canary".into())), expected);
    }

    #[test]
    fn keys_and_passwords_go() {
        check("bad key sk-canary.", "bad key [hidden].");
        check(
            "see https://me:pw@host/a@b and ftp://x@y",
            "see https://host/a@b and ftp://y",
        );
        check("plain äöü ://", "plain äöü ://");
        check("it was cut at sk-can", "it was cut at [hidden]");
        check("it was cut at sk-", "it was cut at sk-");
        assert_eq!(scrub("a text", Some(&" \n".into())), "a text");
        assert_eq!(
            scrub("bad key sk-canary.", Some(&"sk-canary\n".into())),
            "bad key [hidden]."
        );
    }

    #[test]
    fn pages_and_line_breaks_go() {
        check(
            "502: \r\n<!DOCTYPE html>\n<HTML><head><Title> Bad\nGateway </title></head>..",
            "502: a page of HTML, Bad Gateway",
        );
        check("<html><body>sk-canary</body></html>", "a page of HTML");
        check("<html><title> </title><h1>No</h1></html>", "a page of HTML, No");
        check("<html><title>never ends", "a page of HTML");
        check("a\n\n b\0\tc.  d", "a b c.  d");
        check("x < y, <b>bold</b>", "x < y, <b>bold</b>");
    }
}
