//! The line to the homeserver: what its failures mean, how long to wait, and what is said of it, once.

use std::time::Duration;

use tertulia_interface::{Inlet, ListenError};

use crate::call::Failure;
use tertulia_interface::backoff::Backoff;

const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The line of one interface.
pub(super) struct Line<'a> {
    name: &'a str,
    inlet: &'a Inlet,
    backoff: Backoff,
    /// True once somebody was told that the server is away.
    is_told: bool,
}

/// What to do after a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    /// A new try would not help.
    Stop(String),
    /// The server says how long.
    Wait(Duration),
    /// Again later.
    Again,
}

impl<'a> Line<'a> {
    pub(super) fn new(name: &'a str, inlet: &'a Inlet) -> Self {
        Self {
            name,
            inlet,
            backoff: Backoff::up_to(LONGEST_PAUSE),
            is_told: false,
        }
    }

    /// A call was answered as it should be.
    pub(super) fn answered(&mut self) {
        if std::mem::take(&mut self.is_told) {
            tracing::info!(interface = self.name, "the homeserver is reached again");
        }
        self.backoff.reset();
        self.inlet.reached(self.name, true);
    }

    /// A call failed: waits before the next one.
    ///
    /// # Errors
    /// A new try would not help.
    pub(super) async fn failed(&mut self, failure: &Failure) -> Result<(), ListenError> {
        match next(failure) {
            Next::Stop(why) => return Err(ListenError::Refused(why)),
            Next::Wait(after) => self.wait(after).await,
            Next::Again => {
                self.tell(failure);
                self.backoff.wait().await;
            }
        }
        Ok(())
    }

    /// Short waits are nothing to tell about.
    async fn wait(&mut self, after: Duration) {
        if after > LONGEST_PAUSE {
            tracing::warn!(
                interface = self.name,
                ?after,
                "the homeserver wants no calls of the bot for so long"
            );
            self.is_told = true;
            self.inlet.reached(self.name, false);
        }
        tokio::time::sleep(after).await;
    }

    fn tell(&mut self, failure: &Failure) {
        if std::mem::replace(&mut self.is_told, true) {
            tracing::debug!(interface = self.name, %failure, "the homeserver is still not reached");
        } else {
            tracing::warn!(interface = self.name, %failure, "the homeserver is not reached; trying again until it is");
        }
        self.inlet.reached(self.name, false);
    }
}

fn next(failure: &Failure) -> Next {
    if failure.is_dead_token() {
        return Next::Stop(format!(
            "the homeserver no longer takes the bot's token ({failure}): it was logged out, or its account was deactivated; it \
             needs a new login"
        ));
    }
    failure.wait().map_or(Next::Again, Next::Wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Answer;

    fn answered(status: u16, body: &str) -> Failure {
        let answer = Answer {
            status,
            retry_after: None,
            body,
        };
        Failure::Answered {
            status,
            code: String::new(),
            words: String::new(),
            refusal: Box::new(answer.refusal()),
        }
    }

    #[test]
    fn only_a_dead_token_ends_it() {
        let stops = |status, body| matches!(next(&answered(status, body)), Next::Stop(_));
        assert!(stops(401, r#"{"errcode":"M_UNKNOWN_TOKEN"}"#));
        assert!(stops(403, r#"{"errcode":"M_USER_DEACTIVATED"}"#));
        for (status, body) in [
            (401, "<html>"),
            (403, r#"{"errcode":"M_FORBIDDEN"}"#),
            (404, r#"{"errcode":"M_UNRECOGNIZED"}"#),
            (400, r#"{"errcode":"M_UNKNOWN"}"#),
            (500, ""),
            (502, "<html>"),
        ] {
            assert_eq!(next(&answered(status, body)), Next::Again, "{status} {body}");
        }
        assert_eq!(next(&Failure::NotSent("refused".into())), Next::Again);
        assert_eq!(next(&Failure::Unknown("reset".into())), Next::Again);
        let limited = answered(429, r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4873}"#);
        assert_eq!(next(&limited), Next::Wait(Duration::from_millis(4873)));
    }
}
