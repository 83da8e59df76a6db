//! Who may speak where, by table.

use super::*;

const NOW: i64 = 1000;

fn path(text: &str) -> InterfacePath {
    InterfacePath::parse(text).unwrap()
}

fn level(word: &str) -> Level {
    Level::parse(word).unwrap()
}

/// One word of the table: `@chat/ann=user` of a person, `chat/room=guest` of a place, `chat=user` of an interface; in a
/// permit's `@999` or `@1001` behind it when it ends.
fn access(rules: &[&str], permits: &[&str]) -> Access {
    let mut access = Access::default();
    for rule in rules {
        let (subject, word) = rule.split_once('=').unwrap();
        match Subject::parse(subject) {
            Some(Subject::Person(person)) => drop(access.rules.people.insert(person, level(word))),
            Some(Subject::Place(path)) => drop(access.rules.places.insert(path, level(word))),
            None => drop(access.rules.interfaces.insert(subject.to_owned(), level(word))),
        }
    }
    for permit in permits {
        let (subject, word) = permit.split_once('=').unwrap();
        let (word, end) = word
            .split_once('@')
            .map_or((word, None), |(word, end)| (word, Some(end)));
        let permit = Permit {
            level: level(word),
            set_by: "chat/root".into(),
            set_at: 0,
            expires_at: end.map(|end| end.parse().unwrap()),
        };
        access.permits.insert(Subject::parse(subject).unwrap(), permit);
    }
    access
}

/// What `ann` of `chat` may in the thread `chat/room/talk`.
#[track_caller]
fn check(rules: &[&str], permits: &[&str], expected: &str) {
    check_at("chat/room/talk", rules, permits, expected);
}

#[track_caller]
fn check_at(place: &str, rules: &[&str], permits: &[&str], expected: &str) {
    let access = access(rules, permits);
    let standing = access.standing(&PersonId::new("chat", "ann"), &path(place), NOW);
    let because = match standing.because {
        Because::Configured => "configured".to_owned(),
        Because::Given(_) => "given".to_owned(),
        Because::Place(path, permit) => format!("{}{path}", if permit.is_some() { "given " } else { "" }),
        Because::Interface => "interface".to_owned(),
        Because::Nothing => "nothing".to_owned(),
    };
    assert_eq!(format!("{} by {because}", standing.level.as_str()), expected);
}

#[test]
fn nothing_gives_nothing() {
    check(&[], &[], "guest by nothing");
    check(
        &["@chat/bob=admin", "other=admin", "chat/cafe=user"],
        &["@other/ann=admin"],
        "guest by nothing",
    );
}

#[test]
fn the_highest_of_person_place_and_interface_counts() {
    check(&["chat=user"], &[], "user by interface");
    check(&["chat=trusted", "@chat/ann=user"], &[], "trusted by interface");
    check(
        &["chat=user", "chat/room=trusted", "@chat/ann=user"],
        &[],
        "trusted by chat/room",
    );
    check(
        &["chat=user", "chat/room=user", "@chat/ann=user"],
        &[],
        "user by configured",
    );
    check(&["chat/room=user"], &["@chat/ann=trusted"], "trusted by given");
}

#[test]
fn a_permit_outranks_the_configuration_until_it_ends() {
    check(&["@chat/ann=user"], &["@chat/ann=trusted"], "trusted by given");
    check(&["@chat/ann=trusted"], &["@chat/ann=user"], "user by given");
    check(&["@chat/ann=guest"], &["@chat/ann=user"], "user by given");
    check(&["@chat/ann=user"], &["@chat/ann=trusted@1001"], "trusted by given");
    check(&["@chat/ann=user"], &["@chat/ann=trusted@1000"], "user by configured");
    check(&["@chat/ann=user"], &["@chat/ann=guest@999"], "user by configured");
    check(&[], &["@chat/ann=admin@1000"], "guest by nothing");
    check(&["chat/room=user"], &["chat/room=guest"], "guest by given chat/room");
    check(&["chat/room=user"], &["chat/room=guest@1000"], "user by chat/room");
}

#[test]
fn who_is_shut_out_stays_out() {
    for given in ["chat/room=admin", "chat/room/talk=trusted"] {
        check(&["@chat/ann=guest"], &[given], "guest by configured");
        check(&["chat=trusted", given], &["@chat/ann=guest"], "guest by given");
    }
    check(&["@chat/ann=guest", "chat=admin"], &[], "guest by configured");
}

#[test]
fn nobody_locks_out_the_admins_of_the_file() {
    check(&["@chat/ann=admin"], &["@chat/ann=guest"], "admin by configured");
    check(
        &["@chat/ann=admin", "chat/room=guest"],
        &["chat/room/talk=guest"],
        "admin by configured",
    );
    check(&["chat=admin"], &["@chat/ann=guest"], "admin by interface");
    check(
        &["chat=admin"],
        &["@chat/ann=user", "chat/room=guest"],
        "admin by interface",
    );
    check(&["chat=admin", "@chat/ann=admin"], &[], "admin by configured");
}

#[test]
fn an_admin_by_permit_is_heard_everywhere_and_can_be_shut_out() {
    check(&["chat/room=guest"], &["@chat/ann=admin"], "admin by given");
    check(
        &["@chat/ann=user"],
        &["@chat/ann=admin@1001", "chat/room=guest"],
        "admin by given",
    );
    // one subject has one permit: the later one stands in the place of the one before
    check(&[], &["@chat/ann=admin", "@chat/ann=guest"], "guest by given");
}

#[test]
fn the_nearest_place_counts() {
    check(
        &["chat/room=user", "chat/room/talk=guest", "@chat/ann=trusted"],
        &[],
        "guest by chat/room/talk",
    );
    check(
        &["chat/room=guest", "chat/room/talk=user"],
        &[],
        "user by chat/room/talk",
    );
    check(
        &["chat/room=user"],
        &["chat/room/talk=guest"],
        "guest by given chat/room/talk",
    );
    check(&["chat/room/talk=user"], &["chat/room=guest"], "user by chat/room/talk");
    check(&["@chat/ann=trusted", "chat/room=guest"], &[], "guest by chat/room");
    check(
        &["chat/room=admin", "chat/room/talk=user"],
        &[],
        "user by chat/room/talk",
    );
    let deep = "chat/room/talk/aside/whisper";
    check_at(deep, &["chat/room=user"], &[], "user by chat/room");
    check_at(
        deep,
        &["chat/room=user"],
        &["chat/room/talk/aside=guest"],
        "guest by given chat/room/talk/aside",
    );
    check_at(
        "chat/room2",
        &["chat/room=user"],
        &["chat/room=trusted"],
        "guest by nothing",
    );
}

#[track_caller]
fn check_governed(rules: &[&str], permits: &[&str], expected: bool) {
    assert_eq!(access(rules, permits).has_admin(NOW), expected, "{rules:?} {permits:?}");
}

#[test]
fn somebody_in_particular_has_to_be_admin() {
    check_governed(&[], &[], false);
    check_governed(&["@chat/ann=admin"], &["@chat/ann=guest"], true);
    check_governed(&["@chat/ann=trusted"], &["@chat/bob=admin"], true);
    check_governed(&["@chat/ann=guest"], &["@chat/ann=admin@1001"], true);
    check_governed(&["@chat/ann=user"], &["@chat/ann=admin@1000"], false);
    check_governed(&["chat=admin", "chat/room=admin"], &["chat/cafe=admin"], false);
}

#[track_caller]
fn check_moved(permits: &[&str], (from, to): (&str, &str), expected: &[&str]) {
    let mut moved = access(&[], permits);
    moved.moved(&path(from), &path(to));
    assert_eq!(moved, access(&[], expected), "{permits:?}");
}

#[test]
fn permits_move_with_their_place() {
    let to_hall = ("chat/room", "chat/hall");
    check_moved(&["chat/room=user"], to_hall, &["chat/hall=user"]);
    check_moved(&["chat/room=user", "chat/hall=guest"], to_hall, &["chat/hall=guest"]);
    check_moved(&["chat/room/a/b/c=guest"], to_hall, &["chat/hall/a/b/c=guest"]);
    check_moved(
        &["chat/roomy=user", "@chat/room=user"],
        to_hall,
        &["chat/roomy=user", "@chat/room=user"],
    );
    check_moved(&["chat/room=user"], ("chat/room", "chat/room"), &["chat/room=user"]);
    check_moved(
        &["chat/room=user", "chat/room/a=user"],
        ("chat/room/a", "chat/b"),
        &["chat/room=user", "chat/b=user"],
    );
    check_moved(
        &["chat/room/a/b=user"],
        ("chat/room/a", "chat/b"),
        &["chat/room/a/b=user"],
    );
}

#[test]
fn subjects_are_read_as_they_are_written() {
    for text in [
        "@chat/ann",
        "@matrix/@ann:example.org",
        "@chat/a/b c",
        "chat/room",
        "chat/room/a%2Fb",
    ] {
        assert_eq!(Subject::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "",
        "@",
        "@ann",
        "@chat/",
        "@/ann",
        "chat",
        "chat/",
        "Chat/room",
        "chat/a b",
    ] {
        assert_eq!(Subject::parse(text), None, "{text:?}");
    }
}
