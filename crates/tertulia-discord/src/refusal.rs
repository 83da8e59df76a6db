//! What an answer of the API that is no success means: for the delivery, for the account, or for the way it was asked.

use std::time::Duration;

use tertulia_message::{DeliverError, RateScope};

use crate::fields::Fields;

/// How long we wait where Discord does not say.
const USUAL_WAIT: Duration = Duration::from_secs(5);
/// How long we wait when we are kept out by what stands before Discord.
const BANNED_WAIT: Duration = Duration::from_mins(10);
/// Longer waits are cut: then Discord is asked again.
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// Longer words are cut, in characters.
const LONGEST_WORDS: usize = 200;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A new message.
    Post,
    /// A new content of a message.
    Edit,
    /// That a message be deleted.
    Delete,
    /// To answer an interaction by its token, or to change that answer.
    Interaction,
    /// To read something.
    Read,
}

/// What follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The delivery failed.
    Failed(DeliverError),
    /// The token is none any more: nothing more is asked, since each further question is one step to being kept out.
    DeadToken,
    /// What stands before Discord keeps this computer out: nothing is asked for so long.
    Banned(Duration),
    /// What was asked for is already so.
    Done,
    /// The message cannot be shown as a reply to that one: what remains is to send it alone.
    Reference,
    /// The thread is put away: a new message wakes it up, an edit does not.
    Archived(String),
    /// The interaction can no longer be answered by its token: what remains is a plain message.
    Expired,
    /// The interaction was answered before: what remains is to change that answer.
    Answered,
}

/// Whom a rate limit is about, by `X-RateLimit-Scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The bot itself, in one conversation or server.
    User,
    /// The bot itself, everywhere.
    Global,
    /// Everybody in that conversation: it does not count against us.
    Shared,
}

impl Scope {
    /// Reads the header.
    #[must_use]
    pub fn read(header: &str) -> Option<Self> {
        match header {
            "user" => Some(Self::User),
            "global" => Some(Self::Global),
            "shared" => Some(Self::Shared),
            _ => None,
        }
    }
}

/// An answer of Discord, or of what stands before it, that is no success.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The header `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// The header `X-RateLimit-Scope`.
    pub scope: Option<Scope>,
    /// The body.
    pub body: &'a str,
}

impl Answer<'_> {
    /// What follows from it.
    #[must_use]
    pub fn refusal(&self, asked: Asked) -> Refusal {
        let fields = Fields::read(self.body).unwrap_or_default();
        let words = words(&fields, self.status);
        // Discord itself speaks JSON
        let is_discord = fields.has("code") || fields.has("message");
        let code = fields.number("code").unwrap_or(0);
        if let Some(refusal) = self.by_code(code, asked, &fields, &words) {
            return refusal;
        }
        let failed = match self.status {
            401 => return Refusal::DeadToken,
            429 | 403 if !is_discord => return Refusal::Banned(self.wait(&fields).max(BANNED_WAIT)),
            429 => self.limited(&fields),
            // nothing but files makes a request so large
            413 => DeliverError::Malformed(words),
            403 => DeliverError::Refused(words),
            404 if asked == Asked::Delete && is_discord => return Refusal::Done,
            400..=499 if is_discord => DeliverError::Malformed(words),
            400..=499 => DeliverError::Lost(words),
            _ => DeliverError::Unsure(words),
        };
        Refusal::Failed(failed)
    }

    /// True if it counts against the ten thousand of ten minutes, after which this computer is kept out.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        matches!(self.status, 401 | 403) || (self.status == 429 && self.scope != Some(Scope::Shared))
    }

    fn by_code(&self, code: u64, asked: Asked, fields: &Fields<'_>, words: &str) -> Option<Refusal> {
        let words = || words.to_owned();
        let failed = match code {
            // no such interaction, no such webhook, its token is none
            10_062 | 10_015 | 50_027 => return Some(Refusal::Expired),
            40_060 => return Some(Refusal::Answered),
            50_083 if asked == Asked::Edit => return Some(Refusal::Archived(words())),
            // the message that is answered may not be read, or is gone
            160_002 => return Some(Refusal::Reference),
            10_008 => match asked {
                Asked::Delete => return Some(Refusal::Done),
                Asked::Post => return Some(Refusal::Reference),
                Asked::Interaction => return Some(Refusal::Expired),
                Asked::Edit | Asked::Read => DeliverError::Missing(words()),
            },
            // somebody else's, one that Discord wrote, or older than an hour and edited too often
            50_005 | 50_021 | 30_046 => DeliverError::Missing(words()),
            // no such channel, no such server
            10_003 | 10_004 => DeliverError::Gone(words()),
            // no access, no permission, closed to us, nothing to write in, locked, too many threads, put away
            50_001 | 50_013 | 50_007 | 50_008 | 50_009 | 50_024 | 50_083 | 160_005 | 160_006 | 40_001 | 40_007 => {
                DeliverError::Refused(words())
            }
            // how often one may write somewhere, or edit
            20_016 | 20_022 | 20_028 | 20_029 | 40_062 => self.limited(fields),
            130_000 => DeliverError::Lost(words()),
            40_333 => return Some(Refusal::Banned(BANNED_WAIT)),
            50_035 => return Some(Self::by_field(fields, &words())),
            _ => return None,
        };
        Some(Refusal::Failed(failed))
    }

    /// Which of the fields of a form is not taken.
    fn by_field(fields: &Fields<'_>, words: &str) -> Refusal {
        let errors = fields.object("errors");
        let content = errors.object("content").objects("_errors");
        let is_too_long = content.iter().any(|error| error.text("code") == "BASE_TYPE_MAX_LENGTH");
        if is_too_long {
            return Refusal::Failed(DeliverError::TooLong);
        }
        if errors.has("message_reference") {
            return Refusal::Reference;
        }
        let names: Vec<String> = errors.entries().into_iter().map(|(name, _)| name).collect();
        Refusal::Failed(DeliverError::Malformed(format!("{words} ({})", names.join(", "))))
    }

    fn limited(&self, fields: &Fields<'_>) -> DeliverError {
        let is_global = fields.flag("global") || self.scope == Some(Scope::Global);
        DeliverError::RateLimited {
            after: self.wait(fields),
            scope: if is_global { RateScope::Account } else { RateScope::Path },
        }
    }

    fn wait(&self, fields: &Fields<'_>) -> Duration {
        let exact = fields
            .decimal("retry_after")
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let told = exact.or_else(|| self.retry_after.map(Duration::from_secs));
        told.unwrap_or(USUAL_WAIT).min(LONGEST_WAIT)
    }
}

/// Discord's words, for operators.
fn words(fields: &Fields<'_>, status: u16) -> String {
    let code = fields.number("code").map(|code| code.to_string());
    let text = [code, fields.word("message")]
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(": ");
    let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST_WORDS).collect();
    format!("{status} {text}").trim_end().to_owned()
}

#[cfg(test)]
mod tests;
