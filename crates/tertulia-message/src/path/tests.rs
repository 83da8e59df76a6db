//! The rules of interface paths, one family of cases each.

use super::*;

type Levels = &'static [Option<&'static str>];

#[track_caller]
fn check_build(interface: &str, levels: Levels, expected: Result<&str, PathError>) {
    let built = InterfacePath::build(interface, levels.iter().copied());
    assert_eq!(built.as_ref().map(InterfacePath::as_str), expected.as_ref().copied());
    if let Ok(path) = built {
        assert_eq!(
            InterfacePath::parse(path.as_str()),
            Ok(path.clone()),
            "build writes what parse reads"
        );
        let ids: Vec<_> = levels.iter().flatten().copied().collect();
        assert_eq!(path.levels().skip(1).collect::<Vec<_>>(), ids, "every id round-trips");
    }
}

#[test]
fn levels_are_joined_and_absent_ones_at_the_end_left_out() {
    check_build("telegram_bot", &[Some("1"), Some("2")], Ok("telegram_bot/1/2"));
    check_build("telegram_bot", &[Some("1"), None, None], Ok("telegram_bot/1"));
    check_build("x", &[Some("a"), Some("b"), Some("c"), Some("d")], Ok("x/a/b/c/d"));
    check_build("x", &[Some("1"), None, Some("3")], Err(PathError::Gap));
    check_build("x", &[None, Some("3")], Err(PathError::Gap));
    check_build("x", &[None], Err(PathError::NoTarget));
    check_build("x", &[], Err(PathError::NoTarget));
}

#[test]
fn an_interface_is_a_plain_name() {
    for name in ["", "1x", "_x", "Telegram", "a-b", "a b", "é", "a%20", " a"] {
        check_build(name, &[Some("1")], Err(PathError::Interface));
        assert_eq!(InterfaceName::parse(name), Err(PathError::Interface));
    }
    for name in ["a", "telegram_bot", "x2_"] {
        assert_eq!(InterfaceName::parse(name).unwrap().to_string(), name);
    }
}

#[test]
fn only_slash_percent_white_space_and_control_are_escaped() {
    check_build("x", &[Some("a/b")], Ok("x/a%2Fb"));
    check_build("x", &[Some("100%")], Ok("x/100%25"));
    check_build("x", &[Some("%2F")], Ok("x/%252F"));
    check_build("x", &[Some("a b\tc\n")], Ok("x/a%20b%09c%0A"));
    check_build("x", &[Some("\u{0}\u{7f}\u{85}")], Ok("x/%00%7F%C2%85"));
    check_build(
        "x",
        &[Some("a\u{a0}b\u{3000}c\u{2028}d")],
        Ok("x/a%C2%A0b%E3%80%80c%E2%80%A8d"),
    );
    check_build("matrix", &[Some("!r:m.org"), Some("$e")], Ok("matrix/!r:m.org/$e"));
    check_build(
        "x",
        &[Some("~?#&=+[]\\\"'<>|^`{}日本🦀")],
        Ok("x/~?#&=+[]\\\"'<>|^`{}日本🦀"),
    );
}

#[test]
fn outer_white_space_of_an_id_is_kept_and_a_blank_id_refused() {
    check_build("x", &[Some(" a ")], Ok("x/%20a%20"));
    for blank in ["", " ", "\t\n", "\u{a0}\u{3000}"] {
        assert_eq!(InterfacePath::build("x", [blank]), Err(PathError::Blank));
        assert_eq!(InterfacePath::build("x", ["1", blank]), Err(PathError::Blank));
    }
}

#[test]
fn integers_are_rendered_in_decimal() {
    let path = InterfacePath::build("telegram_bot", [Some(-1_001_234_567_890_i64), None]).unwrap();
    assert_eq!(path.as_str(), "telegram_bot/-1001234567890");
    assert_eq!(
        InterfacePath::build("x", [i64::MIN]).unwrap().as_str(),
        "x/-9223372036854775808"
    );
    assert_eq!(
        InterfacePath::build("x", [u64::MAX]).unwrap().as_str(),
        "x/18446744073709551615"
    );
    let mixed = [PathLevel::from("a"), PathLevel::from(7), PathLevel::Absent];
    assert_eq!(InterfacePath::build("x", mixed).unwrap().as_str(), "x/a/7");
}

#[test]
fn the_limit_counts_encoded_characters() {
    let fits = "é".repeat(MAX_CHARS - 2);
    let path = InterfacePath::build("x", [fits.as_str()]).unwrap();
    assert_eq!(path.as_str().chars().count(), MAX_CHARS);
    assert_eq!(InterfacePath::parse(path.as_str()), Ok(path.clone()));
    assert_eq!(InterfacePath::parse(&format!("{path}x")), Err(PathError::TooLong));
    let encoded_too_long = "/".repeat(MAX_CHARS / 3 + 1);
    assert_eq!(InterfacePath::build("x", [encoded_too_long]), Err(PathError::TooLong));
}

#[track_caller]
fn check_invalid(text: &str, expected: PathError) {
    assert_eq!(InterfacePath::parse(text), Err(expected), "{text:?}");
    assert_eq!(text.parse::<InterfacePath>(), Err(expected));
    assert_eq!(InterfacePath::try_from(text), Err(expected));
}

#[test]
fn parse_refuses_what_build_does_not_write() {
    check_invalid("", PathError::Interface);
    check_invalid("/123", PathError::Interface);
    check_invalid(" telegram_bot/1", PathError::Interface);
    check_invalid("telegram%5Fbot/1", PathError::Interface);
    check_invalid("invalid_path", PathError::NoTarget);
    for text in ["x/", "x//1", "x/1/", "x/1//2", "x/%20", "x/1/%C2%A0%09"] {
        check_invalid(text, PathError::Blank);
    }
    for text in ["x/a b", "x/1 ", "x/a\n", "x/a\u{a0}b", "x/\u{7}"] {
        check_invalid(text, PathError::Encoding);
    }
    for text in [
        "x/a%2fb",
        "x/%41",
        "x/%",
        "x/a%2",
        "x/%zz",
        "x/%+2",
        "x/%C3",
        "x/%FF",
        "x/a%C3%A9",
        "x/%é0",
    ] {
        check_invalid(text, PathError::Encoding);
    }
}

#[track_caller]
fn check_parts(text: &str, target: &str, thread: Option<&str>, parent: Option<&str>, chat: &str) {
    let path = InterfacePath::parse(text).unwrap();
    assert_eq!(path.interface(), text.split('/').next().unwrap());
    assert_eq!(path.target(), target);
    assert_eq!(path.thread().as_deref(), thread);
    assert_eq!(path.parent().as_ref().map(InterfacePath::as_str), parent);
    assert_eq!(path.chat().as_str(), chat);
    assert_eq!(path.level(0).as_deref(), Some(path.interface()));
    assert_eq!(path.level(1).as_deref(), Some(target));
    assert_eq!(path.level(path.levels().count()), None);
}

#[test]
fn parts_are_decoded_and_the_thread_is_the_last_level() {
    check_parts("telegram_bot/1", "1", None, None, "telegram_bot/1");
    check_parts(
        "telegram_bot/1/2",
        "1",
        Some("2"),
        Some("telegram_bot/1"),
        "telegram_bot/1",
    );
    check_parts("x/a%2Fb/c/d%20e", "a/b", Some("d e"), Some("x/a%2Fb/c"), "x/a%2Fb");
}

#[track_caller]
fn check_legacy(interface: &str, chat: Option<&str>, thread: Option<&str>, expected: Result<&str, PathError>) {
    let path = InterfacePath::from_legacy(interface, chat, thread);
    assert_eq!(path.as_ref().map(InterfacePath::as_str), expected.as_ref().copied());
}

#[test]
fn legacy_columns_have_many_words_for_no_thread() {
    for thread in [None, Some(""), Some("None"), Some("none"), Some("null")] {
        check_legacy("discord_bot", Some("1"), thread, Ok("discord_bot/1"));
    }
    check_legacy("telegram_bot", Some("1"), Some("0"), Ok("telegram_bot/1"));
    check_legacy("telegram_two", Some("1"), Some("0"), Ok("telegram_two/1"));
    check_legacy("discord_bot", Some("1"), Some("0"), Ok("discord_bot/1/0"));
    check_legacy("discord_bot", Some("1"), Some("NULL"), Ok("discord_bot/1/NULL"));
    check_legacy("discord_bot", None, Some("2"), Err(PathError::Gap));
    check_legacy("discord_bot", Some(""), Some("2"), Err(PathError::Gap));
    check_legacy("discord_bot", None, None, Err(PathError::NoTarget));
}

#[track_caller]
fn check_resolve(path: Option<&str>, registered: &[&str], others: [Option<&str>; 2], expected: Option<&str>) {
    let [context, message] = others.map(|other| other.map(|text| InterfacePath::parse(text).unwrap()));
    let resolved = resolve(path, registered, context.as_ref(), message.as_ref()).unwrap();
    assert_eq!(resolved.as_ref().map(InterfacePath::as_str), expected);
}

#[test]
fn a_path_of_an_unknown_interface_gives_way_to_a_registered_one() {
    let (context, message) = (Some("a/context"), Some("b/message"));
    check_resolve(Some("a/1"), &["a"], [context, message], Some("a/1"));
    check_resolve(Some("x/1"), &["a", "b"], [context, message], context);
    check_resolve(Some("x/1"), &["b"], [context, message], message);
    check_resolve(Some("x/1"), &["b"], [None, message], message);
    check_resolve(Some("x/1"), &["c"], [context, message], None);
    check_resolve(Some("x/1"), &["a"], [None, None], None);
    check_resolve(Some("ab/1"), &["a"], [None, None], None);
    check_resolve(Some("x/1"), &[], [context, message], Some("x/1"));
    for missing in [None, Some("")] {
        check_resolve(missing, &["a"], [context, message], None);
        check_resolve(missing, &[], [context, message], None);
    }
}

#[test]
fn a_malformed_path_is_never_replaced() {
    let context = InterfacePath::parse("a/1").unwrap();
    assert_eq!(
        resolve(Some("a"), &["a"], Some(&context), None),
        Err(PathError::NoTarget)
    );
    assert_eq!(resolve(Some("x/a b"), &[""; 0], None, None), Err(PathError::Encoding));
}

#[test]
fn paths_are_shown_and_compared_as_text() {
    let path = InterfacePath::parse("x/a%2Fb").unwrap();
    assert_eq!(
        (path.to_string(), format!("{path:?}")),
        ("x/a%2Fb".to_owned(), "\"x/a%2Fb\"".to_owned())
    );
    let set = std::collections::HashSet::from([path.clone()]);
    assert!(set.contains("x/a%2Fb"), "found by its text");
    assert!(path < InterfacePath::parse("x/b").unwrap());
}
