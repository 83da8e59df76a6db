//! Addresses: which Discord makes links of, and how they stand in a text.

/// The longest address that a link has, in characters: one message holds 2000. A longer one is shown by its beginning.
const LONGEST: usize = 400;
/// How much of a longer one is shown.
const SHOWN: usize = 120;

/// The address for a link; none if it has to be shown.
pub(super) fn target(address: &str) -> Option<String> {
    let is_clean = address.chars().all(|c| !c.is_control() && !c.is_whitespace());
    let encoded = encoded(address);
    let has_host = length_of_scheme(address).is_some_and(|scheme| {
        let rest = address.get(scheme..).unwrap_or_default();
        rest.starts_with(|c: char| c.is_alphanumeric() || c == '[')
    });
    (is_clean && has_host && encoded.chars().count() <= LONGEST).then_some(encoded)
}

/// What an address shows where it is no link.
pub(super) fn shown(address: &str) -> String {
    let address = bare(address);
    if address.chars().count() <= LONGEST {
        return address.to_owned();
    }
    // without its scheme, since half an address must not be a link
    let behind = address.get(length_of_scheme(address).unwrap_or(0)..).unwrap_or(address);
    let start: String = behind.chars().take(SHOWN).collect();
    format!("{start}…")
}

/// An address without the scheme of mail.
pub(super) fn bare(address: &str) -> &str {
    address.strip_prefix("mailto:").unwrap_or(address)
}

/// Where the first address of a text begins and ends.
pub(super) fn find(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let start = from + rest.find("http")?;
        let candidate = text.get(start..)?;
        let end = candidate.find(|c: char| c.is_whitespace() || "<>\"".contains(c) || c.is_control());
        let whole = candidate.get(..end.unwrap_or(candidate.len()))?;
        let address = whole.trim_end_matches(|c: char| !c.is_alphanumeric() && !"/=&#%-".contains(c));
        if target(address).is_some() {
            return Some((start, start + address.len()));
        }
        from = start + 4;
    }
}

fn length_of_scheme(address: &str) -> Option<usize> {
    let schemes = ["https://", "http://"];
    schemes
        .into_iter()
        .find(|scheme| address.starts_with(scheme))
        .map(str::len)
}

/// The same address without the signs that would end a link, or an emphasis around it.
fn encoded(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    let mut before = ' ';
    for c in address.chars() {
        match c {
            '*' => out.push_str("%2A"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            '\\' => out.push_str("%5C"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '"' => out.push_str("%22"),
            '~' if before == '~' => out.push_str("%7E"),
            // so that no name of everybody stands in it
            '@' => out.push_str("%40"),
            c => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_texts() {
        for (text, expected) in [
            ("see https://x.org/a_b, and", Some("https://x.org/a_b")),
            ("(http://x.org)", Some("http://x.org")),
            ("**http://x.org**", Some("http://x.org")),
            ("xhttp://x.org/?a=b#c.", Some("http://x.org/?a=b#c")),
            ("http https: http://, https://y.org", Some("https://y.org")),
            ("ftp://x.org javascript:x", None),
            ("http://", None),
        ] {
            let found = find(text).and_then(|(start, end)| text.get(start..end));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_linked() {
        for good in ["https://x.org", "http://[::1]/", "http://ä.org/?q=1"] {
            assert!(target(good).is_some(), "{good}");
        }
        let long = format!("https://x.org/{}", "y".repeat(500));
        for odd in [
            "",
            "x.org",
            "javascript:x",
            "https:///x",
            "https://a b",
            "discord://x",
            "HTTPS://x.org",
            long.as_str(),
        ] {
            assert_eq!(target(odd), None, "{odd}");
        }
        assert_eq!(
            target("https://x.org/(a)~~*|").as_deref(),
            Some("https://x.org/%28a%29~%7E%2A%7C")
        );
        assert!(shown(&long).chars().count() < 200);
        assert_eq!(shown("mailto:a@b.org"), "a@b.org");
    }
}
