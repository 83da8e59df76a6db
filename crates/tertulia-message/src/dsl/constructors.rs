//! Messages of the built-in types. Ids, sequence and trace id are the session's to set.

use serde_json::Value;

use super::{Kind, Message, Props};

impl Message {
    /// A message of any type, without props.
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            ..Self::default()
        }
    }

    /// A built-in message with values for the first of the kind's keys ([`Kind::keys`]), all of
    /// them set, also when empty. Values beyond the last key are dropped.
    #[must_use]
    pub fn of(kind: Kind, values: impl IntoIterator<Item = Value>) -> Self {
        let keys = kind.keys().iter().map(|key| (*key).to_owned());
        Self {
            kind: kind.as_str().to_owned(),
            props: keys.zip(values).collect::<Props>(),
            ..Self::default()
        }
    }

    /// The same message with one more property.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.props.insert(key.into(), value.into());
        self
    }

    /// Text of an answer, as Markdown.
    pub fn text(content: impl Into<String>) -> Self {
        Self::of(Kind::Text, [content.into().into()])
    }

    /// Reasoning of a model.
    pub fn thinking(content: impl Into<String>) -> Self {
        Self::of(Kind::Thinking, [content.into().into()])
    }

    /// Something is going on.
    pub fn loading(message: impl Into<String>) -> Self {
        Self::of(Kind::Loading, [message.into().into()])
    }

    /// A call of a tool; `arguments` is JSON text.
    pub fn tool_call(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::of(
            Kind::ToolCall,
            [id.into().into(), name.into().into(), arguments.into().into()],
        )
    }

    /// A fault that a person may read.
    pub fn error(message: impl Into<String>, code: impl Into<String>) -> Self {
        Self::of(Kind::Error, [message.into().into(), code.into().into()])
    }

    /// A picture, and what it shows in words.
    pub fn image(url: impl Into<String>, alt: impl Into<String>) -> Self {
        Self::of(Kind::Image, [url.into().into(), alt.into().into()])
    }

    /// A sound.
    pub fn audio(url: impl Into<String>) -> Self {
        Self::of(Kind::Audio, [url.into().into()])
    }

    /// A film.
    pub fn video(url: impl Into<String>) -> Self {
        Self::of(Kind::Video, [url.into().into()])
    }

    /// Something for the reader's program to do.
    pub fn action(name: impl Into<String>, payload: Value) -> Self {
        Self::of(Kind::Action, [name.into().into(), payload])
    }

    /// Something that happened to the stream.
    pub fn event(event: impl Into<String>, message: impl Into<String>, data: Value) -> Self {
        Self::of(Kind::Event, [event.into().into(), message.into().into(), data])
    }
}
