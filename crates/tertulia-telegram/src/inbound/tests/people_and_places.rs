//! Who spoke, where, and to whom.

use serde_json::{Value, json};
use tertulia_message::{Addressed, PersonId};

use super::{GROUP, ME, ada, event, group, private, skipped};
use crate::inbound::Skipped;

fn mention(offset: usize, length: usize) -> Value {
    json!([{"type": "mention", "offset": offset, "length": length}])
}

#[track_caller]
fn addressed(more: impl Into<Value>, expected: Addressed) {
    let more = more.into();
    assert_eq!(event(group(more.clone())).addressed, expected, "{more}");
}

#[test]
fn in_groups_only_what_is_meant_for_the_bot_counts() {
    addressed(json!({"text": "hi"}), Addressed::None);
    addressed(
        json!({"text": "@tertulia_BOT hi", "entities": mention(0, 13)}),
        Addressed::Mention,
    );
    addressed(
        json!({"text": "😀 @tertulia_bot", "entities": mention(3, 13)}),
        Addressed::Mention,
    );
    addressed(
        json!({"text": "@tertulia_bot in a code", "entities": []}),
        Addressed::None,
    );
    addressed(
        json!({"text": "@tertulia_bot2", "entities": mention(0, 14)}),
        Addressed::None,
    );
    let by_id = |id: i64| json!([{"type": "text_mention", "offset": 0, "length": 3, "user": {"id": id}}]);
    addressed(json!({"text": "you there", "entities": by_id(ME)}), Addressed::Mention);
    addressed(json!({"text": "you there", "entities": by_id(5)}), Addressed::None);
    let photo = json!([{"file_id": "x", "width": 1, "height": 1}]);
    let captioned = json!({"caption": "@tertulia_bot what?", "caption_entities": mention(0, 13), "photo": photo});
    addressed(captioned, Addressed::Mention);
}

#[test]
fn commands_belong_to_whom_they_name() {
    addressed(json!({"text": "/help"}), Addressed::Command);
    addressed(json!({"text": "/help@Tertulia_Bot now"}), Addressed::Command);
    addressed(json!({"text": "/help@other_bot"}), Addressed::None);
    addressed(json!({"text": "\u{200b} /help@other_bot"}), Addressed::None);
    let to_us = json!({"message_id": 2, "from": {"id": ME, "is_bot": true}, "chat": {"id": GROUP}, "text": "x"});
    addressed(
        json!({"text": "/help@other_bot", "reply_to_message": to_us}),
        Addressed::None,
    );
    let topic = json!({"text": "/help@other_bot", "message_thread_id": 77, "is_topic_message": true});
    addressed(topic, Addressed::None);
    let open = json!({"text": "/anything", "message_thread_id": 77, "is_topic_message": true});
    addressed(open, Addressed::Command);
    let forwarded = json!({"text": "/forget", "forward_origin": {"type": "user", "sender_user": ada()}});
    addressed(forwarded, Addressed::None);
}

#[test]
fn replies_to_the_bot_count_but_not_to_a_topic() {
    let by_us = json!({"message_id": 2, "from": {"id": ME, "is_bot": true}, "chat": {"id": GROUP}, "text": "x"});
    addressed(json!({"text": "why?", "reply_to_message": by_us}), Addressed::Reply);
    let by_ada = json!({"message_id": 2, "from": ada(), "chat": {"id": GROUP}, "text": "x"});
    addressed(json!({"text": "why?", "reply_to_message": by_ada}), Addressed::None);
    let root = json!({"message_id": 45, "from": {"id": ME, "is_bot": true}, "chat": {"id": GROUP},
        "forum_topic_created": {"name": "x"}, "message_thread_id": 45, "is_topic_message": true});
    let said = json!({"text": "hi", "reply_to_message": root, "message_thread_id": 45, "is_topic_message": true});
    addressed(said.clone(), Addressed::None);
    let event = event(group(said));
    assert_eq!((event.reply_to, event.quoted), (None, None));
}

#[test]
fn an_always_on_topic_hears_everything_but_channels() {
    addressed(
        json!({"text": "hi", "message_thread_id": 77, "is_topic_message": true}),
        Addressed::Mention,
    );
    addressed(json!({"text": "hi", "message_thread_id": 77}), Addressed::None);
    let post = json!({"text": "@tertulia_bot news", "entities": mention(0, 13), "is_automatic_forward": true,
        "message_thread_id": 77, "is_topic_message": true, "from": {"id": 777_000, "first_name": "Telegram"},
        "sender_chat": {"id": -1009, "type": "channel", "title": "News"}});
    addressed(post, Addressed::None);
}

#[test]
fn only_topics_are_threads() {
    let path = |more: Value| event(group(more)).path.as_str().to_owned();
    let topic = json!({"text": "x", "message_thread_id": 45, "is_topic_message": true});
    assert_eq!(path(topic), "telegram_bot/-1001234/45");
    assert_eq!(
        path(json!({"text": "x", "message_thread_id": 45})),
        "telegram_bot/-1001234"
    );
    let general = json!({"text": "x", "message_thread_id": 1, "is_topic_message": true});
    assert_eq!(path(general), "telegram_bot/-1001234");
    let private_topic = private(json!({"text": "x", "message_thread_id": 12, "is_topic_message": true}));
    assert_eq!(event(private_topic).path.as_str(), "telegram_bot/5/12");
}

#[test]
fn chats_that_speak_have_their_own_ids() {
    let anonymous = json!({"text": "x", "from": {"id": 1_087_968_824, "is_bot": true, "first_name": "Group"},
        "sender_chat": {"id": GROUP, "type": "supergroup", "title": "Club"}});
    let event = event(group(anonymous));
    assert_eq!(event.sender, PersonId::new("telegram_bot", "-1001234"));
    assert_eq!(event.sender_name, "Club");
    assert_eq!(skipped(group(json!({"text": "x", "from": null}))), Skipped::Nothing);
}

#[test]
fn names_are_harmless() {
    let name = |from: Value| event(private(json!({"text": "x", "from": from}))).sender_name;
    assert_eq!(
        name(json!({"id": 5, "first_name": "A\u{0}d\n a\u{202e}", "last_name": "\t"})),
        "A d a"
    );
    assert_eq!(name(json!({"id": 5, "first_name": " ", "username": "ada"})), "@ada");
    assert_eq!(name(json!({"id": 5})), "");
    assert_eq!(name(json!({"id": 5, "first_name": "x".repeat(500)})).len(), 130);
}
