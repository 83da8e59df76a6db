//! Who is meant, where it stands, and what changes in a room.

use super::*;

#[test]
fn whoever_names_the_bot_means_it() {
    use Addressed::{Command, Mention, None};
    check(json!({"body": "hi"}), None, "hi");
    check(json!({"body": "Tertulia: hi"}), Mention, "hi");
    check(json!({"body": "tertulia, hi"}), Mention, "hi");
    check(json!({"body": "@Tertulia hi"}), Mention, "hi");
    check(json!({"body": "tertulia_bot: hi"}), Mention, "hi");
    check(json!({"body": "@tertulia_bot:h.org: hi"}), Mention, "hi");
    check(json!({"body": "I like Tertulia"}), None, "I like Tertulia");
    check(json!({"body": "Tertulias: hi"}), None, "Tertulias: hi");
    check(json!({"body": "Tertulia:"}), Mention, "Tertulia:");
    check(
        json!({"body": "@room hi", "m.mentions": {"room": true}}),
        None,
        "@room hi",
    );
    let named = json!({"user_ids": ["@eve:h.org", ME, 7]});
    check(json!({"body": "hi there", "m.mentions": named}), Mention, "hi there");
    check(json!({"body": "Tertulia hi", "m.mentions": named}), Mention, "hi");
    check(json!({"body": "hi @tertulia", "m.mentions": named}), Mention, "hi");
    check(
        json!({"body": "Tertulia !status now", "m.mentions": named}),
        Command,
        "slash status now",
    );
    check(
        json!({"body": "Bob: hi", "m.mentions": {"user_ids": ["@bob:h.org"]}}),
        None,
        "Bob: hi",
    );
}

#[test]
fn old_clients_are_read_by_names_and_links() {
    let old = |body: &str, html: &str| {
        event(
            "m.room.message",
            json!({"msgtype": "m.text", "body": body, "formatted_body": html}),
            json!({}),
        )
    };
    let cases = [
        ("so, Tertulia, hi", "", Addressed::Mention),
        ("ask tertulia_bot", "", Addressed::Mention),
        ("Tertulias", "", Addressed::None),
        (
            "my bot hi",
            "<a href=\"https://matrix.to/#/@tertulia_bot:h.org\">my bot</a> hi",
            Addressed::Mention,
        ),
        (
            "hi",
            "<a href=\"https://matrix.to/#/@eve:h.org\">Eve</a>",
            Addressed::None,
        ),
        ("> <@tertulia_bot:h.org> hi\n\nno", "", Addressed::None),
    ];
    for (body, html, expected) in cases {
        assert_eq!(inbound(&old(body, html), &group()).addressed, expected, "{body}");
    }
}

#[test]
fn commands_are_those_of_the_daemon() {
    use Addressed::{Command, None};
    check(json!({"body": "!status"}), Command, "slash status ");
    check(json!({"body": " !STATUS  all now "}), Command, "slash status all now");
    check(json!({"body": "/status x"}), Command, "/status x");
    check(json!({"body": "!roll 6"}), None, "!roll 6");
    check(json!({"body": "!statuses"}), None, "!statuses");
    check(json!({"body": "! status"}), None, "! status");
    let direct = inbound(&message(json!({"body": "!status"})), &direct());
    assert_eq!(direct.addressed, Addressed::Direct);
    assert!(matches!(direct.what, What::Slash { name, .. } if name == "status"));
}

#[test]
fn replies_and_threads_of_the_bot_are_for_it() {
    let reply = message(json!({"body": "hi", "m.relates_to": {"m.in_reply_to": {"event_id": "$old"}}}));
    for (sender, id, expected) in [
        (ME, "$old", Addressed::Reply),
        ("@bob:h.org", "$old", Addressed::None),
        (ME, "$another", Addressed::None),
    ] {
        let old = event(
            "m.room.message",
            json!({"body": "x"}),
            json!({"sender": sender, "event_id": id}),
        )
        .to_string();
        let around = Around {
            related: Some(&old),
            ..group()
        };
        assert_eq!(inbound(&reply, &around).addressed, expected, "{sender} {id}");
    }
    let around = Around {
        is_our_thread: true,
        ..group()
    };
    assert_eq!(
        inbound(&message(json!({"body": "hi"})), &around).addressed,
        Addressed::Reply
    );
    let always = Around {
        room: "!on:h.org",
        ..group()
    };
    assert_eq!(
        inbound(&message(json!({"body": "hi"})), &always).addressed,
        Addressed::Mention
    );
}

#[test]
fn a_thread_is_a_place_of_its_own() {
    let threaded = |root: &str, is_falling_back: bool| {
        message(
            json!({"body": "hi", "m.relates_to": {"rel_type": "m.thread", "event_id": root,
            "is_falling_back": is_falling_back, "m.in_reply_to": {"event_id": "$last"}}}),
        )
    };
    let fallback = inbound(&threaded("$ro/ot", true), &group());
    assert_eq!(fallback.path.as_str(), "matrix/!room:h.org/$ro%2Fot");
    assert_eq!((fallback.reply_to, fallback.quoted), (None, None));
    let reply = inbound(&threaded("$root", false), &group());
    assert_eq!(reply.reply_to.as_deref(), Some("$last"));
    let needs = |is_falling_back| Needs::of(&threaded("$root", is_falling_back).to_string()).unwrap();
    assert_eq!(
        (needs(true).related, needs(true).thread.as_deref()),
        (None, Some("$root"))
    );
    assert_eq!(needs(false).related.as_deref(), Some("$last"));
    assert_eq!(inbound(&threaded("$on", true), &group()).addressed, Addressed::Mention);
    for odd in ["", "no event", "!room:h"] {
        assert_eq!(
            inbound(&threaded(odd, true), &group()).path.as_str(),
            "matrix/!room:h.org",
            "{odd}"
        );
    }
}

#[test]
fn signs_and_redactions_name_their_message() {
    let reaction = |key: Value| {
        event(
            "m.reaction",
            json!({"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": key}}),
            json!({}),
        )
    };
    let sign = inbound(&reaction(json!("👍")), &group());
    assert_eq!(
        sign.what,
        What::React {
            to: "$m".into(),
            sign: "👍".into()
        }
    );
    for odd in [json!(""), json!(7), json!(null)] {
        check_skipped(&reaction(odd), Skipped::Nothing);
    }
    let what = What::Redact { of: "$m".into() };
    for (content, more) in [
        (json!({"redacts": "$m"}), json!({})),
        (json!({}), json!({"redacts": "$m"})),
    ] {
        assert_eq!(inbound(&event("m.room.redaction", content, more), &group()).what, what);
    }
    check_skipped(
        &event("m.room.redaction", json!({"redacts": "m"}), json!({})),
        Skipped::Nothing,
    );
}

#[test]
fn what_cannot_be_read_waits_in_its_thread() {
    let relation = json!({"rel_type": "m.thread", "event_id": "$root"});
    let sealed = |relation: Value| {
        event(
            "m.room.encrypted",
            json!({"ciphertext": "x", "m.relates_to": relation}),
            json!({}),
        )
    };
    let Read::Sealed(waits) = read(&sealed(relation), &direct()) else {
        panic!("not sealed");
    };
    assert_eq!(
        (waits.path.as_str(), waits.id.as_str()),
        ("matrix/!room:h.org/$root", "$e")
    );
    assert!(waits.is_for_us);
    check_skipped(
        &sealed(json!({"rel_type": "m.replace", "event_id": "$m"})),
        Skipped::Nothing,
    );
}

#[test]
fn some_are_not_heard() {
    let said = |more: Value| event("m.room.message", json!({"msgtype": "m.text", "body": "hi"}), more);
    check_skipped(&said(json!({"sender": ME})), Skipped::Own);
    check_skipped(&said(json!({"sender": "@other_bot:h.org"})), Skipped::Bot);
    for membership in ["leave", "invite", "ban"] {
        check_skipped(&said(json!({"unsigned": {"membership": membership}})), Skipped::Outside);
    }
    check_skipped(&said(json!({"unsigned": {"redacted_because": {}}})), Skipped::Redacted);
    assert_eq!(text(&said(json!({"unsigned": {}})), &direct()), "hi");
    check_skipped(&event("m.call.invite", json!({}), json!({})), Skipped::Nothing);
}

#[track_caller]
fn check_state(kind: &str, key: &str, content: Value, more: Value, expected: Result<Read, What>) {
    let mut fields = object(json!({"state_key": key}));
    fields.extend(object(more));
    let read = read(&event(kind, content, fields.into()), &group());
    match (read, expected) {
        (Read::Event(event), Err(what)) => assert_eq!(event.what, what),
        (read, expected) => assert_eq!(Ok(read), expected),
    }
}

#[test]
fn changes_of_the_room_are_told() {
    let member = |membership: &str| json!({"membership": membership});
    let nothing = || Ok(Read::Skipped(Skipped::Nothing));
    let before = |membership: &str| json!({"unsigned": {"prev_content": {"membership": membership}}});
    check_state("m.room.member", ME, member("invite"), json!({}), Err(What::Invited));
    check_state("m.room.member", ME, member("join"), before("invite"), Ok(Read::Joined));
    check_state("m.room.member", ME, member("join"), before("join"), nothing());
    check_state("m.room.member", ME, member("leave"), before("join"), Err(What::Left));
    check_state(
        "m.room.member",
        ME,
        member("ban"),
        json!({"sender": ME}),
        Err(What::Left),
    );
    check_state("m.room.member", "@ada:h.org", member("join"), json!({}), nothing());
    check_state(
        "m.room.encryption",
        "",
        json!({"algorithm": "odd"}),
        json!({}),
        Ok(Read::Encrypted),
    );
    check_state("m.room.encryption", "x", json!({}), json!({}), nothing());
    check_state("m.room.name", "", json!({"name": "x"}), json!({}), nothing());
    for to in ["!new", "#alias:h"] {
        let content = json!({"replacement_room": to});
        check_state("m.room.tombstone", "", content, json!({}), Ok(Read::Replaced));
    }
}

#[test]
fn a_thread_of_the_bot_begins_with_its_words_or_with_words_for_it() {
    let begins = |more: Value, body: &str, related: Option<&str>| {
        let root = event(
            "m.room.message",
            json!({"msgtype": "m.text", "body": body, "m.mentions": {},
            "m.relates_to": {"m.in_reply_to": {"event_id": "$old"}}}),
            more,
        );
        check_root(&root, related)
    };
    let taken_part =
        |is_so: bool| json!({"unsigned": {"m.relations": {"m.thread": {"current_user_participated": is_so}}}});
    assert!(begins(taken_part(true), "hi", None));
    assert!(!begins(taken_part(false), "hi", None));
    assert!(begins(json!({"sender": ME}), "hi", None));
    assert!(begins(json!({}), "Tertulia: hi", None));
    assert!(begins(json!({}), "!status", None));
    let old = event(
        "m.room.message",
        json!({"body": "x"}),
        json!({"sender": ME, "event_id": "$old"}),
    )
    .to_string();
    assert!(begins(json!({}), "hi", Some(&old)));
    assert!(!begins(json!({"state_key": "", "sender": ME}), "hi", None));
    assert!(!check_root(
        &event("m.room.encrypted", json!({"ciphertext": "x"}), json!({})),
        None
    ));
}

fn check_root(root: &Value, related: Option<&str>) -> bool {
    // that a thread is looked at at all says nothing of it
    let around = Around {
        related,
        is_our_thread: true,
        ..group()
    };
    with_reader(Encryption::On, |reader| {
        reader.begins_our_thread(&root.to_string(), &around)
    })
}

#[test]
fn encrypted_rooms_are_closed_where_that_is_configured() {
    let around = Around {
        is_encrypted: true,
        ..direct()
    };
    let said = message(json!({"body": "hi"})).to_string();
    let read = |encryption| with_reader(encryption, |reader| reader.read(&said, &around));
    assert_eq!(read(Encryption::Off), Read::Skipped(Skipped::Closed));
    assert!(matches!(read(Encryption::On), Read::Event(_)));
}

#[test]
fn a_new_room_names_the_old_one() {
    let create = |kind: &str, content: Value| event(kind, content, json!({"state_key": ""})).to_string();
    let named = json!({"predecessor": {"room_id": ROOM, "event_id": "$e"}});
    assert_eq!(
        predecessor(&create("m.room.create", named.clone())).as_deref(),
        Some(ROOM)
    );
    assert_eq!(predecessor(&create("m.room.name", named)), None);
    assert_eq!(predecessor(&create("m.room.create", json!({"predecessor": 7}))), None);
}
