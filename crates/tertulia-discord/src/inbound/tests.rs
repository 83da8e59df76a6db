//! What is made of what people write and press, and what is left out.

use serde_json::{Map, Value, json};
use tertulia_message::command::CommandPlace;
use tertulia_message::{Level, Quoted, Secret};

use super::*;
use crate::wire::{Channel, Event};

const GUILD: u64 = 5;
/// A channel, a thread in it, a forum and a post in it, a thread that the bot began, and a direct conversation.
const CHANNEL: u64 = 10;
const THREAD: u64 = 11;
const POST: u64 = 13;
const OURS: u64 = 14;
const DIRECT: u64 = 20;

fn id(number: u64) -> Snowflake {
    Snowflake::new(number).unwrap()
}

fn known() -> Known {
    let mut known = Known::new(id(1));
    let guild = json!({"id": GUILD, "roles": [{"id": "50", "name": "Bot", "tags": {"bot_id": "1"}}, {"id": "51", "name": "Team"}],
        "channels": [{"id": CHANNEL, "type": 0, "name": "general"}, {"id": "12", "type": 15, "name": "forum"}],
        "threads": [{"id": THREAD, "type": 11, "parent_id": CHANNEL}, {"id": POST, "type": 11, "parent_id": "12"},
            {"id": OURS, "type": 11, "parent_id": CHANNEL, "owner_id": "1"}]});
    known.take(&Event::read("GUILD_CREATE", &guild.to_string()));
    known.add(Channel::read(&json!({"id": DIRECT, "type": 1}).to_string()).unwrap());
    known
}

fn config() -> Config {
    let mut config = Config::official(Secret::new("a.b.c"));
    config.bots = vec![id(99)];
    config
}

const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "help",
    level: Level::User,
    arguments: "",
    help: "help",
    place: CommandPlace::Anywhere,
}];

fn with<T>(config: &Config, use_it: impl FnOnce(Reader<'_>) -> T) -> T {
    let account = Account {
        interface: "discord_bot".to_owned(),
        identity: "1".to_owned(),
    };
    let known = known();
    use_it(Reader {
        account: &account,
        config,
        commands: COMMANDS,
        known: &known,
    })
}

/// A message of Ada's in the channel, with these fields beside the usual ones.
fn message(fields: Value) -> Message {
    let mut message = object(
        json!({"id": "175928847299117063", "channel_id": CHANNEL, "guild_id": GUILD, "type": 0,
        "content": "", "author": {"id": "7", "username": "ada", "global_name": "Ada"}}),
    );
    message.extend(object(fields));
    Message::read(&Value::Object(message).to_string()).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

fn read(fields: Value, around: &Around<'_>) -> Read {
    with(&config(), |reader| reader.message(&message(fields), around))
}

#[track_caller]
fn event(fields: Value) -> Inbound {
    match read(fields, &Around::default()) {
        Read::Event(event) => *event,
        other => panic!("no event: {other:?}"),
    }
}

#[track_caller]
fn text(event: &Inbound) -> &str {
    match &event.what {
        What::Message { text } => text,
        other => panic!("no message: {other:?}"),
    }
}

#[track_caller]
fn check(fields: Value, addressed: Addressed, expected: &str) {
    let shown = fields.to_string();
    let event = event(fields);
    assert_eq!((event.addressed, text(&event)), (addressed, expected), "{shown}");
}

/// Fields of a message that mentions the bot.
fn mention(content: &str) -> Value {
    json!({"content": content, "mentions": [{"id": "1", "username": "bot"}, {"id": "8", "username": "bob", "member": {"nick": "Bobby"}}]})
}

#[test]
fn a_message_has_its_place_its_sender_and_its_time() {
    let event = event(json!({"content": "hi", "member": {"nick": "Countess\n\u{202e}"}}));
    assert_eq!(event.path.as_str(), "discord_bot/10");
    assert_eq!(
        (event.id.as_str(), event.sender.to_string().as_str()),
        ("175928847299117063", "discord_bot/7")
    );
    assert_eq!(
        (event.sender_name.as_str(), event.sent_at),
        ("Countess", Some(1_462_015_105_796))
    );
    assert_eq!((event.join, event.token, event.quoted), (None, None, None));
}

#[test]
fn threads_and_posts_have_paths_of_their_own() {
    for (channel, thread, path) in [
        (THREAD, json!(null), "discord_bot/10/11"),
        (POST, json!(null), "discord_bot/12/13"),
        (
            CHANNEL,
            json!({"id": "175928847299117063", "type": 11}),
            "discord_bot/10/175928847299117063",
        ),
    ] {
        let event = event(json!({"channel_id": channel, "content": "x", "thread": thread}));
        assert_eq!(event.path.as_str(), path);
    }
    let starter = event(json!({"id": POST, "channel_id": POST, "content": "the post itself"}));
    assert_eq!(starter.path.as_str(), "discord_bot/12/13");
}

#[test]
fn a_place_that_is_not_known_has_to_be_asked_for() {
    let unknown = json!({"channel_id": "77", "content": "x"});
    assert_eq!(read(unknown, &Around::default()), Read::Unplaced(id(77)));
    let direct = event(json!({"channel_id": "77", "guild_id": null, "content": "x"}));
    assert_eq!(
        (direct.path.as_str(), direct.addressed),
        ("discord_bot/77", Addressed::Direct)
    );
}

#[test]
fn the_bot_is_addressed_in_these_ways() {
    check(json!({"content": "x"}), Addressed::None, "x");
    check(
        json!({"content": "x", "channel_id": DIRECT, "guild_id": null}),
        Addressed::Direct,
        "x",
    );
    check(mention("<@1> x"), Addressed::Mention, "x");
    check(json!({"content": "<@!1>, x"}), Addressed::Mention, "x");
    check(
        json!({"content": "<@&50>: x", "mention_roles": ["50"]}),
        Addressed::Mention,
        "x",
    );
    check(
        json!({"content": "x", "mention_roles": ["51"], "mention_everyone": true}),
        Addressed::None,
        "x",
    );
    check(json!({"content": "/help me"}), Addressed::Command, "/help me");
    check(json!({"content": "<@1> /help me"}), Addressed::Command, "/help me");
    check(json!({"content": "/helpme"}), Addressed::None, "/helpme");
    check(json!({"content": "x", "channel_id": OURS}), Addressed::Reply, "x");
    let reply = |author: u64| {
        json!({"type": 19, "content": "x", "message_reference": {"message_id": "3", "channel_id": CHANNEL},
            "referenced_message": {"id": "3", "channel_id": CHANNEL, "content": "said", "author": {"id": author, "username": "b"}}})
    };
    check(reply(1), Addressed::Reply, "x");
    check(reply(8), Addressed::None, "x");
}

#[test]
fn what_is_configured_and_known_around_counts() {
    let around = Around {
        is_our_thread: true,
        starter: None,
    };
    let Read::Event(event) = read(json!({"content": "x", "channel_id": THREAD}), &around) else {
        panic!()
    };
    assert_eq!(event.addressed, Addressed::Reply);
    let mut config = config();
    config.always_on = vec![crate::always_on("10").unwrap()];
    let read = with(&config, |reader| {
        reader.message(&message(json!({"content": "x"})), &Around::default())
    });
    let Read::Event(event) = read else { panic!() };
    assert_eq!(event.addressed, Addressed::Mention);
}

#[test]
fn words_are_read_as_people_see_them() {
    let mentioned = |content: &str, expected: &str| check(mention(content), Addressed::Mention, expected);
    mentioned("<@1> ask <@8>, <@!8> and <@9>", "ask @Bobby, @Bobby and <@9>");
    mentioned("x <@1>", "x");
    mentioned("so <@1> said", "so @bot said");
    mentioned("<@1>", "@bot");
    mentioned("<@1> <@&51> in <#10>, <#77>", "@Team in #general, <#77>");
    mentioned(
        "<@1> <:wave:123> <a:dance:456> <:a b:1> <:x:>",
        ":wave: :dance: <:a b:1> <:x:>",
    );
    mentioned("<@1> </model set:123> at <t:0:R>", "/model set at 1970-01-01 00:00 UTC");
    mentioned("<@1> a < b > c << <@8> <", "a < b > c << @Bobby <");
    mentioned("<@1> **bold** `<x>`", "**bold** `<x>`");
}

#[test]
fn what_is_no_text_is_told_as_text() {
    check(
        json!({"poll": {"question": {"text": "Tea?"}, "answers": [{"poll_media": {"text": "yes"}}, {"poll_media": {"emoji": {"name": "👎"}}}]}}),
        Addressed::None,
        "[poll: Tea? (yes / 👎)]",
    );
    check(
        json!({"sticker_items": [{"id": "3", "name": "wave", "format_type": 3}]}),
        Addressed::None,
        "[sticker wave]",
    );
    check(
        json!({"content": "see", "embeds": [{"title": "T", "description": "D", "url": "https://x.org", "fields": [{"name": "a", "value": "b"}]}, {}]}),
        Addressed::None,
        "see\n[shown below: T\nD\na: b\nhttps://x.org]",
    );
    let forward = json!({"message_reference": {"type": 1, "message_id": "3", "channel_id": "4"},
        "message_snapshots": [{"message": {"content": "hi <@8>", "mentions": [{"id": "8", "username": "bob"}],
            "attachments": [{"id": "6", "filename": "a.png", "url": "u"}]}}]});
    let event = event(forward);
    assert_eq!(
        (text(&event), &event.reply_to, &event.quoted),
        ("Forwarded:\nhi @bob", &None, &None)
    );
    assert_eq!(event.files[0].handle, "10/175928847299117063/6 u");
}

#[test]
fn files_can_be_found_again() {
    let event = event(
        json!({"attachments": [{"id": "6", "filename": "a_b.txt", "title": "a b.txt", "description": "notes",
        "content_type": "text/plain; charset=utf-8", "size": 7, "url": "https://cdn.discordapp.com/a?ex=1"}],
        "sticker_items": [{"id": "8", "name": "w", "format_type": 1}, {"id": "9", "name": "g", "format_type": 4}]}),
    );
    let file = &event.files[0];
    assert_eq!(file.handle, "10/175928847299117063/6 https://cdn.discordapp.com/a?ex=1");
    assert_eq!(
        (file.name.as_str(), file.mime.as_deref(), file.size),
        ("a b.txt", Some("text/plain"), Some(7))
    );
    assert_eq!(
        event.files[1].handle,
        "10/175928847299117063/8 https://cdn.discordapp.com/stickers/8.png"
    );
    assert_eq!(event.files[2].mime.as_deref(), Some("image/gif"));
    assert_eq!(text(&event), "[a b.txt: notes]\n[sticker w]\n[sticker g]");
}

#[test]
fn replies_bring_what_they_answer() {
    let reply = |answered: Value| {
        let event = event(
            json!({"type": 19, "content": "x", "message_reference": {"message_id": "3"}, "referenced_message": answered}),
        );
        (event.reply_to, event.quoted)
    };
    let quoted = |who: &str, text: &str| {
        let (who, text) = (who.to_owned(), text.to_owned());
        Some(Quoted { who, text })
    };
    let said = |author: u64, content: &str| json!({"id": "3", "channel_id": CHANNEL, "content": content, "author": {"id": author, "username": "bob", "bot": author == 1}});
    let three = Some("3".to_owned());
    assert_eq!(
        reply(said(8, "hello <#10>")),
        (three.clone(), quoted("bob", "hello #general"))
    );
    assert_eq!(reply(said(1, "mine")), (three.clone(), quoted("", "mine")));
    assert_eq!(reply(Value::Null), (three.clone(), None));
    assert_eq!(reply(said(8, "")), (three.clone(), None));
    let mut picture = said(8, "");
    picture["attachments"] = json!([{"id": "6", "filename": "a.png", "url": "u"}]);
    assert_eq!(reply(picture), (three, quoted("bob", "[a.png]")));
    let long = reply(said(8, &"ä".repeat(2000))).1.unwrap().text;
    assert_eq!(long.chars().count(), 1001);
}

#[test]
fn who_speaks_in_a_new_thread_speaks_about_its_first_message() {
    let starter = message(json!({"id": THREAD, "content": "the question"}));
    let around = Around {
        is_our_thread: false,
        starter: Some(&starter),
    };
    let quoted = |fields: Value| match read(fields, &around) {
        Read::Event(event) => event.quoted.map(|quoted| quoted.text),
        other => panic!("no event: {other:?}"),
    };
    assert_eq!(
        quoted(json!({"content": "x", "channel_id": THREAD})).as_deref(),
        Some("the question")
    );
    assert_eq!(quoted(json!({"content": "x"})), None);
    assert_eq!(
        quoted(json!({"content": "x", "channel_id": THREAD, "id": THREAD})),
        None
    );
}

#[test]
fn what_nobody_said_to_us_is_left_out() {
    for (fields, expected) in [
        (
            json!({"content": "x", "author": {"id": "8", "bot": true}}),
            Skipped::Bot,
        ),
        (
            json!({"content": "x", "author": {"id": "8", "system": true}}),
            Skipped::Bot,
        ),
        (json!({"content": "x", "author": {"id": "1"}}), Skipped::Bot),
        (json!({"content": "x", "author": {"id": "99"}}), Skipped::Bot),
        (json!({"content": "x", "webhook_id": "8"}), Skipped::Bot),
        (json!({"content": "x", "author": null}), Skipped::Nothing),
        (json!({"content": ""}), Skipped::Unseen),
        (json!({"content": " \n"}), Skipped::Unseen),
    ] {
        let shown = fields.to_string();
        assert_eq!(read(fields, &Around::default()), Read::Skipped(expected), "{shown}");
    }
    for kind in (1..60).filter(|kind| *kind != 19) {
        let fields = json!({"content": "x", "type": kind});
        assert_eq!(
            read(fields, &Around::default()),
            Read::Skipped(Skipped::Nothing),
            "{kind}"
        );
    }
}

#[test]
fn edits_are_told_apart_from_previews() {
    let edit = |fields: Value| with(&config(), |reader| reader.edited(&message(fields), &Around::default()));
    let at = "2026-08-06T12:00:00.123000+00:00";
    let Read::Event(event) = edit(json!({"content": "<@1> new", "edited_timestamp": at})) else {
        panic!()
    };
    let of = "175928847299117063".to_owned();
    assert_eq!(event.id, format!("edit/{of}/{at}"));
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
