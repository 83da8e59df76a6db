//! The words of refusals.

use std::time::Duration;

use tertulia_message::RateScope;

use super::*;

fn check(cases: &[(u16, &str, Refusal)]) {
    for (code, description, expected) in cases {
        assert_eq!(refusal(*code, description), *expected, "{code} {description}");
    }
}

#[test]
fn every_known_refusal_has_its_meaning() {
    check(&[
        (
            400,
            "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
            Refusal::Unchanged,
        ),
        (400, "Bad Request: message to edit not found", Refusal::NoMessage),
        (400, "Bad Request: message can't be edited", Refusal::NoMessage),
        (400, "Bad Request: MESSAGE_ID_INVALID", Refusal::NoMessage),
        (400, "Bad Request: message to delete not found", Refusal::NoMessage),
        (
            400,
            "Bad Request: message can't be deleted for everyone",
            Refusal::NoMessage,
        ),
        (400, "Bad Request: message thread not found", Refusal::NoTopic),
        (400, "Bad Request: message to be replied not found", Refusal::NoReply),
        (
            400,
            "Bad Request: there is no text in the message to edit",
            Refusal::HasCaption,
        ),
        (
            400,
            "Bad Request: there is no caption in the message to edit",
            Refusal::HasText,
        ),
        (400, "Bad Request: TOPIC_CLOSED", Refusal::Forbidden),
        (400, "Bad Request: TOPIC_DELETED", Refusal::Forbidden),
        (
            400,
            "Bad Request: not enough rights to send text messages to the chat",
            Refusal::Forbidden,
        ),
        (400, "Bad Request: have no rights to send a message", Refusal::Forbidden),
        (
            400,
            "Bad Request: need administrator rights in the channel chat",
            Refusal::Forbidden,
        ),
        (400, "Bad Request: CHAT_WRITE_FORBIDDEN", Refusal::Forbidden),
        (403, "Forbidden: CHAT_WRITE_FORBIDDEN", Refusal::Forbidden),
        (403, "Forbidden: something that is not known yet", Refusal::Forbidden),
        (
            400,
            "Bad Request: not enough rights to send photos to the chat",
            Refusal::NoFiles,
        ),
        (400, "Bad Request: CHAT_SEND_DOCS_FORBIDDEN", Refusal::NoFiles),
        (400, "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN", Refusal::Forbidden),
        (400, "Bad Request: chat not found", Refusal::Gone),
        (403, "Forbidden: bot was blocked by the user", Refusal::Gone),
        (403, "Forbidden: user is deactivated", Refusal::Gone),
        (403, "Forbidden: bot was kicked from the supergroup chat", Refusal::Gone),
        (403, "Forbidden: bot was kicked from the group chat", Refusal::Gone),
        (403, "Forbidden: bot is not a member of the channel chat", Refusal::Gone),
        (
            403,
            "Forbidden: bot can't initiate conversation with a user",
            Refusal::Gone,
        ),
        (400, "Bad Request: PEER_ID_INVALID", Refusal::Gone),
        (403, "Forbidden: the group chat was deleted", Refusal::Gone),
        (400, "Bad Request: group chat was deactivated", Refusal::Gone),
        (400, "Bad Request: message is too long", Refusal::TooLong),
        (400, "Bad Request: MESSAGE_TOO_LONG", Refusal::TooLong),
        (400, "Bad Request: message caption is too long", Refusal::TooLong),
        (400, "Bad Request: MEDIA_CAPTION_TOO_LONG", Refusal::TooLong),
        (400, "Bad Request: Text is too long", Refusal::TooLong),
        (
            400,
            "Bad Request: can't parse entities: unexpected end tag at byte offset 9",
            Refusal::Content,
        ),
        (400, "Bad Request: ENTITY_BOUNDS_INVALID", Refusal::Content),
        (400, "Bad Request: message text is empty", Refusal::Content),
        (400, "Bad Request: something that is not known yet", Refusal::Content),
        (400, "Bad Request: BUTTON_DATA_INVALID", Refusal::Buttons),
        (400, "Bad Request: reply markup is too long", Refusal::Buttons),
        (400, "Bad Request: PHOTO_INVALID_DIMENSIONS", Refusal::File),
        (400, "Bad Request: IMAGE_PROCESS_FAILED", Refusal::File),
        (400, "Bad Request: VOICE_MESSAGES_FORBIDDEN", Refusal::File),
    ]);
}

#[test]
fn what_is_not_about_the_conversation_says_nothing_of_it() {
    check(&[
        (
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            Refusal::Elsewhere,
        ),
        (401, "Unauthorized", Refusal::Elsewhere),
        (404, "Not Found", Refusal::Elsewhere),
        (404, "", Refusal::Elsewhere),
        (403, "", Refusal::Elsewhere),
        (403, "blocked by the company's policy", Refusal::Elsewhere),
        (400, "", Refusal::Elsewhere),
        (
            409,
            "Conflict: terminated by other getUpdates request",
            Refusal::Elsewhere,
        ),
        (413, "Request Entity Too Large", Refusal::Content),
        (413, "", Refusal::Content),
    ]);
}

#[test]
fn only_telegrams_own_words_give_a_conversation_up() {
    let of = |code, description: &str| {
        let error = CallError::Refused {
            code,
            description: description.to_owned(),
        };
        told(error)
    };
    assert!(matches!(
        of(403, "Forbidden: bot was blocked by the user"),
        DeliverError::Gone(_)
    ));
    assert!(matches!(of(400, "Bad Request: TOPIC_CLOSED"), DeliverError::Refused(_)));
    for (code, description) in [
        (401, "Unauthorized"),
        (404, "Not Found"),
        (403, ""),
        (407, ""),
        (400, ""),
    ] {
        assert!(
            matches!(of(code, description), DeliverError::Lost(_)),
            "{code} {description}"
        );
    }
}

#[test]
fn what_may_have_been_done_stays_in_doubt() {
    let lost = told(CallError::NotSent("no connection".to_owned()));
    assert_eq!(lost, DeliverError::Lost("no connection".to_owned()));
    let unsure = told(CallError::Unknown("status 502".to_owned()));
    assert_eq!(unsure, DeliverError::Unsure("status 502".to_owned()));
}

#[test]
fn a_migrated_group_is_named_with_its_topic() {
    let moved = told(CallError::Moved(-1007));
    assert_eq!(moved, DeliverError::Moved("telegram_bot/-1007/4".parse().unwrap()));
}

#[test]
fn a_limit_shuts_the_gate() {
    let gates = Gates::default();
    let error = deliver_error(
        CallError::RateLimited(Duration::from_secs(40)),
        PLACE,
        "telegram_bot",
        &gates,
    );
    let after = Duration::from_secs(40);
    let scope = RateScope::Path;
    assert_eq!(error, DeliverError::RateLimited { after, scope });
    assert!(gates.rest(PLACE.chat).is_some() && gates.rest(1).is_none());
}

const PLACE: Place = Place {
    chat: -100,
    topic: Some(4),
};

fn told(error: CallError) -> DeliverError {
    deliver_error(error, PLACE, "telegram_bot", &Gates::default())
}
