//! What no client should send: nothing of it does harm, and nothing loses what can be read.

use proptest::prelude::*;

use super::*;

/// A message of Ada's as JSON, with something odd beside its words.
fn beside(field: &str, odd: &str) -> String {
    format!(
        r#"{{"event_id":"$e","sender":"@ada:h.org","type":"m.room.message","{field}x":{odd},"content":{{"msgtype":"m.text","body":"hi","{field}":{odd}}}}}"#
    )
}

#[track_caller]
fn check_read(json: &str) {
    match read_text(json, &direct()) {
        Read::Event(event) => assert_eq!(event.what, What::Message { text: "hi".into() }),
        other => panic!("{other:?}"),
    }
}

#[test]
fn odd_fields_lose_no_message() {
    let deep = format!("{}1{}", "{\"a\":[".repeat(20_000), "]}".repeat(20_000));
    let odd = [
        deep.as_str(),
        "null",
        "7",
        "1e400",
        "\"\\ud800\"",
        "[]",
        "{\"event_id\":{}}",
        "{\"event_id\":7,\"rel_type\":[]}",
    ];
    let fields = [
        "m.relates_to",
        "m.mentions",
        "formatted_body",
        "format",
        "m.new_content",
        "info",
        "x",
    ];
    for odd in odd {
        for field in fields {
            check_read(&beside(field, odd));
        }
    }
}

#[test]
fn what_is_no_event_is_left_out() {
    let whole = message(json!({"body": "hi"}));
    for field in ["event_id", "sender", "type"] {
        for odd in [json!(null), json!(7), json!("")] {
            let mut event = whole.clone();
            event[field] = odd.clone();
            let expected = if field == "type" && odd == json!("") {
                Skipped::Nothing
            } else {
                Skipped::Odd
            };
            check_skipped(&event, expected);
        }
    }
    for odd in ["", "[]", "null", "{", "\u{0}"] {
        assert_eq!(read_text(odd, &direct()), Read::Skipped(Skipped::Odd), "{odd}");
    }
}

#[test]
fn ids_that_no_path_can_hold_are_left_out() {
    let room = format!("!{}:h", "/".repeat(200));
    let around = Around {
        room: &room,
        ..direct()
    };
    assert_eq!(
        read(&message(json!({"body": "hi"})), &around),
        Read::Skipped(Skipped::Odd)
    );
    let long = format!("${}", "x".repeat(300));
    let threaded = message(json!({"body": "hi", "m.relates_to": {"rel_type": "m.thread", "event_id": long}}));
    assert_eq!(inbound(&threaded, &group()).path.as_str(), "matrix/!room:h.org");
}

#[test]
fn a_relation_to_nothing_is_only_a_word() {
    let reply = message(json!({"body": "hi", "m.relates_to": {"m.in_reply_to": {"event_id": "$nothing"}}}));
    let read = inbound(&reply, &group());
    assert_eq!((read.reply_to.as_deref(), read.quoted), (Some("$nothing"), None));
    for odd in ["", "null", "{}", "{\"event_id\":\"$nothing\"}"] {
        let around = Around {
            related: Some(odd),
            ..group()
        };
        assert_eq!(inbound(&reply, &around).what, What::Message { text: "hi".into() });
    }
}

#[test]
fn names_are_told_on_one_line() {
    let around = Around {
        sender_name: Some("A\u{202e}d\na\0"),
        ..direct()
    };
    let event = message(json!({"msgtype": "m.emote", "body": "waves"}));
    assert_eq!(text(&event, &around), "* Ad a waves");
    let around = Around {
        sender_name: Some("\u{202e}"),
        ..direct()
    };
    assert_eq!(inbound(&event, &around).sender_name, "ada");
}

#[test]
fn long_texts_are_read_at_once() {
    for unit in [
        "<",
        "> <@a:h.org>",
        "> ",
        "href=\"",
        "Tertulia",
        "@",
        "&amp;",
        "\n",
        "İ",
        "!status ",
    ] {
        let body = unit.repeat(60_000 / unit.len());
        let content =
            json!({"body": body, "formatted_body": body, "m.relates_to": {"m.in_reply_to": {"event_id": "$e"}}});
        assert!(matches!(
            read(&message(content.clone()), &group()),
            Read::Event(_) | Read::Skipped(Skipped::Nothing)
        ));
        let old = event(
            "m.room.message",
            json!({"msgtype": "m.text", "body": body, "formatted_body": body}),
            json!({}),
        );
        assert!(matches!(
            read(&old, &group()),
            Read::Event(_) | Read::Skipped(Skipped::Nothing)
        ));
    }
}

proptest! {
    #[test]
    fn any_words_are_read(body in "(\\PC|[\n> <@:!/*]|Tertulia|İ|ß){0,60}", html in "(<a href=\"|>|\\PC|https://matrix.to/#/){0,20}") {
        let event = message(json!({"body": body, "formatted_body": html, "m.relates_to": {"m.in_reply_to": {"event_id": "$x"}}}));
        let has_words = !body.trim().is_empty();
        if let Read::Event(event) = read(&event, &group()) {
            let is_empty = matches!(event.what, What::Message { text } if text.trim().is_empty());
            prop_assert!(!is_empty);
        } else {
            prop_assert!(!has_words || body.trim_start().starts_with('>'));
        }
    }

    #[test]
    fn any_value_in_any_place_does_no_harm(
        key in prop_oneof![Just("m.relates_to"), Just("m.new_content"), Just("file"), Just("url"), Just("info"), Just("msgtype"),
            Just("m.mentions"), Just("m.poll"), Just("redacts"), Just("membership"), Just("replacement_room")],
        kind in prop_oneof![Just("m.room.message"), Just("m.reaction"), Just("m.room.redaction"), Just("m.sticker"),
            Just("m.room.encrypted"), Just("m.room.member"), Just("m.room.tombstone"), Just("m.poll.start")],
        value in prop_oneof![Just(json!(null)), Just(json!([[]])), Just(json!({"event_id": "$x", "rel_type": "m.replace"})),
            Just(json!({"url": 7, "key": []})), "\\PC{0,9}".prop_map(Value::from), any::<i64>().prop_map(Value::from)],
        is_state in any::<bool>(),
    ) {
        let more = if is_state { json!({"state_key": ME}) } else { json!({}) };
        let event = event(kind, json!({"body": "hi", key: value}), more);
        let _read = read(&event, &group());
        let _needs = Needs::of(&event.to_string());
    }
}
