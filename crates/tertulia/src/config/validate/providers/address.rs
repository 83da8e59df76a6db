//! What is an address of a provider, and which addresses a key should not be sent to.

use reqwest::Url;

/// What is wrong with the address of a provider, if something is; to stand behind the name of its setting.
pub(crate) fn problem(address: &str) -> Option<&'static str> {
    let is_address = Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    (!is_address).then_some("must be an http or https address such as http://127.0.0.1:11434/v1")
}
