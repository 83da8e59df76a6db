//! The line to Telegram: what its failures mean, how long to wait, and what is said of it, once.

use std::time::Duration;

use tertulia_interface::{Inlet, ListenError};
use tokio::time::Instant;

use crate::error::CallError;
use tertulia_interface::backoff::{Backoff, about};

const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Telegram keeps what nobody fetched for a day.
const KEPT: Duration = Duration::from_hours(24);

/// The line of one interface.
pub(super) struct Line<'a> {
    name: &'a str,
    inlet: &'a Inlet,
    backoff: Backoff,
    trouble: Option<Trouble>,
    reached_at: Option<Instant>,
}

/// Why a call of the listener failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// Telegram does not answer, or not as it should.
    Away,
    /// Another program asks for this bot's messages.
    OtherPoller,
    /// This bot's messages go to a web address.
    Webhook,
}

/// What to do after a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    /// A new try would not help.
    Stop(String),
    /// Telegram says how long.
    Wait(Duration),
    /// Again later.
    Again(Trouble),
}

impl<'a> Line<'a> {
    pub(super) fn new(name: &'a str, inlet: &'a Inlet) -> Self {
        Self {
            name,
            inlet,
            backoff: Backoff::up_to(LONGEST_PAUSE),
            trouble: None,
            reached_at: None,
        }
    }

    /// Calls until it succeeds; only a refusal of ourselves ends it.
    pub(super) async fn call<T, F: Future<Output = Result<T, CallError>>>(
        &mut self,
        mut call: impl FnMut() -> F,
    ) -> Result<T, ListenError> {
        loop {
            let error = match call().await {
                Ok(answer) => {
                    self.answered();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            match next(&error, self.reached_at.is_none()) {
                Next::Stop(why) => return Err(ListenError::Refused(why)),
                Next::Wait(after) => self.wait(after).await,
                Next::Again(trouble) => self.failed(trouble, &error).await,
            }
        }
    }

    fn answered(&mut self) {
        let now = Instant::now();
        if self.trouble.take().is_some() {
            tracing::info!(interface = self.name, "Telegram is reached again");
            if self.reached_at.is_some_and(|at| now.duration_since(at) > KEPT) {
                warn_of_loss(self.name);
            }
        }
        self.reached_at = Some(now);
        self.backoff.reset();
        self.inlet.reached(self.name, true);
    }

    /// Short waits are nothing to tell about.
    async fn wait(&mut self, after: Duration) {
        if after > LONGEST_PAUSE {
            tracing::warn!(
                interface = self.name,
                ?after,
                "Telegram wants no calls of this bot for so long"
            );
            self.trouble = Some(Trouble::Away);
            self.inlet.reached(self.name, false);
        }
        tokio::time::sleep(after).await;
    }

    async fn failed(&mut self, trouble: Trouble, error: &CallError) {
        if self.trouble.replace(trouble) == Some(trouble) {
            tracing::debug!(interface = self.name, %error, "Telegram is still not reached");
        } else {
            tracing::warn!(interface = self.name, %error, "{}", trouble.told());
        }
        self.inlet.reached(self.name, false);
        match trouble {
            Trouble::Away => self.backoff.wait().await,
            // two programs that take turns at once would take each other's messages
            Trouble::OtherPoller | Trouble::Webhook => about(LONGEST_PAUSE).await,
        }
    }
}

/// Says that messages may be missing.
pub(super) fn warn_of_loss(interface: &str) {
    tracing::warn!(
        interface,
        "nobody asked Telegram for messages for more than a day: it keeps them no longer, so some may be lost"
    );
}

impl Trouble {
    fn told(self) -> &'static str {
        match self {
            Self::Away => "Telegram is not reached; trying again until it is",
            Self::OtherPoller => {
                "another program fetches this bot's messages with the same token: stop it, or give this one a bot of its own"
            }
            Self::Webhook => {
                "a webhook is set for this bot, so that its messages go elsewhere: remove it by calling deleteWebhook"
            }
        }
    }
}

/// What a failure means. An answer without Telegram's words is not Telegram's, so it says nothing about the token; nor does a
/// 404 once the token was good.
fn next(error: &CallError, is_first: bool) -> Next {
    match error {
        CallError::RateLimited(after) => Next::Wait(*after),
        CallError::Refused { code, description } if !description.is_empty() => match code {
            401 => refused(description),
            404 if is_first => refused(description),
            409 if description.contains("webhook") => Next::Again(Trouble::Webhook),
            409 => Next::Again(Trouble::OtherPoller),
            _ => Next::Again(Trouble::Away),
        },
        _ => Next::Again(Trouble::Away),
    }
}

fn refused(description: &str) -> Next {
    Next::Stop(format!(
        "Telegram does not know the token ({description}): it is wrong or was revoked; @BotFather gives the right one"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_token_ends_it() {
        let refused = |code, description: &str| CallError::Refused {
            code,
            description: description.to_owned(),
        };
        let again = |error, trouble| {
            for is_first in [true, false] {
                assert_eq!(next(&error, is_first), Next::Again(trouble), "{error}");
            }
        };
        assert!(matches!(next(&refused(401, "Unauthorized"), true), Next::Stop(_)));
        assert!(matches!(next(&refused(401, "Unauthorized"), false), Next::Stop(_)));
        assert!(matches!(next(&refused(404, "Not Found"), true), Next::Stop(_)));
        assert_eq!(next(&refused(404, "Not Found"), false), Next::Again(Trouble::Away));
        again(refused(401, ""), Trouble::Away);
        again(refused(404, ""), Trouble::Away);
        again(refused(400, "Logged out"), Trouble::Away);
        again(
            refused(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
            ),
            Trouble::OtherPoller,
        );
        again(
            refused(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            ),
            Trouble::Webhook,
        );
        again(CallError::NotSent("no connection".into()), Trouble::Away);
        again(CallError::Unknown("status 502".into()), Trouble::Away);
        again(CallError::Moved(1), Trouble::Away);
        let limited = CallError::RateLimited(Duration::from_secs(7));
        assert_eq!(next(&limited, false), Next::Wait(Duration::from_secs(7)));
    }
}
