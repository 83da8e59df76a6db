//! What a homeserver's refusal means: for the daemon, for the account, or for the one call.

use std::time::Duration;

use tertulia_message::{DeliverError, RateScope};

use crate::fields::Fields;

/// How long we wait where the server does not say.
const USUAL_WAIT: Duration = Duration::from_secs(5);
/// Longer waits are cut: then the server is asked again.
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// Longer words of a server are cut, in characters.
const LONGEST_WORDS: usize = 200;

/// What follows from an answer that is no success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The delivery failed.
    Failed(DeliverError),
    /// The token is no longer one: nothing can be sent or heard until somebody gives another. Logging in anew by oneself
    /// would lose the device, and the server takes few logins.
    DeadToken,
    /// The server does not take what the message relates to: what remains is to send it without that relation.
    Relation,
    /// What was asked for is already so.
    Done,
}

/// An answer of a server, or of something before it, that is no success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The `Retry-After` header, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// The body.
    pub(crate) body: &'a str,
}

impl Answer<'_> {
    /// What follows from it.
    ///
    /// Only the server's own words may give up a conversation or an account: what stands before a server says 403 and 404 too.
    #[must_use]
    pub(crate) fn refusal(&self) -> Refusal {
        let fields = Fields::read(self.body).unwrap_or_default();
        let code = fields.text("errcode").unwrap_or_default();
        let words = words(&fields, self.status);
        let failed = match (self.status, code.as_str()) {
            (401, _) | (403, "M_USER_DEACTIVATED") if !code.is_empty() => return Refusal::DeadToken,
            (_, "M_DUPLICATE_ANNOTATION") => return Refusal::Done,
            (400, "M_UNKNOWN") if words.to_ascii_lowercase().contains("relation") => return Refusal::Relation,
            (429, _) | (_, "M_LIMIT_EXCEEDED") => DeliverError::RateLimited {
                after: self.wait(&fields),
                // the server counts what an account sends, wherever it sends it
                scope: RateScope::Account,
            },
            (413, _) | (_, "M_TOO_LARGE") => DeliverError::TooLong,
            (403, "M_FORBIDDEN" | "M_GUEST_ACCESS_FORBIDDEN") => DeliverError::Refused(words),
            (400..=499, code) if !code.is_empty() => DeliverError::Malformed(words),
            (400..=499, _) => DeliverError::Lost(words),
            _ => DeliverError::Unsure(words),
        };
        Refusal::Failed(failed)
    }

    fn wait(&self, fields: &Fields<'_>) -> Duration {
        let millis = fields
            .number("retry_after_ms")
            .and_then(|millis| u64::try_from(millis).ok());
        let told = millis
            .map(Duration::from_millis)
            .or_else(|| self.retry_after.map(Duration::from_secs));
        told.unwrap_or(USUAL_WAIT).min(LONGEST_WAIT)
    }
}

/// The server's words, for operators.
fn words(fields: &Fields<'_>, status: u16) -> String {
    let text = [fields.text("errcode"), fields.text("error")]
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(": ");
    let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST_WORDS).collect();
    format!("{status} {text}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, expected: &Refusal) {
        let answer = Answer {
            status,
            retry_after: None,
            body,
        };
        assert_eq!(&answer.refusal(), expected, "{status} {body}");
    }

    fn limited(answer: &Answer<'_>) -> Duration {
        match answer.refusal() {
            Refusal::Failed(DeliverError::RateLimited {
                after,
                scope: RateScope::Account,
            }) => after,
            other => panic!("not limited: {other:?}"),
        }
    }

    #[test]
    fn refusals_are_told_apart_by_the_server_s_own_words() {
        let failed = Refusal::Failed;
        let dead = r#"{"errcode":"M_UNKNOWN_TOKEN","error":"Invalid access token passed.","soft_logout":false}"#;
        check(401, dead, &Refusal::DeadToken);
        check(401, r#"{"errcode":"M_MISSING_TOKEN"}"#, &Refusal::DeadToken);
        check(403, r#"{"errcode":"M_USER_DEACTIVATED"}"#, &Refusal::DeadToken);
        check(401, "<html>", &failed(DeliverError::Lost("401".into())));
        let muted = r#"{"errcode":"M_FORBIDDEN","error":"user_level (0) < send_level (50)"}"#;
        let why = "403 M_FORBIDDEN: user_level (0) < send_level (50)";
        check(403, muted, &failed(DeliverError::Refused(why.into())));
        check(403, "", &failed(DeliverError::Lost("403".into())));
        check(404, "not here", &failed(DeliverError::Lost("404".into())));
        check(
            404,
            r#"{"errcode":"M_UNRECOGNIZED"}"#,
            &failed(DeliverError::Malformed("404 M_UNRECOGNIZED".into())),
        );
        check(
            413,
            r#"{"errcode":"M_TOO_LARGE","error":"event too large"}"#,
            &failed(DeliverError::TooLong),
        );
        check(413, "<html>", &failed(DeliverError::TooLong));
        check(400, r#"{"errcode":"M_DUPLICATE_ANNOTATION"}"#, &Refusal::Done);
        let root = r#"{"errcode":"M_UNKNOWN","error":"Cannot start threads from an event with a relation"}"#;
        check(400, root, &Refusal::Relation);
        check(
            400,
            r#"{"errcode":"M_UNKNOWN","error":"Can't send relation to unknown event"}"#,
            &Refusal::Relation,
        );
        check(
            400,
            r#"{"errcode":"M_BAD_JSON"}"#,
            &failed(DeliverError::Malformed("400 M_BAD_JSON".into())),
        );
        check(
            500,
            r#"{"errcode":"M_UNKNOWN"}"#,
            &failed(DeliverError::Unsure("500 M_UNKNOWN".into())),
        );
        check(502, "<html>", &failed(DeliverError::Unsure("502".into())));
    }

    #[test]
    fn waits_are_the_server_s_within_an_hour() {
        let answer = |retry_after, body| Answer {
            status: 429,
            retry_after,
            body,
        };
        let exact = r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4873}"#;
        assert_eq!(limited(&answer(Some(5), exact)), Duration::from_millis(4873));
        assert_eq!(limited(&answer(Some(7), "{}")), Duration::from_secs(7));
        assert_eq!(limited(&answer(None, "")), USUAL_WAIT);
        let long = r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":99999999999}"#;
        assert_eq!(limited(&answer(None, long)), LONGEST_WAIT);
        assert_eq!(limited(&answer(None, r#"{"retry_after_ms":-1}"#)), USUAL_WAIT);
    }
}
