//! What is done beside the intake: refusals that are told, presses that are answered, menus. Nothing of it is stored or retried.

use serde_json::Value;
use teloxide::payloads::SendMessage;
use teloxide::types::{ChatId, MessageId, Recipient, ReplyParameters};
use tertulia_interface::{Inlet, Verdict};
use tertulia_message::{Inbound, What};
use tokio::sync::{Mutex, mpsc};

use crate::deliver::thread;
use crate::error::CallError;
use crate::menu;
use crate::place::{MessageRef, Place};
use crate::signs::answer_to_press;
use crate::telegram::Telegram;

/// Longer messages are refused; no refusal of ours is nearly as long.
const LONGEST_TEXT: usize = 4000;

/// Something to be done soon.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Says something in a place, as a reply where that is known.
    Say {
        place: Place,
        re: Option<i64>,
        text: String,
    },
    /// Ends the wait of whoever pressed a button.
    Answer { press: String, text: String },
    /// Gives a private chat the menu of an admin, or takes it away.
    Menu { chat: i64, is_admin: bool },
}

/// What a verdict asks for, if anything.
pub(super) fn follows(event: &Inbound, place: Option<Place>, verdict: Verdict) -> Option<Errand> {
    if let (What::Press { .. }, Some(press)) = (&event.what, event.id.strip_prefix("press/")) {
        let text = match verdict {
            // the press is worked on, and answered then
            Verdict::Accepted => return None,
            Verdict::Denied { say } => say.unwrap_or_default(),
            Verdict::Duplicate | Verdict::Ignored | Verdict::Busy => String::new(),
        };
        let press = press.to_owned();
        return Some(Errand::Answer { press, text });
    }
    match verdict {
        Verdict::Denied { say: Some(text) } => Some(Errand::Say {
            place: place?,
            re: MessageRef::parse(&event.id).map(|reference| reference.message),
            text,
        }),
        _ => None,
    }
}

/// Does errands, one after the other, until nobody gives any.
pub(super) async fn work(telegram: &Telegram, inlet: &Inlet, queue: &Mutex<mpsc::Receiver<Errand>>) {
    loop {
        let errand = queue.lock().await.recv().await;
        match errand {
            Some(Errand::Say { place, re, text }) => say(telegram, place, re, &text).await,
            Some(Errand::Answer { press, text }) => answer(telegram, &press, &text).await,
            Some(Errand::Menu { chat, is_admin }) => menu::of_chat(telegram, inlet, chat, is_admin).await,
            None => return,
        }
    }
}

async fn say(telegram: &Telegram, place: Place, re: Option<i64>, text: &str) {
    if let Some((after, _)) = telegram.gates.rest(place.chat) {
        tracing::debug!(
            chat = place.chat,
            ?after,
            "a refusal is not told: the chat takes nothing"
        );
        return;
    }
    let text: String = text.chars().take(LONGEST_TEXT).collect();
    let mut message = SendMessage::new(Recipient::Id(ChatId(place.chat)), text);
    message.message_thread_id = thread(place);
    let reply = re.and_then(|id| i32::try_from(id).ok());
    let reply = reply.map(|id| ReplyParameters::new(MessageId(id)));
    message.reply_parameters = reply.map(ReplyParameters::allow_sending_without_reply);
    let said: Result<Value, CallError> = telegram.api.call(&message).await;
    if let Err(error) = said {
        telegram.gates.learn(place.chat, &error);
        tracing::debug!(chat = place.chat, %error, "a refusal could not be told");
    }
}

async fn answer(telegram: &Telegram, press: &str, text: &str) {
    let answered: Result<Value, CallError> = telegram.api.call(&answer_to_press(press, text)).await;
    if let Err(error) = answered {
        tracing::debug!(%error, "a press could not be answered");
    }
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Account, Addressed, PersonId};

    use super::*;

    fn event(id: &str, what: What) -> Inbound {
        Inbound {
            account: Account {
                interface: "telegram_bot".into(),
                identity: "1".into(),
            },
            path: "telegram_bot/5".parse().unwrap(),
            id: id.into(),
            sender: PersonId::new("telegram_bot", "5"),
            sender_name: String::new(),
            addressed: Addressed::Direct,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        }
    }

    const PLACE: Place = Place { chat: 5, topic: None };

    #[test]
    fn whoever_pressed_always_gets_an_answer() {
        let press = event("press/77", What::Press { button: "x".into() });
        let answer = |text: &str| {
            Some(Errand::Answer {
                press: "77".into(),
                text: text.into(),
            })
        };
        let of = |verdict| follows(&press, Some(PLACE), verdict);
        assert_eq!(of(Verdict::Accepted), None);
        for verdict in [
            Verdict::Duplicate,
            Verdict::Ignored,
            Verdict::Busy,
            Verdict::Denied { say: None },
        ] {
            assert_eq!(of(verdict), answer(""));
        }
        let say = Some("not you".to_owned());
        assert_eq!(of(Verdict::Denied { say }), answer("not you"));
    }

    #[test]
    fn a_refusal_is_told_where_it_was_asked() {
        let message = event("5/9", What::Message { text: "hi".into() });
        let say = Some("no".to_owned());
        let told = Errand::Say {
            place: PLACE,
            re: Some(9),
            text: "no".into(),
        };
        assert_eq!(follows(&message, Some(PLACE), Verdict::Denied { say }), Some(told));
        for verdict in [Verdict::Accepted, Verdict::Busy, Verdict::Denied { say: None }] {
            assert_eq!(follows(&message, Some(PLACE), verdict), None);
        }
    }
}
