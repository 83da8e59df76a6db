//! What holds where, by table.

use super::*;

fn path(text: &str) -> InterfacePath {
    InterfacePath::parse(text).unwrap()
}

fn preference(value: &str) -> Preference {
    Preference {
        value: value.into(),
        set_by: "chat/root".into(),
        set_at: 0,
    }
}

/// One word of the table is `scope key=value`; `*` stands for everywhere.
fn preferences(set: &[&str]) -> Preferences {
    let read = |line: &&str| {
        let (place, value) = line.split_once('=').unwrap();
        let (scope, key) = place.split_once(' ').unwrap();
        let scope = Scope::parse(if scope == "*" { "" } else { scope }).unwrap();
        ((scope, Key::parse(key).unwrap()), preference(value))
    };
    Preferences(set.iter().map(read).collect())
}

/// Two providers, `a` (the base's, with a model that the base names) and `b`.
///
/// Personas: `plain` has only a text, `wise` only a model, `far` provider `b` with a model, `away` provider `b` alone.
fn catalog() -> Catalog {
    let text = |text: &str| Some(text.to_owned());
    let persona = |provider, model, system| Persona {
        provider,
        model,
        system,
    };
    Catalog {
        providers: [("a", "a-own"), ("b", "b-own"), ("c", "")]
            .map(|(name, model)| (name.into(), model.into()))
            .into(),
        personas: [
            ("plain", persona(None, None, text("plainly"))),
            ("wise", persona(None, text("a-wise"), None)),
            ("far", persona(text("b"), text("b-far"), text("from afar"))),
            ("away", persona(text("b"), None, None)),
        ]
        .map(|(name, persona)| (name.into(), persona))
        .into(),
        tools: vec!["look".into(), "pay".into()],
        base: persona(text("a"), text("a-base"), text("kindly")),
    }
}

fn show(resolved: &Resolved) -> String {
    let from = |source: &Source| match source {
        Source::Set(Scope::Everywhere) => "*".to_owned(),
        Source::Set(scope) => scope.to_string(),
        Source::Persona => "persona".to_owned(),
        Source::Provider => "provider".to_owned(),
        Source::Configuration => "file".to_owned(),
    };
    let fields = [
        ("", &resolved.provider),
        (" ", &resolved.model),
        (" ", &resolved.system),
    ];
    let shown = fields.map(|(gap, field)| format!("{gap}{}@{}", field.value, from(&field.source)));
    shown.concat()
}

/// Provider, model and system in `chat/room/talk`, each with where it comes from.
#[track_caller]
fn check(set: &[&str], asked: Option<&str>, expected: &str) {
    let resolved = preferences(set).resolve(&path("chat/room/talk"), &catalog(), asked);
    assert_eq!(show(&resolved), expected, "{set:?}");
}

#[test]
fn the_nearest_counts() {
    check(&[], None, "a@file a-base@file kindly@file");
    let all = [
        "* system=1",
        "chat system=2",
        "chat/room system=3",
        "chat/room/talk system=4",
    ];
    for (count, source) in (1..=4).zip(["*", "chat", "chat/room", "chat/room/talk"]) {
        check(&all[..count], None, &format!("a@file a-base@file {count}@{source}"));
    }
    check(
        &["chat/room2 system=x", "other system=x", "chat/room/talk/aside system=x"],
        None,
        "a@file a-base@file kindly@file",
    );
    check(&["* system="], None, "a@file a-base@file @*");
}

#[test]
fn what_is_set_outranks_a_persona_at_the_same_scope_and_a_farther_one() {
    check(&["chat/room persona=plain"], None, "a@file a-base@file plainly@persona");
    check(
        &["chat/room persona=plain", "chat/room system=x"],
        None,
        "a@file a-base@file x@chat/room",
    );
    check(
        &["chat/room persona=plain", "chat/room/talk system=x"],
        None,
        "a@file a-base@file x@chat/room/talk",
    );
    check(
        &["chat/room persona=plain", "* system=x"],
        None,
        "a@file a-base@file plainly@persona",
    );
    check(
        &["chat persona=plain", "chat/room persona=far"],
        None,
        "b@persona b-far@persona from afar@persona",
    );
}

#[test]
fn an_asked_persona_is_the_nearest() {
    let near = [
        "chat/room/talk persona=plain",
        "chat/room/talk system=x",
        "chat/room/talk model=m",
    ];
    check(&near, Some("far"), "b@persona b-far@persona from afar@persona");
    check(&near, Some("away"), "b@persona b-own@provider x@chat/room/talk");
    check(&near, Some("nobody"), "a@file m@chat/room/talk x@chat/room/talk");
}

#[test]
fn a_model_does_not_leak_to_another_provider() {
    check(&["* model=m"], None, "a@file m@* kindly@file");
    check(
        &["* model=m", "chat provider=b"],
        None,
        "b@chat b-own@provider kindly@file",
    );
    check(&["chat provider=b", "chat model=m"], None, "b@chat m@chat kindly@file");
    check(
        &["* provider=b", "chat/room model=m"],
        None,
        "b@* m@chat/room kindly@file",
    );
    check(&["chat/room provider=a"], None, "a@chat/room a-base@file kindly@file");
    // where the same provider answers it is the same model that was meant
    check(&["* model=m", "chat provider=a"], None, "a@chat m@* kindly@file");
    let there_and_back = ["* model=m", "chat provider=b", "chat model=n", "chat/room provider=a"];
    check(&there_and_back, None, "a@chat/room m@* kindly@file");
    check(&["chat provider=c"], None, "c@chat @provider kindly@file");
}

#[test]
fn the_model_of_a_persona_is_of_its_provider() {
    check(&["* persona=wise"], None, "a@file a-wise@persona kindly@file");
    check(
        &["* provider=b", "chat persona=wise"],
        None,
        "b@* b-own@provider kindly@file",
    );
    check(
        &["* persona=wise", "chat provider=b", "chat model=m"],
        None,
        "b@chat m@chat kindly@file",
    );
    check(
        &["* persona=far", "chat provider=a"],
        None,
        "a@chat a-base@file from afar@persona",
    );
    check(
        &["* persona=far", "chat provider=b"],
        None,
        "b@chat b-far@persona from afar@persona",
    );
    check(
        &["* model=m", "chat persona=away"],
        None,
        "b@persona b-own@provider kindly@file",
    );
    check(
        &["chat model=m", "chat persona=away"],
        None,
        "b@persona m@chat kindly@file",
    );
}

#[test]
fn what_is_no_longer_configured_has_no_effect_and_is_told() {
    let set = [
        "chat provider=gone",
        "* provider=b",
        "chat/room persona=lost",
        "chat persona=plain",
        "* tools=look dig fly",
    ];
    check(&set, None, "b@* b-own@provider plainly@persona");
    let stale = preferences(&set)
        .resolve(&path("chat/room/talk"), &catalog(), None)
        .stale;
    let stale: Vec<_> = stale
        .iter()
        .map(|(scope, key, value)| format!("{scope} {}={value}", key.as_str()))
        .collect();
    assert_eq!(
        stale,
        ["chat/room persona=lost", "chat provider=gone", " tools=dig fly"]
    );
}

#[track_caller]
fn check_tools(set: &[&str], expected: Option<&[&str]>) {
    let resolved = preferences(set).resolve(&path("chat/room"), &catalog(), None);
    let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(resolved.tools.value, expected, "{set:?}");
    assert_eq!(resolved.turn().tools, expected);
}

#[test]
fn tools_are_all_or_none_or_some() {
    check_tools(&[], None);
    check_tools(&["chat tools=none"], Some(&[]));
    check_tools(&["chat tools=none", "chat/room tools=all"], None);
    check_tools(&["chat tools= look  pay "], Some(&["look", "pay"]));
    check_tools(&["chat tools="], Some(&[]));
    // a name that is gone does not open the others
    check_tools(&["chat tools=dig"], Some(&["dig"]));
}

#[test]
fn scopes_go_outwards() {
    let shown: Vec<_> = scopes(&path("chat/room/talk/aside"))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        shown,
        ["chat/room/talk/aside", "chat/room/talk", "chat/room", "chat", ""]
    );
}

#[test]
fn scopes_and_keys_are_read_as_they_are_written() {
    for text in ["", "chat", "chat/room", "chat/room/a%2Fb"] {
        assert_eq!(Scope::parse(text).unwrap().to_string(), text);
    }
    for text in [" ", "Chat", "chat room", "chat/", "/chat", "chat/a b"] {
        assert_eq!(Scope::parse(text), None, "{text:?}");
    }
    for key in Key::ALL {
        assert_eq!(Key::parse(key.as_str()), Some(key));
    }
    assert_eq!(Key::parse("Model"), None);
}

#[track_caller]
fn check_moved(set: &[&str], (from, to): (&str, &str), expected: &[&str]) {
    let mut moved = preferences(set);
    moved.moved(&path(from), &path(to));
    assert_eq!(moved, preferences(expected));
}

#[test]
fn what_is_set_moves_with_its_place() {
    let to_hall = ("chat/room", "chat/hall");
    check_moved(
        &["chat/room model=m", "chat/room/talk tools=none"],
        to_hall,
        &["chat/hall model=m", "chat/hall/talk tools=none"],
    );
    check_moved(
        &["chat/room model=m", "chat/hall model=n"],
        to_hall,
        &["chat/hall model=n"],
    );
    check_moved(
        &["chat/room model=m", "chat/hall tools=none"],
        to_hall,
        &["chat/hall model=m", "chat/hall tools=none"],
    );
    check_moved(
        &["chat model=m", "* model=n", "chat/roomy model=o"],
        to_hall,
        &["chat model=m", "* model=n", "chat/roomy model=o"],
    );
}
