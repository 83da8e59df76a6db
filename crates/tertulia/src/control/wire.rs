//! What is said at the socket, as JSON.

use serde::{Deserialize, Serialize};
use tertulia_core::transaction::{Imported, ImportedLine};
use tertulia_message::path::InterfacePath;

/// The longest line, in bytes.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// The longest text in one line of an answer, in bytes.
const LONGEST_TEXT: usize = 64 << 10;

/// A request: one of the three is there.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ask: Option<Question>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import: Option<Vec<Line>>,
}

/// A request.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    /// A command, as if given in a direct message.
    Command {
        /// Its name without the slash.
        name: String,
        /// What stands behind it.
        arguments: String,
    },
    /// A question that is no command.
    Ask(Question),
    /// Lines of an older bot's history.
    Import(Vec<Line>),
}

/// A question that is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Question {
    /// A new code for becoming the first admin.
    Claim,
    /// Whether everything is alive.
    Health,
}

/// A line of an older bot's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// What tells it from all others.
    pub(crate) key: String,
    /// Where it was said.
    pub(crate) path: String,
    /// Who said it; absent for the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) speaker: Option<String>,
    /// What was said.
    pub(crate) text: String,
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// A line of an answer: one of the fields is there.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// A piece of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// What became of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) imported: Option<Sums>,
    /// The end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) done: Option<bool>,
    /// The end, and why it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// What became of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sums {
    /// So many are new.
    pub(crate) added: u64,
    /// So many were there already.
    pub(crate) known: u64,
}

impl Request {
    /// Reads a line; an error says what is wrong, for whoever wrote it.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let raw: Raw = serde_json::from_slice(line).map_err(|error| format!("this is no request: {error}"))?;
        match raw {
            Raw {
                command: Some(name),
                arguments,
                ask: None,
                import: None,
            } => Ok(Self::Command {
                name,
                arguments: arguments.unwrap_or_default(),
            }),
            Raw {
                ask: Some(question),
                command: None,
                arguments: None,
                import: None,
            } => Ok(Self::Ask(question)),
            Raw {
                import: Some(lines),
                command: None,
                arguments: None,
                ask: None,
            } => Ok(Self::Import(lines)),
            _ => Err("a request has one of the fields command, ask and import".to_owned()),
        }
    }

    /// The line, with its end.
    pub(super) fn write(self) -> Vec<u8> {
        let mut raw = Raw::default();
        match self {
            Self::Command { name, arguments } => {
                raw.command = Some(name);
                raw.arguments = Some(arguments);
            }
            Self::Ask(question) => raw.ask = Some(question),
            Self::Import(lines) => raw.import = Some(lines),
        }
        json_line(&raw)
    }
}

impl Reply {
    /// A text in as many lines as it takes, with the end behind it.
    pub(super) fn texts(text: &str) -> Vec<u8> {
        let mut lines = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(LONGEST_TEXT));
            let text = Some(piece.to_owned());
            lines.extend(json_line(&Self {
                text,
                ..Self::default()
            }));
            rest = behind;
        }
        lines.extend(Self::end());
        lines
    }

    /// The end.
    fn end() -> Vec<u8> {
        json_line(&Self {
            done: Some(true),
            ..Self::default()
        })
    }

    /// What became of lines, with the end behind it.
    pub(super) fn sums(sums: Sums) -> Vec<u8> {
        let mut lines = json_line(&Self {
            imported: Some(sums),
            ..Self::default()
        });
        lines.extend(Self::end());
        lines
    }

    /// An end that is an error.
    pub(super) fn error(text: &str) -> Vec<u8> {
        let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or_default();
        json_line(&Self {
            error: Some(text.to_owned()),
            ..Self::default()
        })
    }
}

impl Line {
    /// The line as the store takes it; an error says what is wrong with its path.
    pub(crate) fn read(self) -> Result<ImportedLine, String> {
        let path = InterfacePath::parse(&self.path).map_err(|error| format!("{:?}: {error}", self.path))?;
        Ok(ImportedLine {
            key: self.key,
            path,
            speaker: self.speaker,
            text: self.text,
            at: self.at,
        })
    }

    /// How long it is within a request, in bytes.
    pub(crate) fn weight(&self) -> usize {
        json_line(self).len()
    }
}

impl From<ImportedLine> for Line {
    fn from(line: ImportedLine) -> Self {
        Self {
            key: line.key,
            path: line.path.to_string(),
            speaker: line.speaker,
            text: line.text,
            at: line.at,
        }
    }
}

impl From<Imported> for Sums {
    fn from(Imported { added, known }: Imported) -> Self {
        Self { added, known }
    }
}

/// These types have no maps with keys that are not texts, and nothing else fails.
fn json_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let line = Line {
            key: "k".to_owned(),
            path: "loopback/a".to_owned(),
            speaker: None,
            text: "t\n".to_owned(),
            at: 1,
        };
        let command = || Request::Command {
            name: "status".to_owned(),
            arguments: "a\nb".to_owned(),
        };
        for (one, again) in [
            (command(), command()),
            (Request::Ask(Question::Claim), Request::Ask(Question::Claim)),
            (Request::Import(vec![line.clone()]), Request::Import(vec![line])),
        ] {
            let written = one.write();
            let line = written.strip_suffix(b"\n").unwrap();
            assert!(!line.contains(&b'\n'));
            assert_eq!(Request::read(line).unwrap(), again);
        }
    }

    #[test]
    fn what_is_no_request_is_told_apart() {
        for wrong in [
            "",
            "status",
            "[]",
            "{}",
            r#"{"command":"a","ask":"claim"}"#,
            r#"{"arguments":"a"}"#,
            r#"{"ask":"money"}"#,
            r#"{"command":7}"#,
            r#"{"command":"a","more":1}"#,
            "\u{0}\u{1}",
        ] {
            assert!(Request::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(Request::read(b"{\"command\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_long_text_comes_in_several_lines_and_is_the_same_again() {
        let text = "ä\n".repeat(LONGEST_TEXT);
        let written = Reply::texts(&text);
        let replies: Vec<Reply> = written
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        let read: String = replies.iter().filter_map(|reply| reply.text.clone()).collect();
        assert_eq!(read, text);
        assert!(replies.len() > 3);
        assert_eq!(replies.last().unwrap().done, Some(true));
    }
}
