//! The ten types of message that every reader knows.

/// A built-in type. Names are case-sensitive; any other string is a custom type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text of an answer, as Markdown.
    Text,
    /// Reasoning of a model.
    Thinking,
    /// Something is going on.
    Loading,
    /// A call of a tool.
    ToolCall,
    /// A fault that a person may read.
    Error,
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
    /// Something for the reader's program to do.
    Action,
    /// Something that happened to the stream.
    Event,
}

impl Kind {
    /// All built-in types.
    pub const ALL: [Self; 10] = [
        Self::Text,
        Self::Thinking,
        Self::Loading,
        Self::ToolCall,
        Self::Error,
        Self::Image,
        Self::Audio,
        Self::Video,
        Self::Action,
        Self::Event,
    ];

    /// The built-in type of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name, as it stands in a message's `type`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Loading => "loading",
            Self::ToolCall => "tool_call",
            Self::Error => "error",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Action => "action",
            Self::Event => "event",
        }
    }

    /// The keys of the type's props, the required ones first.
    #[must_use]
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::Thinking => &["content"],
            Self::Loading => &["message"],
            Self::ToolCall => &["id", "name", "arguments"],
            Self::Error => &["message", "code", "details"],
            Self::Image => &["url", "alt", "width", "height", "detail"],
            Self::Audio => &["url", "format", "duration", "transcript", "autoplay", "controls"],
            Self::Video => &[
                "url",
                "format",
                "duration",
                "thumbnail",
                "width",
                "height",
                "autoplay",
                "controls",
                "loop",
            ],
            Self::Action => &["name", "payload"],
            Self::Event => &["event", "message", "data"],
        }
    }
}
