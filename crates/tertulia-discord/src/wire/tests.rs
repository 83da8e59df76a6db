//! What is read of what Discord sends, whole and odd.

use serde_json::json;

use super::*;
use crate::ids::Snowflake;

fn id(number: u64) -> Snowflake {
    Snowflake::new(number).unwrap()
}

fn event(kind: &str, data: &serde_json::Value) -> Event {
    let frame = json!({"op": 0, "t": kind, "s": 7, "d": data}).to_string();
    match Frame::read(&frame) {
        Frame::Dispatch(Some(7), event) => *event,
        other => panic!("no event: {other:?}"),
    }
}

#[test]
fn frames_are_told_apart() {
    for (json, expected) in [
        (r#"{"op":10,"d":{"heartbeat_interval":41250}}"#, Frame::Hello(41_250)),
        (r#"{"op":10,"d":{}}"#, Frame::Other),
        (r#"{"op":11}"#, Frame::Heard),
        (r#"{"op":1,"d":null}"#, Frame::Beat),
        (r#"{"op":7,"d":null}"#, Frame::Reconnect),
        (r#"{"op":9,"d":true}"#, Frame::Invalid(true)),
        (r#"{"op":9,"d":false}"#, Frame::Invalid(false)),
        (r#"{"op":9}"#, Frame::Invalid(false)),
        ("{", Frame::Other),
        ("[]", Frame::Other),
    ] {
        assert_eq!(Frame::read(json), expected, "{json}");
    }
}

#[test]
fn a_session_begins() {
    let ready = json!({"v": 10, "user": {"id": "1", "username": "bot", "bot": true}, "session_id": "s",
        "guilds": [{"id": "5", "unavailable": true}, 7], "resume_gateway_url": "wss://r",
        "application": {"id": "2", "flags": 0}});
    let Event::Ready(ready) = event("READY", &ready) else {
        panic!()
    };
    assert_eq!(
        (ready.me.id, ready.me.is_bot, ready.application),
        (id(1), true, Some(id(2)))
    );
    assert_eq!(
        (ready.guilds, ready.resume_url.as_deref()),
        (vec![id(5)], Some("wss://r"))
    );
    assert_eq!(Event::read("RESUMED", "null"), Event::Resumed);
    assert_eq!(event("RESUMED", &json!({"_trace": []})), Event::Resumed);
}

#[test]
fn a_server_is_read_in_spite_of_its_odd_parts() {
    let guild = json!({"id": "5", "name": "S", "member_count": 200_000, "stage_instances": 7,
        "roles": [{"id": "50", "name": "Bot", "tags": {"bot_id": "1"}, "colors": []}, {"name": "?"}],
        "channels": [{"id": "51", "type": 0, "name": "a", "last_message_id": "99"}, {"id": "52", "type": 15}, {"id": "x"}],
        "threads": [{"id": "53", "type": 11, "parent_id": "51", "thread_metadata": {"locked": true}}],
        "members": [{"nick": "Bottie", "user": {"id": "1", "username": "bot"}}]});
    let Event::Guild(guild) = event("GUILD_CREATE", &guild) else {
        panic!()
    };
    assert_eq!(guild.roles.len(), 1);
    assert_eq!(guild.roles[0].bot, Some(id(1)));
    let kinds: Vec<ChannelKind> = guild.channels.iter().map(|channel| channel.kind).collect();
    assert_eq!(kinds, [ChannelKind::Text, ChannelKind::Forum]);
    assert_eq!(
        (guild.channels[0].guild, guild.channels[0].newest),
        (Some(id(5)), Some(id(99)))
    );
    let thread = &guild.threads[0];
    assert_eq!(
        (thread.kind, thread.parent, thread.is_locked),
        (ChannelKind::Thread, Some(id(51)), true)
    );
    assert_eq!(guild.members[0].name, "Bottie");
}

#[test]
fn servers_go_by_outage_or_for_good() {
    for (kind, data, is_outage) in [
        ("GUILD_DELETE", json!({"id": "5", "unavailable": true}), true),
        ("GUILD_DELETE", json!({"id": "5"}), false),
        ("GUILD_CREATE", json!({"id": "5", "unavailable": true}), true),
    ] {
        assert_eq!(event(kind, &data), Event::GuildGone { id: id(5), is_outage });
    }
}

#[test]
fn deleted_messages_are_told() {
    let of = |messages| {
        Event::Deleted(Removed {
            channel: id(2),
            guild: None,
            messages,
        })
    };
    assert_eq!(
        event("MESSAGE_DELETE", &json!({"id": "1", "channel_id": "2"})),
        of(vec![id(1)])
    );
    let bulk = json!({"ids": ["1", "x", "3"], "channel_id": "2"});
    assert_eq!(event("MESSAGE_DELETE_BULK", &bulk), of(vec![id(1), id(3)]));
}

#[test]
fn a_message_is_read_in_spite_of_its_odd_parts() {
    let message = json!({"id": "1", "channel_id": "2", "guild_id": "3", "type": "odd", "content": "hi",
        "author": {"id": "4", "username": "ada", "global_name": "Ada"}, "member": {"nick": "Countess", "roles": 7},
        "mentions": [{"id": "5", "username": "bob"}, {"username": "nobody"}, 7], "mention_roles": ["6", null],
        "attachments": [{"id": "7", "filename": "a.png", "url": "https://x/a.png", "size": "?"}, {"id": "8"}],
        "embeds": "odd", "poll": {"question": 7}, "referenced_message": null, "components": [{}], "flags": {},
        "message_reference": {"message_id": "9", "channel_id": "2"}, "nonce": 7, "timestamp": 7});
    let Event::Message(message) = event("MESSAGE_CREATE", &message) else {
        panic!()
    };
    assert_eq!((message.kind, message.content.as_str()), (0, "hi"));
    assert_eq!(message.author.unwrap().name, "Countess");
    assert_eq!((message.mentions.len(), message.mentioned_roles), (1, vec![id(6)]));
    assert_eq!((message.attachments.len(), message.attachments[0].size), (1, None));
    assert_eq!((message.poll, message.answered, message.nonce), (None, None, None));
    assert_eq!(message.reference.unwrap().message, Some(id(9)));
}

#[test]
fn copies_are_read_in_both_forms() {
    for copy in [json!({"message": {"content": "hi"}}), json!({"content": "hi"})] {
        let message = json!({"id": "1", "channel_id": "2", "message_snapshots": [copy]});
        assert_eq!(Message::read(&message.to_string()).unwrap().forwarded[0].content, "hi");
    }
    let event = json!({"t": "MESSAGE_CREATE", "d": {"id": "1", "channel_id": "2"}}).to_string();
    assert!(matches!(Event::of(&event), Event::Message(_)));
    assert_eq!(Event::of("7"), Event::Odd(String::new()));
}

#[test]
fn messages_within_messages_have_an_end() {
    let mut message = json!({"id": "1", "channel_id": "2", "content": "end"});
    for _ in 0..50 {
        message = json!({"id": "1", "channel_id": "2", "referenced_message": message});
    }
    let message = Message::read(&message.to_string()).unwrap();
    assert!(message.answered.unwrap().answered.unwrap().answered.is_none());
}

#[test]
fn what_cannot_be_read_is_named_by_its_kind() {
    assert_eq!(
        event("MESSAGE_CREATE", &json!({"id": "1"})),
        Event::Odd("MESSAGE_CREATE".to_owned())
    );
    assert_eq!(
        event("MESSAGE_CREATE", &json!(7)),
        Event::Odd("MESSAGE_CREATE".to_owned())
    );
    assert_eq!(
        event("TYPING_START", &json!({"x": 1})),
        Event::Other("TYPING_START".to_owned())
    );
    let all = Message::read_all(r#"[{"id":"1","channel_id":"2"},{"id":"x"}]"#).unwrap();
    assert_eq!((all.0.len(), all.1), (1, 1));
    assert!(Message::read_all("{}").is_none());
}

#[test]
fn interactions_show_no_token() {
    let slash = json!({"id": "1", "application_id": "2", "type": 2, "token": "canary", "guild_id": "3",
        "channel": {"id": "4", "type": 11, "parent_id": "5"}, "channel_id": "4", "context": 0,
        "member": {"nick": "A", "user": {"id": "6", "username": "ada"}},
        "data": {"type": 1, "name": "model", "options": [{"name": "set", "type": 1, "options": [
            {"name": "text", "type": 3, "value": "a b"}, {"name": "n", "type": 4, "value": 7}, {"name": "y", "value": true}]}]}});
    let Event::Interaction(slash) = event("INTERACTION_CREATE", &slash) else {
        panic!()
    };
    assert!(!format!("{slash:?}").contains("canary") && slash.token.expose() == "canary");
    let InteractionKind::Slash { name, options } = &slash.kind else {
        panic!()
    };
    let values: Vec<&str> = options.iter().map(|choice| choice.value.as_str()).collect();
    assert_eq!((name.as_str(), values), ("model", vec!["", "a b", "7", "true"]));
    let press = json!({"id": "1", "type": 3, "token": "t", "channel_id": "4", "user": {"id": "6", "username": "ada"},
        "data": {"component_type": 2, "custom_id": "stop/1"}, "message": {"id": "8", "channel_id": "4"}});
    let Event::Interaction(press) = event("INTERACTION_CREATE", &press) else {
        panic!()
    };
    let InteractionKind::Press { button, message } = press.kind else {
        panic!()
    };
    assert_eq!((button.as_str(), message.unwrap().id), ("stop/1", Some(id(8))));
    assert_eq!(press.channel.unwrap().kind, ChannelKind::Other);
}

#[test]
fn what_the_client_library_writes_anew_is_read() {
    let slash =
        json!({"id": "1", "token": "t", "channel_id": "4", "user": {"id": "6"}, "data": {"type": 1, "name": "help"}});
    let press = json!({"id": "1", "token": "t", "channel_id": "4", "user": {"id": "6"}, "data": {"component_type": 2, "custom_id": "x"}});
    let modal = json!({"id": "1", "token": "t", "channel_id": "4", "user": {"id": "6"}, "data": {"custom_id": "x"}});
    let kind = |data: &serde_json::Value| match event("INTERACTION_CREATE", data) {
        Event::Interaction(interaction) => interaction.kind,
        other => panic!("no interaction: {other:?}"),
    };
    assert!(matches!(kind(&slash), InteractionKind::Slash { .. }));
    assert!(matches!(kind(&press), InteractionKind::Press { .. }));
    assert_eq!(kind(&modal), InteractionKind::Other);
    let role = json!({"role": {"id": "50", "guild_id": "5", "name": "Bot"}});
    assert!(matches!(event("GUILD_ROLE_UPDATE", &role), Event::Role(guild, _) if guild == id(5)));
}
