//! Events as clients and servers write them, and what becomes of each.

mod hostile;
mod people_and_places;
mod words;

use serde_json::{Map, Value, json};
use tertulia_message::command::{CommandPlace, CommandSpec};
use tertulia_message::{Account, Addressed, Inbound, Level, Quoted, Secret, What};

use super::*;
use crate::config::{Config, Encryption, Login, always_on};

const ME: &str = "@tertulia_bot:h.org";
const ROOM: &str = "!room:h.org";
const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "status",
    level: Level::User,
    arguments: "",
    help: "",
    place: CommandPlace::Anywhere,
}];

fn account() -> Account {
    Account {
        interface: "matrix".to_owned(),
        identity: ME.to_owned(),
    }
}

/// A room of several people, with the bot called Tertulia.
fn group() -> Around<'static> {
    Around {
        room: ROOM,
        our_name: "Tertulia",
        sender_name: Some("Ada L."),
        ..Around::default()
    }
}

fn direct() -> Around<'static> {
    Around {
        is_direct: true,
        ..group()
    }
}

fn read_text(event: &str, around: &Around<'_>) -> Read {
    with_reader(Encryption::On, |reader| reader.read(event, around))
}

fn with_reader<T>(encryption: Encryption, then: impl FnOnce(&Reader<'_>) -> T) -> T {
    let login = Login::Token(Secret::new("t"));
    let mut config = Config::new("https://h.org", login, "/state");
    config.encryption = encryption;
    config.bots = vec!["@other_bot:h.org".to_owned()];
    config.always_on = vec![always_on("!on:h.org").unwrap(), always_on("!room:h.org/$on").unwrap()];
    let account = account();
    let reader = Reader {
        account: &account,
        user: ME,
        config: &config,
        commands: COMMANDS,
    };
    then(&reader)
}

fn read(event: &Value, around: &Around<'_>) -> Read {
    read_text(&event.to_string(), around)
}

/// An event of Ada's with these fields beside the usual ones.
fn event(kind: &str, content: Value, more: Value) -> Value {
    let mut event = object(
        json!({"event_id": "$e", "sender": "@ada:h.org", "origin_server_ts": 1_700_000_000_000_i64,
        "unsigned": {"membership": "join", "age": 7}}),
    );
    event.insert("type".to_owned(), kind.into());
    event.insert("content".to_owned(), content);
    event.extend(object(more));
    event.into()
}

/// A message of Ada's.
fn message(content: Value) -> Value {
    let mut usual = object(json!({"msgtype": "m.text", "m.mentions": {}}));
    usual.extend(object(content));
    event("m.room.message", usual.into(), json!({}))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

#[track_caller]
fn inbound(event: &Value, around: &Around<'_>) -> Inbound {
    match read(event, around) {
        Read::Event(inbound) => *inbound,
        other => panic!("no event: {other:?}"),
    }
}

#[track_caller]
fn text(event: &Value, around: &Around<'_>) -> String {
    match inbound(event, around).what {
        What::Message { text } => text,
        other => panic!("no message: {other:?}"),
    }
}

/// Checks what is read of a message in a group.
#[track_caller]
fn check(content: Value, addressed: Addressed, expected: &str) {
    let event = message(content);
    let inbound = inbound(&event, &group());
    let said = match inbound.what {
        What::Message { text } => text,
        What::Slash { name, arguments } => format!("slash {name} {arguments}"),
        other => panic!("neither words nor a command: {other:?}"),
    };
    assert_eq!((inbound.addressed, said.as_str()), (addressed, expected), "{event}");
}

#[track_caller]
fn check_skipped(event: &Value, expected: Skipped) {
    assert_eq!(read(event, &direct()), Read::Skipped(expected), "{event}");
}
