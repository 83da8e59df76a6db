//! What a conversation's platform can take: ability as a value.

use std::time::Duration;

use crate::markup::Markup;

/// The limits and abilities of one conversation's platform.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest text of one platform message.
    pub text: TextLimit,
    /// The platform's own measure of a message, in the unit of `text`: entities, escapes and serialised bytes included.
    pub weigh: fn(&Markup) -> usize,
    /// The longest caption of a file, in the unit of `text`.
    pub caption: usize,
    /// How many files one message may carry.
    pub files: usize,
    /// How an answer in the making can be shown.
    pub progress: Progress,
    /// How often a message may be edited while an answer is in the making.
    pub pace: Pace,
    /// True if the platform takes a repeated post with the same key for the same message.
    pub keyed: bool,
    /// Whether the conversation can be reached after its request is gone.
    pub reach: Reach,
    /// True if the platform has threads.
    pub threads: bool,
    /// True if messages can have buttons.
    pub buttons: bool,
}

impl Limits {
    /// Those of a door whose reader waits with an open connection: everything is streamed, and nothing is too long.
    #[must_use]
    pub fn of_door() -> Self {
        Self {
            text: TextLimit::None,
            weigh: |markup: &Markup| markup.plain().len(),
            caption: 0,
            files: 0,
            progress: Progress::Stream,
            pace: Pace {
                every: Duration::ZERO,
                growth: 0,
            },
            keyed: false,
            reach: Reach::WhileConnected,
            threads: false,
            buttons: false,
        }
    }
}

/// The longest text of one platform message, with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLimit {
    /// UTF-16 code units.
    Utf16(usize),
    /// Unicode scalar values.
    Chars(usize),
    /// Bytes.
    Bytes(usize),
    /// No limit.
    None,
}

impl TextLimit {
    /// The limit as a number; `usize::MAX` where there is none.
    #[must_use]
    pub fn amount(self) -> usize {
        match self {
            Self::Utf16(n) | Self::Chars(n) | Self::Bytes(n) => n,
            Self::None => usize::MAX,
        }
    }

    /// How long a plain text is in this unit.
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Utf16(_) => text.encode_utf16().count(),
            Self::Chars(_) => text.chars().count(),
            Self::Bytes(_) | Self::None => text.len(),
        }
    }
}

/// How an answer in the making can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Only the finished answer is posted.
    Hidden,
    /// A message is posted early and edited.
    Edit,
    /// The platform shows a draft that is not a message.
    Draft,
    /// The reader is connected and gets every message of the DSL as it is made.
    Stream,
}

/// How often a message may be edited while an answer is in the making.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The shortest time between two edits of one message.
    pub every: Duration,
    /// The shortest growth worth an edit, in characters.
    pub growth: usize,
}

/// Whether a conversation can be reached after its request is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A chat platform: messages can be posted at any time.
    Always,
    /// A request's reader: gone when the connection is.
    WhileConnected,
}
