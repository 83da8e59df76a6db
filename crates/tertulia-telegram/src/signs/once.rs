//! Signs that are shown once: answers to presses, reactions, and typing where nobody can renew it.

use serde::de::IgnoredAny;
use teloxide::payloads::{AnswerCallbackQuery, SendChatAction, SetMessageReaction};
use teloxide::types::{CallbackQueryId, ChatAction, ChatId, MessageId, ReactionType};

use crate::api::Api;
use crate::deliver::thread;
use crate::error::CallError;
use crate::place::{MessageRef, Place};

/// The longest answer to a press, in UTF-16 units; the limit counts characters, which are never more.
const LONGEST_ANSWER: usize = 200;

/// A sign that is shown once.
#[derive(Debug, PartialEq)]
pub(super) enum Once {
    /// The bot is at work.
    Typing(SendChatAction),
    /// What became of a press of a button; it also ends the waiting that the button shows.
    Pressed(AnswerCallbackQuery),
    /// A light reaction to a message.
    Reaction(SetMessageReaction),
}

impl Once {
    pub(super) fn typing(place: Place) -> Self {
        let mut action = SendChatAction::new(ChatId(place.chat), ChatAction::Typing);
        action.message_thread_id = thread(place);
        Self::Typing(action)
    }

    /// None if `re` is no press.
    pub(super) fn pressed(re: &str, text: &str) -> Option<Self> {
        let query = re.strip_prefix("press/").filter(|query| !query.is_empty())?;
        Some(Self::Pressed(answer_to_press(query, text)))
    }

    /// None if `re` is no message of the place.
    pub(super) fn reaction(place: Place, re: &str, emoji: String) -> Option<Self> {
        let message = MessageRef::parse(re).filter(|message| message.chat == place.chat)?;
        let message = MessageId(i32::try_from(message.message).ok()?);
        let mut reaction = SetMessageReaction::new(ChatId(place.chat), message);
        reaction.reaction = Some(vec![ReactionType::Emoji { emoji }]);
        Some(Self::Reaction(reaction))
    }

    /// True if it counts as one of the chat's messages would.
    pub(super) fn is_of_the_chat(&self) -> bool {
        !matches!(self, Self::Pressed(_))
    }

    pub(super) async fn call(&self, api: &Api) -> Result<IgnoredAny, CallError> {
        match self {
            Self::Typing(payload) => api.call(payload).await,
            Self::Pressed(payload) => api.call(payload).await,
            Self::Reaction(payload) => api.call(payload).await,
        }
    }
}

/// Ends the waiting that a pressed button shows; empty if there is nothing to say.
pub(crate) fn answer_to_press(query: &str, text: &str) -> AnswerCallbackQuery {
    let mut answer = AnswerCallbackQuery::new(CallbackQueryId(query.to_owned()));
    answer.text = Some(short(text)).filter(|text| !text.is_empty());
    answer
}

fn short(text: &str) -> String {
    let mut left = LONGEST_ANSWER;
    let fits = |c: &char| {
        let rest = left.checked_sub(c.len_utf16());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_answered_by_their_id() {
        let of = |re: &str, text: &str| match Once::pressed(re, text) {
            Some(Once::Pressed(answer)) => Some((answer.callback_query_id.0, answer.text)),
            _ => None,
        };
        let said = |text: &str| Some(("42".to_owned(), Some(text.to_owned())));
        assert_eq!(of("press/42", "Stopped."), said("Stopped."));
        assert_eq!(of("press/42", ""), Some(("42".to_owned(), None)));
        assert_eq!(of("press/42", &"x".repeat(300)), said(&"x".repeat(200)));
        assert_eq!(of("press/42", &"😀".repeat(300)), said(&"😀".repeat(100)));
        for re in ["press/", "-100/42", "update/42", ""] {
            assert_eq!(of(re, "x"), None, "{re}");
        }
    }

    #[test]
    fn reactions_are_for_messages_of_the_place() {
        let place = Place { chat: 5, topic: None };
        assert!(Once::reaction(place, "5/7", "👍".to_owned()).is_some());
        for re in ["6/7", "press/7", "5/99999999999", ""] {
            assert_eq!(Once::reaction(place, re, "👍".to_owned()), None, "{re}");
        }
    }
}
