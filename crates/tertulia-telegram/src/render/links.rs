//! Which addresses Telegram takes for links; one that it does not take would make it refuse the whole message.

use reqwest::Url;

/// Longer addresses are shown instead of linked, in bytes.
const LONGEST: usize = 2048;

/// An address that a link may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target(pub(super) Url);

/// The target of a link; none if it has to be shown.
pub(super) fn target(address: &str) -> Option<Target> {
    if address.len() > LONGEST {
        return None;
    }
    let url = Url::parse(address).ok()?;
    let is_usable = match url.scheme() {
        "http" | "https" => is_web(&url),
        "tg" => is_action(&url),
        // of mailto Telegram makes a web address
        _ => false,
    };
    is_usable.then_some(Target(url))
}

/// The target that mentions a person; none if the id is not one of a person.
pub(super) fn person(id: &str) -> Option<Target> {
    let id: i64 = id.parse().ok().filter(|id| *id > 0)?;
    Url::parse(&format!("tg://user?id={id}")).ok().map(Target)
}

/// The address of mail that a link names.
pub(super) fn mail(address: &str) -> &str {
    address.strip_prefix("mailto:").unwrap_or(address)
}

fn is_web(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_!$,~*'();&+=".contains(c);
    let is_address = host.starts_with('[');
    host != "." && url.port() != Some(0) && (is_address || host.chars().all(is_plain))
}

/// An action of Telegram's clients. Mentions are not among them: an id that the bot does not know is refused, and only the
/// program says whom it mentions.
fn is_action(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let is_name = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name
        && !host.eq_ignore_ascii_case("user")
        && matches!(url.path(), "" | "/")
        && url.port().is_none()
        && url.username().is_empty()
}
