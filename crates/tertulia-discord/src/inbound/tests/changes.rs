//! Changes of what was said, slash commands and buttons.

use super::*;

#[test]
fn edits_are_told_apart_from_previews() {
    let edit = |fields: Value| with(&config(), |reader| reader.edited(&message(fields), &Around::default()));
    let at = "2026-08-06T12:00:00.123000+00:00";
    for same in [at, "2026-08-06T12:00:00.123Z"] {
        assert_eq!(moment(same), "2026-08-06T12:00:00.123");
    }
    assert_eq!(moment("2026-08-06T12:00:00+00:00"), "2026-08-06T12:00:00.000");
    let Read::Event(event) = edit(json!({"content": "<@1> new", "edited_timestamp": at})) else {
        panic!()
    };
    let of = "175928847299117063".to_owned();
    assert_eq!(event.id, format!("edit/{of}/2026-08-06T12:00:00.123"));
    assert_eq!(
        (event.what, event.addressed),
        (
            What::Edit {
                of,
                text: "new".to_owned()
            },
            Addressed::Mention
        )
    );
    assert_eq!(edit(json!({"content": "x"})), Read::Skipped(Skipped::Nothing));
    assert_eq!(
        edit(json!({"author": {"id": "1"}, "edited_timestamp": at})),
        Read::Skipped(Skipped::Bot)
    );
}

#[test]
fn what_was_deleted_is_taken_back_by_its_author() {
    let removed = Removed {
        channel: id(THREAD),
        guild: Some(id(GUILD)),
        messages: vec![id(30), id(31)],
    };
    let author = |message: Snowflake| (message == id(30)).then_some(id(7));
    let read = with(&config(), |reader| reader.deleted(&removed, author));
    let [Read::Event(event), other] = read.as_slice() else {
        panic!()
    };
    assert_eq!(
        (event.path.as_str(), event.sender.id.as_str()),
        ("discord_bot/10/11", "7")
    );
    assert_eq!(
        (event.id.as_str(), &event.what),
        ("delete/30", &What::Redact { of: "30".to_owned() })
    );
    assert_eq!(other, &Read::Skipped(Skipped::Forgotten));
}

fn interaction(fields: Value) -> Read {
    let mut interaction = object(
        json!({"id": "175928847299117063", "application_id": "2", "token": "canary", "guild_id": GUILD,
        "channel": {"id": THREAD, "type": 11, "parent_id": CHANNEL}, "member": {"user": {"id": "7", "username": "ada"}}}),
    );
    interaction.extend(object(fields));
    let Event::Interaction(read) = Event::read("INTERACTION_CREATE", &Value::Object(interaction).to_string()) else {
        panic!()
    };
    with(&config(), |reader| reader.interaction(&read))
}

#[test]
fn slash_commands_become_commands() {
    let data = json!({"type": 1, "name": "model", "options": [{"name": "arguments", "type": 3, "value": "set gpt x"}]});
    let Read::Event(event) = interaction(json!({"type": 2, "data": data})) else {
        panic!()
    };
    assert_eq!(
        (event.path.as_str(), event.id.as_str()),
        ("discord_bot/10/11", "slash/175928847299117063")
    );
    let expected = What::Slash {
        name: "model".to_owned(),
        arguments: "set gpt x".to_owned(),
    };
    assert_eq!((&event.what, event.addressed), (&expected, Addressed::Command));
    assert_eq!(
        (event.sender_name.as_str(), event.sent_at),
        ("ada", Some(1_462_015_105_796))
    );
    assert!(!format!("{event:?}").contains("canary") && event.token.unwrap().expose() == "canary");
    let direct = json!({"type": 2, "data": {"type": 1, "name": "help"}, "guild_id": null, "channel": {"id": DIRECT, "type": 1},
        "member": null, "user": {"id": "7", "username": "ada"}});
    let Read::Event(event) = interaction(direct) else {
        panic!()
    };
    assert_eq!(
        (event.path.as_str(), event.addressed),
        ("discord_bot/20", Addressed::Direct)
    );
}

#[test]
fn buttons_are_pressed() {
    let press = json!({"type": 3, "data": {"component_type": 2, "custom_id": "stop/1"}, "channel": null, "channel_id": CHANNEL});
    let Read::Event(event) = interaction(press) else {
        panic!()
    };
    assert_eq!(
        (event.path.as_str(), event.id.as_str()),
        ("discord_bot/10", "press/175928847299117063")
    );
    assert_eq!(
        (event.what, event.addressed),
        (
            What::Press {
                button: "stop/1".to_owned()
            },
            Addressed::Reply
        )
    );
}

#[test]
fn other_interactions_come_to_nothing() {
    let unknown = json!({"type": 3, "data": {"custom_id": "x"}, "channel": null, "channel_id": "77"});
    assert_eq!(interaction(unknown), Read::Unplaced(id(77)));
    for odd in [
        json!({"type": 5, "data": {"custom_id": "x"}}),
        json!({"type": 4, "data": {"name": "help"}}),
        json!({"type": 2, "data": {"type": 3, "name": "x"}}),
        json!({"type": 2, "data": {"type": 1, "name": "x"}, "context": 2}),
    ] {
        let shown = odd.to_string();
        assert_eq!(interaction(odd), Read::Skipped(Skipped::Nothing), "{shown}");
    }
}
