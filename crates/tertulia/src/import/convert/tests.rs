//! Which rows become which lines, and which do not.

use super::*;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn row() -> Row {
    Row {
        number: 1,
        interface: text("telegram_bot"),
        chat: text("123"),
        thread: Value::Null,
        sender: text("ann"),
        text: text("hello"),
        timestamp: Value::Integer(1_714_564_800),
        is_role: false,
        values: Vec::new(),
    }
}

fn converter() -> Converter {
    let names = Names::new(
        &["My Bot".to_owned(), String::new()],
        &["Telegram=telegram_bot".to_owned()],
    );
    Converter::new(names.unwrap())
}

fn convert(row: &Row) -> Result<ImportedLine, String> {
    converter().convert(row)
}

fn path(interface: &str, chat: Value, thread: Value) -> Result<String, String> {
    let row = Row {
        interface: text(interface),
        chat,
        thread,
        ..row()
    };
    convert(&row).map(|line| line.path.to_string())
}

#[test]
fn old_places_become_paths() {
    let check = |interface, chat, thread, expected: &str| {
        assert_eq!(path(interface, chat, thread).as_deref(), Ok(expected));
    };
    check("telegram_bot", text("1"), text("0"), "telegram_bot/1");
    check(
        "telegram_bot",
        Value::Integer(-1001),
        Value::Integer(0),
        "telegram_bot/-1001",
    );
    check(
        "telegram_bot",
        Value::Integer(-1001),
        Value::Integer(5),
        "telegram_bot/-1001/5",
    );
    check(
        "telegram_bot",
        Value::Real(-1001.0),
        Value::Real(5.0),
        "telegram_bot/-1001/5",
    );
    check("discord_bot", text("1"), text("0"), "discord_bot/1/0");
    check("Telegram", text("1"), text("0"), "telegram_bot/1");
    check("matrix", text("!a:b"), text("$e/f"), "matrix/!a:b/$e%2Ff");
    check("matrix", Value::Blob(b"!a:b".to_vec()), Value::Null, "matrix/!a:b");
    for none in ["", "None", "none", "null"] {
        check("matrix", text("!a:b"), text(none), "matrix/!a:b");
    }
}

#[test]
fn what_has_no_place_is_refused() {
    for (interface, chat, thread) in [
        ("", text("1"), Value::Null),
        ("Discord", text("1"), Value::Null),
        ("discord_bot", Value::Null, Value::Null),
        ("discord_bot", text(""), text("5")),
        ("discord_bot", text(" "), Value::Null),
        ("discord_bot", Value::Real(1.5), Value::Null),
        ("discord_bot", Value::Blob(vec![0xff]), Value::Null),
        ("discord_bot", text(&"x".repeat(600)), Value::Null),
    ] {
        assert!(path(interface, chat.clone(), thread).is_err(), "{interface} {chat:?}");
    }
}

#[test]
fn the_bot_is_told_by_its_name() {
    let speaker = |sender: Value, is_role| {
        convert(&Row {
            sender,
            is_role,
            ..row()
        })
        .map(|line| line.speaker)
    };
    for bot in ["bot", "Assistant", "my bot", " MY BOT "] {
        assert_eq!(speaker(text(bot), false), Ok(None), "{bot}");
    }
    assert_eq!(speaker(Value::Null, false), Ok(None));
    assert_eq!(speaker(Value::Integer(7), false), Ok(Some("7".to_owned())));
    assert_eq!(speaker(text("user"), true), Ok(Some("user".to_owned())));
    assert!(speaker(text("system"), true).is_err());
    assert_eq!(speaker(text("system"), false), Ok(Some("system".to_owned())));
    let strict = Names::new(&[], &[]).unwrap();
    let sender = Value::Null;
    assert!(Converter::new(strict).convert(&Row { sender, ..row() }).is_err());
}

#[test]
fn what_says_nothing_or_too_much_is_refused() {
    for value in [
        Value::Null,
        text(""),
        text(" \n"),
        Value::Blob(vec![0xc3, 0x28]),
        text(&"x".repeat(HEAVIEST)),
    ] {
        assert!(convert(&Row { text: value, ..row() }).is_err());
    }
    let said = |value| convert(&Row { text: value, ..row() }).map(|line| line.text);
    assert_eq!(said(Value::Integer(7)), Ok("7".to_owned()));
    assert_eq!(said(Value::Real(1.5)), Ok("1.5".to_owned()));
}

#[test]
fn a_key_is_the_lines_own_and_the_same_in_every_copy() {
    let mut one = converter();
    let mut two = converter();
    let first = one.convert(&row()).unwrap().key;
    assert_eq!(first, two.convert(&Row { number: 9, ..row() }).unwrap().key);
    // twice the same words in the same second are two lines
    let second = one.convert(&row()).unwrap().key;
    assert_ne!(first, second);
    assert_eq!(second, two.convert(&row()).unwrap().key);
    for other in [
        Row {
            chat: text("12"),
            thread: text("3"),
            ..row()
        },
        Row {
            chat: text("1"),
            thread: text("23"),
            ..row()
        },
        Row {
            sender: text("bot"),
            ..row()
        },
        Row {
            text: text("hello!"),
            ..row()
        },
        Row {
            timestamp: Value::Integer(1_714_564_801),
            ..row()
        },
        Row {
            interface: text("discord_bot"),
            ..row()
        },
    ] {
        assert_ne!(converter().convert(&other).unwrap().key, first);
    }
}

#[test]
fn a_map_of_interfaces_is_checked() {
    for wrong in ["a", "a=", "a=B", "=B"] {
        assert!(Names::new(&[], &[wrong.to_owned()]).is_err(), "{wrong}");
    }
    assert!(Names::new(&[], &["a=b".to_owned(), "a=c".to_owned()]).is_err());
}
