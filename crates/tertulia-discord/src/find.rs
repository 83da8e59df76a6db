//! Whether a post of unknown outcome has arrived: among the messages behind the one that it answers.

use crate::ids::Snowflake;
use crate::wire::Message;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// The bot itself.
    pub me: Snowflake,
    /// The post's own word, which Discord keeps for a few minutes only.
    pub nonce: &'a str,
    /// The message that it answers, if it is shown as a reply.
    pub answers: Option<Snowflake>,
    /// What it says.
    pub text: &'a str,
}

/// The id of the message that is the post, if it is among these.
///
/// Several parts may answer one message: where the nonce is gone, what they say tells them apart. A text that has grown since it
/// was posted begins as it did.
#[must_use]
pub fn find(sought: &Sought<'_>, messages: &[Message]) -> Option<Snowflake> {
    let ours = || {
        let is_ours = |message: &&Message| message.author.as_ref().is_some_and(|author| author.id == sought.me);
        messages.iter().filter(is_ours)
    };
    let by_nonce = ours().find(|message| message.nonce.as_deref() == Some(sought.nonce));
    let by_reference = || {
        let answers = |message: &&Message| {
            let reference = message.reference.filter(|reference| !reference.is_forward);
            reference.and_then(|reference| reference.message) == sought.answers
        };
        let is_same = |message: &Message| is_begun_by(sought.text, &message.content);
        ours().find(|message| is_same(message) && answers(message))
    };
    by_nonce.or_else(by_reference).and_then(|message| message.id)
}

/// True if one of the texts is the beginning of the other.
fn is_begun_by(text: &str, other: &str) -> bool {
    !other.is_empty() && !text.is_empty() && (text.starts_with(other) || other.starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64, author: u64, nonce: Option<&str>, answers: Option<u64>, text: &str) -> Message {
        let reference = answers.map(|id| serde_json::json!({"message_id": id.to_string()}));
        let json = serde_json::json!({"id": id.to_string(), "channel_id": "1", "author": {"id": author.to_string()},
            "nonce": nonce, "message_reference": reference, "content": text});
        Message::read(&json.to_string()).unwrap()
    }

    #[test]
    fn a_post_is_found_by_its_nonce_or_by_what_it_answers() {
        let id = |number| Snowflake::new(number);
        let sought = Sought {
            me: id(1).unwrap(),
            nonce: "n",
            answers: id(7),
            text: "part two",
        };
        let part = |number, text| message(number, 1, None, Some(7), text);
        for (messages, expected) in [
            (vec![], None),
            (vec![part(20, "part one"), part(21, "part two")], id(21)),
            (vec![part(20, "part one"), part(21, "")], None),
            (vec![part(20, "part one"), part(21, "part t")], id(21)),
            (vec![part(21, "part two and more")], id(21)),
            (vec![message(20, 1, Some("n"), None, "other")], id(20)),
            (vec![part(20, "part two"), message(21, 1, Some("n"), None, "")], id(21)),
            (vec![message(20, 2, Some("n"), Some(7), "part two")], None),
            (vec![message(20, 1, None, Some(8), "part two")], None),
        ] {
            assert_eq!(find(&sought, &messages), expected, "{messages:?}");
        }
    }
}
