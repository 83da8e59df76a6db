//! Every key of `bot.toml`, and what may stand behind it.

mod keys;

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
    /// A number from 0 to this.
    Number(u32),
    /// A list of texts.
    Texts,
    /// A list of texts, or one alone.
    Words,
    /// The word for a level.
    Level,
    /// A secret: only from the environment, never from the file.
    Secret,
}

/// What stands behind a key.
#[derive(Clone, PartialEq)]
pub(crate) enum Given {
    /// A text, an address, a file name, a level, a secret.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// A list.
    Texts(Vec<String>),
}

/// Sections that the design has and this version does not.
pub(crate) const LATER_SECTIONS: &[&str] = &["mcp"];

/// Every key of this build.
pub(crate) fn keys() -> impl Iterator<Item = &'static Key> {
    let loopback = if cfg!(feature = "loopback") {
        keys::LOOPBACK
    } else {
        &[]
    };
    keys::ALL.iter().chain(loopback)
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
            (Self::Number(most), kind) => number(kind, from_environment)
                .ok_or_else(wrong)?
                .filter(|number| (0.0..=f64::from(most)).contains(number))
                .map(Given::Number)
                .ok_or_else(|| format!("must be {}", self.words())),
            (Self::Texts | Self::Words, ValueKind::String(text)) if from_environment => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Given::Texts(items.map(str::to_owned).collect()))
            }
            (Self::Words, ValueKind::String(text)) => Ok(Given::Texts(vec![text.clone()])),
            (Self::Texts | Self::Words, ValueKind::Array(items)) => items
                .iter()
                .map(|item| match &item.kind {
                    ValueKind::String(text) => Ok(text.clone()),
                    kind => Err(format!(
                        "must be {} in quotation marks, and lists {}",
                        Self::Texts.words(),
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
            Self::Number(most) => format!("a number from 0 to {most}"),
            Self::Texts => "a list of texts".to_owned(),
            Self::Words => "a text or a list of texts".to_owned(),
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

/// `None` if it is no number at all, `Some(None)` if it is a text of the environment that is none.
#[expect(clippy::option_option, reason = "two kinds of wrong, told apart once and at once")]
fn number(kind: &ValueKind, from_environment: bool) -> Option<Option<f64>> {
    match kind {
        ValueKind::Float(number) => Some(Some(*number)),
        ValueKind::I64(number) => Some(i32::try_from(*number).ok().map(f64::from)),
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
