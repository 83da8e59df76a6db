//! Updates as Telegram documents them, and what becomes of each.

mod people_and_places;
mod words;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tertulia_message::{Account, Inbound, Secret, What};

use super::*;
use crate::config::AlwaysOn;

const ME: i64 = 4242;
const GROUP: i64 = -1_001_234;

/// Reads an update with the bot `@Tertulia_bot`, which is always on in one topic.
fn read(update: Value) -> Read {
    let mut config = Config::official(Secret::new("1:x"));
    config.always_on = vec![AlwaysOn {
        chat: GROUP,
        thread: Some(77),
    }];
    config.largest_file = 1000;
    let reader = Reader {
        account: &account(),
        me: &me(),
        config: &config,
    };
    reader.read(Update::read(update).expect("a number"))
}

#[track_caller]
fn event(update: Value) -> Inbound {
    match read(update) {
        Read::Event(piece) => piece.event,
        other => panic!("no event: {other:?}"),
    }
}

#[track_caller]
fn skipped(update: Value) -> Skipped {
    match read(update) {
        Read::Skipped(skipped) => skipped,
        other => panic!("not skipped: {other:?}"),
    }
}

/// A message with these fields beside the usual ones.
fn with(usual: Value, more: Value) -> Value {
    let mut message = object(usual);
    message.extend(object(more));
    json!({"update_id": 9, "message": message})
}

fn private(more: Value) -> Value {
    with(
        json!({"message_id": 3, "date": 1_700_000_000, "from": ada(), "chat": {"id": 5, "type": "private", "first_name": "Ada"}}),
        more,
    )
}

fn group(more: Value) -> Value {
    with(
        json!({"message_id": 3, "date": 1_700_000_000, "from": ada(),
            "chat": {"id": GROUP, "type": "supergroup", "title": "Club", "is_forum": true}}),
        more,
    )
}

fn ada() -> Value {
    json!({"id": 5, "is_bot": false, "first_name": "Ada", "last_name": "L.", "username": "ada"})
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

#[track_caller]
fn text(update: Value) -> String {
    match event(update).what {
        What::Message { text } => text,
        other => panic!("no message: {other:?}"),
    }
}

#[test]
fn a_message_has_place_person_and_time() {
    let event = event(private(json!({"text": "hi"})));
    assert_eq!((event.path.as_str(), event.id.as_str()), ("telegram_bot/5", "5/3"));
    assert_eq!(event.sender, PersonId::new("telegram_bot", "5"));
    assert_eq!(event.sender_name, "Ada L.");
    assert_eq!(event.sent_at, Some(1_700_000_000_000));
    assert_eq!(event.addressed, Addressed::Direct);
    assert_eq!(event.what, What::Message { text: "hi".into() });
    assert_eq!(
        (event.reply_to, event.quoted, event.join, event.token),
        (None, None, None, None)
    );
}

#[test]
fn an_edit_names_its_message() {
    let mut update = private(json!({"text": "new", "edit_date": 1_700_000_009}));
    let message = update.as_object_mut().unwrap().remove("message").unwrap();
    let edited = json!({"update_id": 12, "edited_message": message});
    let event = event(edited);
    assert_eq!(
        (event.id.as_str(), event.path.as_str()),
        ("5/3/edit/12", "telegram_bot/5")
    );
    assert_eq!(
        event.what,
        What::Edit {
            of: "5/3".into(),
            text: "new".into()
        }
    );
    let moved_pin = json!({"update_id": 13, "edited_message": {"message_id": 3, "from": ada(), "chat": {"id": 5, "type": "private"},
        "location": {"latitude": 1.5, "longitude": 2.5}}});
    assert_eq!(skipped(moved_pin), Skipped::Nothing);
}

#[test]
fn a_press_keeps_its_topic() {
    let press = |message: Value, data: Value| json!({"update_id": 9, "callback_query": {"id": "777", "from": ada(), "message": message, "data": data, "chat_instance": "1"}});
    let below = json!({"message_id": 8, "date": 1_700_000_000, "chat": {"id": GROUP, "type": "supergroup"},
        "message_thread_id": 45, "is_topic_message": true, "text": "x"});
    let event = event(press(below, json!("stop.12")));
    assert_eq!(
        (event.id.as_str(), event.path.as_str()),
        ("press/777", "telegram_bot/-1001234/45")
    );
    assert_eq!(
        event.what,
        What::Press {
            button: "stop.12".into()
        }
    );
    assert_eq!((event.token, event.sent_at), (None, None));
    let old = json!({"message_id": 8, "date": 0, "chat": {"id": 5, "type": "private"}});
    assert!(matches!(read(press(old.clone(), json!("stop.12"))), Read::Event(_)));
    for odd in [press(Value::Null, json!("x")), press(old, Value::Null)] {
        assert!(matches!(read(odd), Read::Empty(id) if id == "777"));
    }
}

#[test]
fn a_migration_moves_the_old_path() {
    let usual = json!({"message_id": 3, "date": 1_700_000_000, "from": ada(), "chat": {"id": -55, "type": "group"}});
    let event = event(with(usual, json!({"migrate_to_chat_id": -100_555_i64})));
    assert_eq!(
        (event.id.as_str(), event.path.as_str()),
        ("update/9", "telegram_bot/-55")
    );
    let to = "telegram_bot/-100555".parse().unwrap();
    assert_eq!(event.what, What::Moved { to });
    assert_eq!(skipped(group(json!({"migrate_from_chat_id": -55}))), Skipped::Nothing);
}

#[test]
fn coming_and_going_is_told() {
    let change = |old: &str, new: &str| {
        json!({"update_id": 9, "my_chat_member": {"chat": {"id": GROUP, "type": "supergroup"}, "from": ada(), "date": 1_700_000_000,
            "old_chat_member": {"user": {"id": ME}, "status": old}, "new_chat_member": {"user": {"id": ME}, "status": new}}})
    };
    let invited = event(change("left", "member"));
    assert_eq!((invited.what, invited.id.as_str()), (What::Invited, "update/9"));
    assert_eq!(event(change("administrator", "kicked")).what, What::Left);
    assert_eq!(skipped(change("member", "administrator")), Skipped::Nothing);
}

#[test]
fn service_messages_and_bots_say_nothing() {
    for service in [
        json!({"new_chat_members": [ada()]}),
        json!({"pinned_message": {"message_id": 1}}),
        json!({"forum_topic_created": {"name": "x"}}),
        json!({}),
    ] {
        assert_eq!(skipped(group(service)), Skipped::Nothing);
    }
    let bot = json!({"text": "@Tertulia_bot hi", "from": {"id": 8, "is_bot": true, "first_name": "Other"}});
    assert_eq!(skipped(group(bot)), Skipped::Bot);
    let own = json!({"text": "x", "from": {"id": ME, "is_bot": true}});
    assert_eq!(skipped(private(own)), Skipped::Bot);
    assert_eq!(
        skipped(private(json!({"text": "x", "message_id": 0}))),
        Skipped::Nothing
    );
    assert_eq!(
        skipped(private(json!({"text": "x", "chat": {"id": 0}}))),
        Skipped::Nothing
    );
    let strange = json!({"update_id": 9, "chat_boost": {}});
    assert_eq!(skipped(strange), Skipped::Odd(Odd::Unknown("chat_boost".into())));
}

#[test]
fn only_plain_text_can_be_a_piece_of_a_paste() {
    let units = |update| match read(update) {
        Read::Event(piece) => piece.units,
        other => panic!("no event: {other:?}"),
    };
    assert_eq!(units(private(json!({"text": "a😀"}))), 3);
    let photo = json!([{"file_id": "x", "width": 1, "height": 1}]);
    assert_eq!(units(private(json!({"caption": "a", "photo": photo}))), 0);
    let forwarded = json!({"text": "a", "forward_origin": {"type": "hidden_user", "sender_user_name": "X", "date": 1}});
    assert_eq!(units(private(forwarded)), 0);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z@/😀 \u{0}\u{202e}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(field(), inner, 0..8).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn field() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "update_id",
        "message",
        "edited_message",
        "callback_query",
        "my_chat_member",
        "message_id",
        "chat",
        "id",
        "type",
        "from",
        "text",
        "caption",
        "entities",
        "caption_entities",
        "offset",
        "length",
        "url",
        "user",
        "photo",
        "document",
        "file_id",
        "reply_to_message",
        "quote",
        "external_reply",
        "forward_origin",
        "sender_user",
        "data",
        "sticker",
        "date",
        "dice",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn no_json_makes_it_panic(update in any_json()) {
        if let Some(update) = Update::read(update) {
            let _ = Reader { account: &account(), me: &me(), config: &Config::official(Secret::new("1:x")) }.read(update);
        }
    }

    #[test]
    fn no_entities_make_it_panic(text in "[a@😀ä /,:]{0,12}", entities in prop::collection::vec((0..14_usize, 0..14_usize, 0..3_usize), 0..5)) {
        let kinds = ["text_link", "text_mention", "mention"];
        let entities: Vec<Value> = entities
            .into_iter()
            .map(|(offset, length, kind)| {
                json!({"type": kinds[kind], "offset": offset, "length": length, "url": "https://x", "user": {"id": ME}})
            })
            .collect();
        let update = group(json!({"text": text, "entities": entities}));
        prop_assert!(matches!(read(update), Read::Event(_)));
    }
}

fn account() -> Account {
    Account {
        interface: "telegram_bot".into(),
        identity: ME.to_string(),
    }
}

fn me() -> Me {
    Me {
        id: ME,
        username: "Tertulia_bot".into(),
        can_read_all_group_messages: true,
    }
}
