//! What is an address of a provider, and which addresses a key should not be sent to.

use reqwest::Url;

/// What requests go to, below the address that is configured.
const ENDPOINTS: [&str; 5] = [
    "/chat/completions",
    "/responses",
    "/v1/messages",
    "/api/chat",
    "/api/generate",
];

/// What is wrong with the address of a provider, if something is; to stand behind the name of its setting.
pub(crate) fn problem(address: &str) -> Option<String> {
    let url = Url::parse(address).ok();
    let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) else {
        return Some("must be an http or https address such as http://127.0.0.1:11434/v1".to_owned());
    };
    let path = url.path().trim_end_matches('/');
    let endpoint = ENDPOINTS.into_iter().find(|endpoint| path.ends_with(endpoint))?;
    Some(format!("must end in front of {endpoint}, which is put behind it"))
}
