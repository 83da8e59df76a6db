//! From a row of an older bot to a line of ours.

use std::collections::{BTreeMap, HashMap};

use rusqlite::types::Value;
use sha2::{Digest, Sha256};
use tertulia_core::transaction::ImportedLine;
use tertulia_message::InterfaceName;
use tertulia_message::path::InterfacePath;

use super::moment;
use super::source::Row;
use crate::control::Line;
use crate::failure::Failure;

/// Senders that are the bot itself.
const BOT: [&str; 5] = ["bot", "assistant", "ai", "model", "chatbot"];

/// Roles that are neither people's nor the bot's.
const NEITHER: [&str; 5] = ["system", "developer", "tool", "function", "ipython"];

/// The heaviest line, in bytes of a request: so a batch has always room for one.
const HEAVIEST: usize = 512 << 10;

/// The names that somebody knows who knows the older bot.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Senders that are the bot, in lower case.
    bot: Vec<String>,
    /// New names of interfaces by old ones.
    interfaces: BTreeMap<String, String>,
}

/// Converts rows one after the other.
pub(super) struct Converter {
    names: Names,
    /// How often each line has come: of equals, each has a number of its own.
    seen: HashMap<[u8; 16], u32>,
}

impl Names {
    /// From the options `--bot-name` and `--interface-map`.
    pub(super) fn new(bot: &[String], map: &[String]) -> Result<Self, Failure> {
        let usual = BOT.iter().map(|name| (*name).to_owned());
        let given = bot.iter().map(|name| name.trim().to_lowercase());
        let mut interfaces = BTreeMap::new();
        for entry in map {
            let wrong = |problem: &str| Failure::invalid(format!("--interface-map {entry:?} {problem}"));
            let (old, new) = entry
                .split_once('=')
                .ok_or_else(|| wrong("is not of the form old=new"))?;
            InterfaceName::parse(new).map_err(|error| wrong(&format!("has no such new name: {error}")))?;
            if interfaces.insert(old.to_owned(), new.to_owned()).is_some() {
                return Err(wrong("names the same old interface twice"));
            }
        }
        Ok(Self {
            bot: usual.chain(given).collect(),
            interfaces,
        })
    }

    fn is_bot(&self, sender: &str) -> bool {
        let sender = sender.to_lowercase();
        self.bot.contains(&sender)
    }

    fn interface<'a>(&'a self, old: &'a str) -> &'a str {
        self.interfaces.get(old).map_or(old, String::as_str)
    }
}

impl Converter {
    pub(super) fn new(names: Names) -> Self {
        let seen = HashMap::new();
        Self { names, seen }
    }

    /// Converts a row, or says why it cannot.
    pub(super) fn convert(&mut self, row: &Row) -> Result<ImportedLine, String> {
        let interface = word("interface", &row.interface)?.unwrap_or_default();
        let chat = word("chat", &row.chat)?;
        let thread = word("thread", &row.thread)?;
        let text = word("text", &row.text)?.unwrap_or_default();
        if text.trim().is_empty() {
            return Err("it has no text".to_owned());
        }
        let name = self.names.interface(&interface);
        let path = InterfacePath::from_legacy(name, chat.as_deref(), thread.as_deref())
            .map_err(|error| format!("it has no valid place: {error}"))?;
        let sender = word("sender", &row.sender)?.unwrap_or_default();
        let sender = sender.trim();
        let speaker = self.speaker(sender, row.is_role)?;
        let at = moment::read(&row.timestamp)?;
        let mut line = ImportedLine {
            key: String::new(),
            path,
            speaker,
            text,
            at,
        };
        if Line::from(line.clone()).weight() > HEAVIEST {
            return Err(format!("its text is too long: {} bytes", line.text.len()));
        }
        line.key = self.key([&interface, chat.as_deref().unwrap_or_default(), sender], &line);
        Ok(line)
    }

    /// Who spoke; none if it was the bot.
    fn speaker(&self, sender: &str, is_role: bool) -> Result<Option<String>, String> {
        if self.names.is_bot(sender) {
            return Ok(None);
        }
        if sender.is_empty() {
            return Err("it has no sender (where that is the bot, say --bot-name \"\")".to_owned());
        }
        if is_role && NEITHER.contains(&sender.to_lowercase().as_str()) {
            return Err(format!(
                "its role is {sender}, which is neither a person's nor the bot's"
            ));
        }
        Ok(Some(sender.to_owned()))
    }

    /// What tells a line from all others, in every copy of its file: what it says, and which of its equals it is.
    ///
    /// Interface, chat and sender count by their old names: with other options it is still the same line.
    fn key(&mut self, [interface, chat, sender]: [&str; 3], line: &ImportedLine) -> String {
        let thread = line.path.thread().unwrap_or_default();
        let mut hash = Sha256::new();
        let parts = [interface, chat, &thread, sender, &line.text];
        for part in parts {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(part);
        }
        hash.update(line.at.to_le_bytes());
        let mut short = [0; 16];
        for (to, from) in short.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        let times = self.seen.entry(short).or_default();
        *times += 1;
        format!("{:032x}-{times}", u128::from_be_bytes(short))
    }
}

/// A value as text: whole numbers in plain digits, bytes if they are text; none where there is nothing.
fn word(what: &str, value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(number) => Ok(Some(number.to_string())),
        // programs that know no other numbers write ids like that
        Value::Real(number) if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 => {
            Ok(Some(format!("{number:.0}")))
        }
        Value::Real(number) if what == "text" => Ok(Some(number.to_string())),
        Value::Real(_) => Err(format!("its {what} is a fraction")),
        Value::Text(text) => Ok(Some(text.clone())),
        Value::Blob(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(format!("its {what} is no text in UTF-8")),
        },
    }
}

#[cfg(test)]
mod tests;
