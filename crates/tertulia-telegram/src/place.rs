//! Paths of Telegram's conversations: `interface/chat[/topic]`.

use tertulia_message::path::{InterfacePath, PathError};

/// A conversation on Telegram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The chat's id: a person's for a private chat, negative for groups. It has at most 52 significant bits.
    pub(crate) chat: i64,
    /// The topic's id; none for a chat without topics, and for the topic General.
    pub(crate) topic: Option<i64>,
}

/// A path that is no conversation on Telegram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of this platform")]
pub(crate) struct NotAPlace;

impl TryFrom<&InterfacePath> for Place {
    type Error = NotAPlace;

    fn try_from(path: &InterfacePath) -> Result<Self, NotAPlace> {
        let chat = number(&path.target()).filter(|chat| *chat != 0).ok_or(NotAPlace)?;
        let topic = match (path.level(2), path.level(3)) {
            (None, _) => None,
            (Some(topic), None) => Some(number(&topic).filter(|topic| *topic > 0).ok_or(NotAPlace)?),
            _ => return Err(NotAPlace),
        };
        Ok(Self { chat, topic })
    }
}

/// A number in the one form in which it is written.
fn number(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl Place {
    /// The path of the place; the name of the interface is configured, and so no part of it.
    pub(crate) fn path(self, interface: &str) -> Result<InterfacePath, PathError> {
        let chat = self.chat.to_string();
        match self.topic {
            None => InterfacePath::build(interface, [chat]),
            Some(topic) => InterfacePath::build(interface, [chat, topic.to_string()]),
        }
    }

    /// True for a conversation of the bot with one person.
    pub(crate) fn is_private(self) -> bool {
        self.chat > 0
    }

    /// The same topic in another chat.
    pub(crate) fn moved_to(self, chat: i64) -> Self {
        Self { chat, ..self }
    }
}

/// Names a message of Telegram: ids of messages are unique within their chat only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MessageRef {
    /// The chat it stands in.
    pub(crate) chat: i64,
    /// Its number there.
    pub(crate) message: i64,
}

impl MessageRef {
    /// The id by which the daemon knows the message: `chat/message`.
    pub(crate) fn id(self) -> String {
        format!("{}/{}", self.chat, self.message)
    }

    /// Reads what [`MessageRef::id`] gives.
    pub(crate) fn parse(id: &str) -> Option<Self> {
        let (chat, message) = id.split_once('/')?;
        let chat = number(chat).filter(|chat| *chat != 0)?;
        let message = number(message).filter(|message| *message > 0)?;
        Some(Self { chat, message })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> InterfacePath {
        text.parse().unwrap()
    }

    proptest! {
        #[test]
        fn any_place_round_trips(chat in any::<i64>().prop_filter("no chat", |chat| *chat != 0),
            topic in prop::option::of(1..i64::MAX)) {
            let place = Place { chat, topic };
            prop_assert_eq!(Place::try_from(&place.path("telegram_bot").unwrap()), Ok(place));
        }

        #[test]
        fn any_message_round_trips(chat in any::<i64>().prop_filter("no chat", |chat| *chat != 0), message in 1..i64::MAX) {
            let message = MessageRef { chat, message };
            prop_assert_eq!(MessageRef::parse(&message.id()), Some(message));
        }
    }

    #[test]
    fn the_format_is_frozen() {
        let cases = [
            (
                Place {
                    chat: -1_001_234_567_890,
                    topic: None,
                },
                "telegram_bot/-1001234567890",
            ),
            (
                Place {
                    chat: -100_123,
                    topic: Some(45),
                },
                "telegram_bot/-100123/45",
            ),
            (
                Place {
                    chat: 123_456_789,
                    topic: Some(987),
                },
                "telegram_bot/123456789/987",
            ),
        ];
        for (place, text) in cases {
            assert_eq!(place.path("telegram_bot").unwrap().as_str(), text);
            assert_eq!(Place::try_from(&path(text)), Ok(place));
        }
        let message = MessageRef {
            chat: -100_123,
            message: 7,
        };
        assert_eq!(message.id(), "-100123/7");
    }

    #[test]
    fn nothing_else_is_a_place_or_a_message() {
        for odd in [
            "t/x",
            "t/0",
            "t/01",
            "t/+1",
            "t/1/0",
            "t/1/-5",
            "t/1/x",
            "t/1/2/3",
            "t/99999999999999999999",
        ] {
            assert_eq!(Place::try_from(&path(odd)), Err(NotAPlace), "{odd}");
        }
        for odd in ["", "1", "1/", "/1", "0/1", "1/0", "1/-1", "1/2/3", "x/1"] {
            assert_eq!(MessageRef::parse(odd), None, "{odd}");
        }
    }
}
