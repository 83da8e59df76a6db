//! What is made of what people write and press, and what is left out.

use serde_json::{Map, Value, json};
use tertulia_message::command::CommandPlace;
use tertulia_message::{Level, Quoted, Secret};

use super::*;
use crate::wire::{Channel, Event};

mod changes;
mod words;

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
