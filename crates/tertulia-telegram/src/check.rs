//! Whether a bot can do its work, for an operator who asks; nothing is changed by asking.

use serde::Deserialize;
use teloxide::payloads::{GetMe, GetWebhookInfo};

use crate::error::CallError;
use crate::telegram::Telegram;

/// What Telegram says about a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its name without the `@`.
    pub username: String,
    /// False while privacy mode is on: then it hears in groups only what is said to it, unless it is an administrator there.
    pub hears_groups: bool,
    /// True if private chats with it have topics.
    pub has_topics: bool,
    /// True if somebody gets its messages by a webhook; then nobody can poll for them.
    pub has_webhook: bool,
}

/// Why a bot could not be asked about. No text holds the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// There is no bot with this token.
    #[error("the token is not accepted")]
    Token,
    /// Nothing that speaks the Bot API answers, or it does not answer now.
    #[error("{0}")]
    Unreachable(String),
}

/// The part of the answer of `getMe` that matters here.
#[derive(Deserialize)]
struct Bot {
    #[serde(default)]
    username: String,
    #[serde(default)]
    can_read_all_group_messages: bool,
    #[serde(default)]
    has_topics_enabled: bool,
}

/// The part of the answer of `getWebhookInfo` that matters here.
#[derive(Deserialize)]
struct Webhook {
    #[serde(default)]
    url: String,
}

impl Telegram {
    /// Asks Telegram about the bot, by two calls; each gives up after fifteen seconds.
    ///
    /// # Errors
    /// The token is wrong, or nobody answers.
    pub async fn check(&self) -> Result<Report, CheckError> {
        let bot: Bot = self.api.call(&GetMe::new()).await?;
        let webhook: Webhook = self.api.call(&GetWebhookInfo::new()).await?;
        Ok(Report {
            username: bot.username,
            hears_groups: bot.can_read_all_group_messages,
            has_topics: bot.has_topics_enabled,
            has_webhook: !webhook.url.is_empty(),
        })
    }
}

impl From<CallError> for CheckError {
    fn from(error: CallError) -> Self {
        match error {
            // a bot that was deleted, and one that never was
            CallError::Refused { code: 401 | 404, .. } => Self::Token,
            other => Self::Unreachable(other.to_string()),
        }
    }
}
