//! Every key of `bot.toml`, and what may stand behind it.

use config::{Value, ValueKind};
use tertulia_message::Level;

/// A key. A `*` in its path stands for a name that the operator chooses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// Its place, e.g. `server.port`.
    pub(crate) path: &'static str,
    /// What may stand there.
    pub(crate) shape: Shape,
}

/// What may stand behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A text.
    Text,
    /// An address, which may have a password in it.
    Url,
    /// The name of a file.
    File,
    /// `true` or `false`.
    Flag,
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A list of texts.
    Texts,
    /// The word for a level.
    Level,
    /// A secret: only from the environment, never from the file.
    Secret,
}

/// What stands behind a key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Given {
    /// A text, an address, a file name, a level, a secret.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// Yes or no.
    Flag(bool),
    /// A list.
    Texts(Vec<String>),
}

const fn key(path: &'static str, shape: Shape) -> Key {
    Key { path, shape }
}

const DAY: u64 = 24 * 3600;

/// The keys.
const KEYS: &[Key] = &[
    key("server.bind", Shape::Text),
    key("server.port", Shape::Whole(0, 65_535)),
    key("server.token_file", Shape::File),
    key("server.token", Shape::Secret),
    key("server.hosts", Shape::Texts),
    key("server.origins", Shape::Texts),
    key("server.max_connections", Shape::Whole(1, 100_000)),
    key("interfaces.*.kind", Shape::Text),
    key("interfaces.*.enabled", Shape::Flag),
    key("interfaces.*.token_file", Shape::File),
    key("interfaces.*.token", Shape::Secret),
    key("interfaces.*.base_url", Shape::Url),
    key("interfaces.*.stream", Shape::Text),
    key("interfaces.*.always_on", Shape::Texts),
    key("interfaces.*.largest_file_mb", Shape::Whole(1, 2_000)),
    key("providers.*.kind", Shape::Text),
    key("providers.*.model", Shape::Text),
    key("providers.*.base_url", Shape::Url),
    key("providers.*.api_key_file", Shape::File),
    key("providers.*.api_key", Shape::Secret),
    key("providers.*.num_ctx", Shape::Whole(256, 10_000_000)),
    key("providers.*.keep_alive", Shape::Text),
    key("providers.*.pause_ms", Shape::Whole(0, 10_000)),
    key("providers.*.timeouts.connect", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.first_byte", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.idle", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.total", Shape::Whole(1, DAY)),
    key("providers.*.capabilities.supports_conversation", Shape::Flag),
    key("providers.*.capabilities.supports_system_messages", Shape::Flag),
    key("providers.*.capabilities.supports_tool_calls", Shape::Flag),
    key("providers.*.capabilities.supports_vision", Shape::Flag),
    key("providers.*.capabilities.supports_thinking", Shape::Flag),
    key(
        "providers.*.capabilities.max_context_length",
        Shape::Whole(256, 100_000_000),
    ),
    key("providers.*.models.*.supports_conversation", Shape::Flag),
    key("providers.*.models.*.supports_system_messages", Shape::Flag),
    key("providers.*.models.*.supports_tool_calls", Shape::Flag),
    key("providers.*.models.*.supports_vision", Shape::Flag),
    key("providers.*.models.*.supports_thinking", Shape::Flag),
    key(
        "providers.*.models.*.max_context_length",
        Shape::Whole(256, 100_000_000),
    ),
    key("personas.*.provider", Shape::Text),
    key("personas.*.model", Shape::Text),
    key("personas.*.system", Shape::Text),
    key("access.admins", Shape::Texts),
    key("access.trusted", Shape::Texts),
    key("access.users", Shape::Texts),
    key("access.chats.*", Shape::Level),
    key("access.interfaces.*", Shape::Level),
    key("tools.enabled", Shape::Texts),
    key("store.directory", Shape::File),
    key("log.format", Shape::Text),
    key("log.level", Shape::Text),
    key("limits.queue", Shape::Whole(1, 10_000)),
    key("limits.answer_bytes", Shape::Whole(1_024, 64 << 20)),
    key("limits.rounds", Shape::Whole(1, 100)),
    key("limits.history_entries", Shape::Whole(1, 10_000)),
    key("limits.passing_requests", Shape::Whole(1, 100_000)),
    key("limits.conversations", Shape::Whole(1, 100_000)),
];

/// Keys of the platform that only tests use.
const LOOPBACK_KEYS: &[Key] = &[
    key("interfaces.*.progress", Shape::Text),
    key("interfaces.*.deadline_ms", Shape::Whole(1, 3_600_000)),
];

/// Sections that the design has and this version does not.
pub(crate) const LATER_SECTIONS: &[&str] = &["mcp"];

/// Every key of this build.
pub(crate) fn keys() -> impl Iterator<Item = &'static Key> {
    let loopback = if cfg!(feature = "loopback") { LOOPBACK_KEYS } else { &[] };
    KEYS.iter().chain(loopback)
}

impl Key {
    /// Its path by segments.
    pub(crate) fn segments(&self) -> std::str::Split<'static, char> {
        self.path.split('.')
    }

    /// True if a path begins this key's path, or is it.
    pub(crate) fn begins_with(&self, path: &[String]) -> bool {
        let mut segments = self.segments();
        path.iter()
            .all(|name| segments.next().is_some_and(|segment| segment == "*" || segment == name))
    }
}

impl Shape {
    /// Reads a value; texts of the environment become what is wanted.
    ///
    /// # Errors
    /// What the value must be, without the value.
    pub(crate) fn read(self, value: &Value, from_environment: bool) -> Result<Given, String> {
        let wrong = || format!("must be {}, not {}", self.words(), word(&value.kind));
        match (self, &value.kind) {
            (Self::Level, ValueKind::String(text)) if level(text).is_none() => Err(format!("must be {}", self.words())),
            (Self::Secret, _) if !from_environment => {
                Err("is a secret, which has no place in this file: put it into a file of its own".to_owned())
            }
            (Self::Text | Self::Url | Self::File | Self::Level | Self::Secret, ValueKind::String(text)) => {
                Ok(Given::Text(text.clone()))
            }
            (Self::Flag, ValueKind::Boolean(flag)) => Ok(Given::Flag(*flag)),
            (Self::Flag, ValueKind::String(text)) if from_environment => match text.as_str() {
                "true" => Ok(Given::Flag(true)),
                "false" => Ok(Given::Flag(false)),
                _ => Err(wrong()),
            },
            (Self::Whole(least, most), kind) => whole(kind, from_environment)
                .map(|number| number.filter(|number| (least..=most).contains(number)))
                .ok_or_else(wrong)?
                .map(Given::Whole)
                .ok_or_else(|| format!("must be {}", self.words())),
            (Self::Texts, ValueKind::String(text)) if from_environment => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Given::Texts(items.map(str::to_owned).collect()))
            }
            (Self::Texts, ValueKind::Array(items)) => items
                .iter()
                .map(|item| match &item.kind {
                    ValueKind::String(text) => Ok(text.clone()),
                    kind => Err(format!(
                        "must be {} in quotation marks, and lists {}",
                        self.words(),
                        word(kind)
                    )),
                })
                .collect::<Result<_, _>>()
                .map(Given::Texts),
            _ => Err(wrong()),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Text | Self::Secret => "a text".to_owned(),
            Self::Url => "an address (a text)".to_owned(),
            Self::File => "a file name (a text)".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Texts => "a list of texts".to_owned(),
            Self::Level => "guest, user, trusted or admin".to_owned(),
        }
    }
}

/// The level for a word.
pub(crate) fn level(word: &str) -> Option<Level> {
    [Level::Guest, Level::User, Level::Trusted, Level::Admin]
        .into_iter()
        .find(|level| level.as_str() == word)
}

/// `None` if it is no whole number at all, `Some(None)` if it is a negative one.
#[expect(clippy::option_option, reason = "two kinds of wrong, told apart once and at once")]
fn whole(kind: &ValueKind, from_environment: bool) -> Option<Option<u64>> {
    match kind {
        ValueKind::I64(number) => Some(u64::try_from(*number).ok()),
        ValueKind::String(text) if from_environment => Some(text.trim().parse().ok()),
        _ => None,
    }
}

fn word(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Nil => "nothing",
        ValueKind::Boolean(_) => "true or false",
        ValueKind::I64(_) | ValueKind::I128(_) | ValueKind::U64(_) | ValueKind::U128(_) => "a number",
        ValueKind::Float(_) => "a number with a fraction",
        ValueKind::String(_) => "a text",
        ValueKind::Table(_) => "a section",
        ValueKind::Array(_) => "a list",
    }
}

#[cfg(test)]
mod tests;
