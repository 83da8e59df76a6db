//! Takes secrets out of texts that come from outside, before anything else sees them.

use secrecy::{ExposeSecret, SecretString};

/// What stands in place of a secret.
const HIDDEN: &str = "[hidden]";

/// The text without the key, which is sent without the white space around it, and without the user names and passwords of addresses.
pub(crate) fn scrub(text: &str, key: Option<&SecretString>) -> String {
    let text = match key.map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, HIDDEN),
        None => text.to_owned(),
    };
    without_userinfo(&text)
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
        assert_eq!(scrub("a text", Some(&" \n".into())), "a text");
        assert_eq!(
            scrub("bad key sk-canary.", Some(&"sk-canary\n".into())),
            "bad key [hidden]."
        );
    }
}
