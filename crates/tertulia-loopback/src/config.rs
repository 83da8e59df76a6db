//! The section of `bot.toml` for an interface of `kind = "loopback"`.

use std::time::Duration;

use serde::Deserialize;

use crate::error::Error;

/// How to reach the platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the platform listens: `http://host:port`, without a path.
    pub base_url: String,
    /// How an answer in the making is shown.
    #[serde(default)]
    pub progress: ShownProgress,
    /// The longest time for one call, in milliseconds; 5000 if absent.
    #[serde(default = "five_seconds")]
    pub deadline_ms: u64,
}

fn five_seconds() -> u64 {
    5_000
}

/// How an answer in the making is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownProgress {
    /// A message is posted early and edited.
    #[default]
    Edit,
    /// Only the finished answer is posted.
    Hidden,
}

impl Config {
    /// The platform at an address, with everything else as it is when absent.
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            progress: ShownProgress::default(),
            deadline_ms: five_seconds(),
        }
    }

    /// The address without a final slash. It may hold a password, so no error repeats it.
    pub(crate) fn base(&self) -> Result<String, Error> {
        let host = self.base_url.strip_prefix("http://").ok_or(Error::BaseUrl)?;
        let host = host.trim_end_matches('/');
        if host.is_empty() || host.contains(['/', '?', '#']) || host.contains(char::is_whitespace) {
            return Err(Error::BaseUrl);
        }
        Ok(format!("http://{host}"))
    }

    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_http_address_is_taken() {
        assert_eq!(
            Config::at("http://127.0.0.1:80/").base().unwrap(),
            "http://127.0.0.1:80"
        );
        for wrong in ["", "http://", "https://a", "127.0.0.1:80", "http://a/b", "http://a b"] {
            assert!(Config::at(wrong).base().is_err(), "{wrong}");
        }
    }

    #[test]
    fn reads_its_keys_and_no_others() {
        let config: Config = serde_json::from_str(r#"{"base_url":"http://a","progress":"hidden"}"#).unwrap();
        assert_eq!(config.progress, ShownProgress::Hidden);
        assert_eq!(config.deadline(), Duration::from_secs(5));
        assert!(serde_json::from_str::<Config>(r#"{"base_url":"http://a","token":"x"}"#).is_err());
    }
}
