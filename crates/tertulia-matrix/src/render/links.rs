//! Which addresses a link may have: the schemes that the specification lets clients show.

/// Longer addresses are shown instead of linked, in bytes.
const LONGEST: usize = 2048;
const SCHEMES: [&str; 5] = ["https", "http", "ftp", "mailto", "magnet"];

/// True for an address that can be linked.
pub(super) fn is_link(address: &str) -> bool {
    let scheme = address
        .split_once(':')
        .map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
    let is_known = |(scheme, rest): (String, &str)| SCHEMES.contains(&scheme.as_str()) && !rest.is_empty();
    let is_clean = |c: char| !c.is_control() && !c.is_whitespace();
    address.len() <= LONGEST && address.chars().all(is_clean) && scheme.is_some_and(is_known)
}

/// What an address shows where its link has no words of its own.
pub(super) fn shown(address: &str) -> &str {
    address.strip_prefix("mailto:").unwrap_or(address)
}
