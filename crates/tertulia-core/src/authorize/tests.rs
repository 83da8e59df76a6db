//! The gate by table: every kind of event, from people who may and people who may not.

use proptest::prelude::*;
use tertulia_message::{FileRef, Generation, SuppliedMessage};

use super::*;
use crate::access::AccessRules;

const ME: &str = "1";
const STRANGER: &str = "2";

fn path(text: &str) -> InterfacePath {
    InterfacePath::parse(text).unwrap()
}

/// Tells codes apart; more is not needed here.
fn digest(code: &str) -> [u8; 32] {
    let mut digest = [0; 32];
    digest
        .iter_mut()
        .zip(code.bytes())
        .for_each(|(place, byte)| *place = byte);
    digest
}

const NOW: Now = Now::by_wall(0);

fn rules() -> Access {
    Access::from(AccessRules {
        people: [(PersonId::new("chat", ME), Level::User)].into(),
        ..AccessRules::default()
    })
}

fn event(sender: &str, addressed: Addressed, what: What) -> Inbound {
    Inbound {
        account: Account {
            interface: "chat".into(),
            identity: "bot".into(),
        },
        path: path("chat/room/thread"),
        id: "e1".into(),
        sender: PersonId::new("chat", sender),
        sender_name: "Somebody".into(),
        addressed,
        what,
        files: Vec::<FileRef>::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    }
}

fn request(history: RequestHistory) -> What {
    What::Request(Box::new(Request {
        history,
        model: "m".into(),
        system: None,
        tools: Vec::new(),
        generation: Generation::default(),
    }))
}

fn said(texts: &[&str]) -> Vec<SuppliedMessage> {
    let message = |text: &&str| SuppliedMessage {
        role: Role::User,
        text: (*text).into(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: None,
        tool_name: None,
    };
    texts.iter().map(message).collect()
}

/// Every kind of event that somebody can cause, with this text wherever there is one.
fn every_kind(text: &str) -> Vec<What> {
    let (name, arguments) = text
        .strip_prefix('/')
        .and_then(|rest| rest.split_once(' '))
        .unwrap_or(("Help", ""));
    let slash = What::Slash {
        name: name.into(),
        arguments: arguments.into(),
    };
    let edit = What::Edit {
        of: "e0".into(),
        text: text.into(),
    };
    let react = What::React {
        to: "e0".into(),
        sign: text.into(),
    };
    vec![
        What::Message { text: text.into() },
        slash,
        edit,
        What::Redact { of: "e0".into() },
        What::Press { button: text.into() },
        react,
        What::Invited,
        What::Left,
        What::Moved { to: path("chat/other") },
        request(RequestHistory::Stored(said(&[text]))),
        request(RequestHistory::Stored(said(&[text, "hi"]))),
        request(RequestHistory::Supplied(said(&[text]))),
    ]
}

const EVERY_WAY: [Addressed; 5] = [
    Addressed::Direct,
    Addressed::Mention,
    Addressed::Reply,
    Addressed::Command,
    Addressed::None,
];

#[test]
fn strangers_get_nothing_through_by_any_kind_of_event() {
    for what in every_kind("hi") {
        for addressed in EVERY_WAY {
            let direct = addressed == Addressed::Direct;
            let denied = authorize(event(STRANGER, addressed, what.clone()), &rules(), &[], None, NOW);
            assert_eq!(denied, Err(Denial::Stranger { direct }), "{what:?}");
            let denied = authorize(event(ME, addressed, what.clone()), &Access::default(), &[], None, NOW);
            assert_eq!(denied, Err(Denial::Stranger { direct }), "an empty list means nobody");
        }
    }
}

#[test]
fn the_bot_does_not_hear_itself() {
    let own = Account {
        interface: "chat".into(),
        identity: ME.into(),
    };
    for what in every_kind("hi") {
        assert_eq!(
            authorize(
                event(ME, Addressed::Direct, what),
                &rules(),
                std::slice::from_ref(&own),
                None,
                NOW
            ),
            Err(Denial::OwnKind)
        );
    }
}

#[track_caller]
fn check(addressed: Addressed, what: What, expected: Result<&str, Denial>) {
    let got = authorize(event(ME, addressed, what), &rules(), &[], None, NOW);
    let got = got.map(|authorized| match authorized.into_admission() {
        Admission::Row(row) => match row.body {
            RowBody::Message(_) => "message".to_owned(),
            RowBody::Command { name, arguments, .. } => format!("/{name} {arguments}"),
            RowBody::Request(_) => "request".to_owned(),
        },
        Admission::Amend { .. } => "amend".to_owned(),
        Admission::Withdraw { .. } => "withdraw".to_owned(),
    });
    assert_eq!(got.as_deref(), expected.as_ref().copied());
}

#[test]
fn what_is_admitted_becomes_what_it_should() {
    let message = |text: &str| What::Message { text: text.into() };
    check(Addressed::Direct, message("hi"), Ok("message"));
    check(Addressed::None, message("hi"), Err(Denial::NotAddressed));
    check(Addressed::Mention, message("/help me"), Ok("/help me"));
    check(Addressed::Direct, message("/nonsense"), Ok("/nonsense "));
    check(Addressed::Command, message("/help"), Ok("/help "));
    check(Addressed::Command, message("/nonsense"), Err(Denial::NotAddressed));
    check(Addressed::Reply, message("/nonsense"), Ok("/nonsense "));
    check(Addressed::None, message("/help"), Err(Denial::NotAddressed));
    let slash = |name: &str| What::Slash {
        name: name.into(),
        arguments: String::new(),
    };
    check(Addressed::Command, slash("Say"), Ok("/say "));
    for name in ["", "say it", "s\u{e4}y", "a/b", &"n".repeat(33)] {
        check(Addressed::Direct, slash(name), Err(Denial::Nothing));
    }
    check(
        Addressed::Command,
        What::Slash {
            name: "Help".into(),
            arguments: "x".into(),
        },
        Ok("/help x"),
    );
    check(Addressed::None, What::Redact { of: "e".into() }, Ok("withdraw"));
    check(
        Addressed::Direct,
        request(RequestHistory::Stored(said(&["/help"]))),
        Ok("/help "),
    );
    check(
        Addressed::Direct,
        request(RequestHistory::Supplied(said(&["/help"]))),
        Ok("request"),
    );
    check(
        Addressed::Direct,
        What::React {
            to: "e".into(),
            sign: "+".into(),
        },
        Err(Denial::Nothing),
    );
}

#[test]
fn a_command_is_joined_with_nothing() {
    for (text, expected) in [("/retry", None), ("retry", Some("album".to_owned()))] {
        let what = What::Message { text: text.into() };
        let event = Inbound {
            join: Some("album".into()),
            ..event(ME, Addressed::Direct, what)
        };
        let admitted = authorize(event, &rules(), &[], None, NOW).unwrap();
        let Admission::Row(row) = admitted.into_admission() else {
            panic!("no row");
        };
        assert_eq!(row.join, expected);
    }
}

/// What the code of a claim looks like at the moment of the guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    None,
    Open,
    Expired,
    Used,
    GuessedTooOften,
}

const EVERY_CODE: [Code; 5] = [Code::None, Code::Open, Code::Expired, Code::Used, Code::GuessedTooOften];

fn code(kind: Code) -> (Option<Claim>, String) {
    let (mut claim, code) = Claim::new([9, 8, 7, 6, 5], [1; 16], |_, code| digest(code), NOW);
    match kind {
        Code::None => return (None, code),
        Code::Open => {}
        Code::Expired => {
            _ = claim.guess(
                "",
                Now {
                    mono: crate::claim::LIFE,
                    ..NOW
                },
            );
        }
        Code::Used => _ = claim.guess(&code, NOW),
        Code::GuessedTooOften => (0..crate::claim::TRIES).for_each(|_| _ = claim.guess("x", NOW)),
    }
    (Some(claim), code)
}

/// What an event does with a code of this kind: a row's words, or nothing.
fn outcome(event: Inbound, access: &Access, kind: Code) -> Option<String> {
    let (mut claim, code) = code(kind);
    let got = authorize(event, access, &[], claim.as_mut(), NOW).ok()?;
    let kept = format!("{:?}", got.admission());
    let letters: String = code.split('-').collect();
    for secret in [&code, &letters, &code.to_lowercase()] {
        assert!(!kept.contains(secret.as_str()), "the code is kept: {kept}");
    }
    Some(match got.into_admission() {
        Admission::Row(row) => match row.body {
            RowBody::Command { name, arguments, .. } => format!("/{name} {arguments}"),
            body => format!("{body:?}"),
        },
        admission => format!("{admission:?}"),
    })
}

#[test]
fn strangers_get_nothing_through_but_a_guess_in_a_direct_message() {
    let (_, right) = code(Code::None);
    for (typed, answer) in [(right.as_str(), "/claim right"), ("wrong", "/claim 4")] {
        for kind in EVERY_CODE {
            for addressed in EVERY_WAY {
                for what in every_kind(&format!("/claim {typed}")) {
                    let is_guess = matches!(what, What::Message { .. } | What::Slash { .. })
                        && addressed == Addressed::Direct
                        && kind == Code::Open;
                    let got = outcome(event(STRANGER, addressed, what.clone()), &Access::default(), kind);
                    let expected = is_guess.then(|| answer.to_owned());
                    assert_eq!(got, expected, "{what:?} {addressed:?} {kind:?}");
                }
            }
        }
    }
}

#[test]
fn who_is_shut_out_does_not_guess_and_nobody_does_once_there_is_an_admin() {
    let (_, right) = code(Code::None);
    let guess = || {
        event(
            STRANGER,
            Addressed::Direct,
            What::Message {
                text: format!("/CLAIM@bot {right}"),
            },
        )
    };
    let stranger = PersonId::new("chat", STRANGER);
    let people = |people: Vec<(PersonId, Level)>| {
        Access::from(AccessRules {
            people: people.into_iter().collect(),
            ..AccessRules::default()
        })
    };
    let places = |level| {
        Access::from(AccessRules {
            places: [(path("chat/room"), level)].into(),
            ..AccessRules::default()
        })
    };
    let heard = Some("/claim right".to_owned());
    assert_eq!(outcome(guess(), &people(vec![]), Code::Open), heard);
    assert_eq!(outcome(guess(), &places(Level::User), Code::Open), heard);
    assert_eq!(
        outcome(guess(), &people(vec![(stranger.clone(), Level::Trusted)]), Code::Open),
        heard
    );
    assert_eq!(
        outcome(guess(), &people(vec![(stranger.clone(), Level::Guest)]), Code::Open),
        None
    );
    assert_eq!(outcome(guess(), &places(Level::Guest), Code::Open), None);
    let admin = (PersonId::new("chat", "9"), Level::Admin);
    assert_eq!(outcome(guess(), &people(vec![admin.clone()]), Code::Open), None);
    let known = people(vec![admin, (stranger, Level::User)]);
    assert_eq!(outcome(guess(), &known, Code::Open), Some("/claim ".to_owned()));
}

#[test]
fn the_code_is_kept_by_nobody_in_any_form() {
    let (_, right) = code(Code::None);
    let mut all = rules();
    let texts = [
        format!("/claim {right}"),
        format!("\u{200f}/Claim@bot\u{a0}{}", right.to_lowercase()),
        format!("/claim {}", right.replace('-', "")),
    ];
    for level in [Level::User, Level::Admin] {
        all.rules.people.insert(PersonId::new("chat", ME), level);
        for (text, kind, addressed) in every_case(&texts) {
            for what in every_kind(text) {
                // a request with its own history is handed on, and not kept
                if !matches!(&what, What::Request(request) if matches!(request.history, RequestHistory::Supplied(_))) {
                    outcome(event(ME, addressed, what), &all, kind);
                }
            }
        }
    }
}

fn every_case(texts: &[String]) -> impl Iterator<Item = (&str, Code, Addressed)> {
    let kinds = |text| EVERY_CODE.map(move |kind| (text, kind));
    let ways = |(text, kind)| EVERY_WAY.map(move |addressed| (text, kind, addressed));
    texts.iter().map(String::as_str).flat_map(kinds).flat_map(ways)
}

#[test]
fn guesses_are_counted_whoever_makes_them() {
    let (mut claim, right) = Claim::new([9, 8, 7, 6, 5], [1; 16], |_, code| digest(code), NOW);
    for nth in 0..crate::claim::TRIES {
        let text = "/claim no".to_owned();
        let event = event(&format!("stranger {nth}"), Addressed::Direct, What::Message { text });
        assert!(authorize(event, &Access::default(), &[], Some(&mut claim), NOW).is_ok());
    }
    let text = format!("/claim {right}");
    let event = event(STRANGER, Addressed::Direct, What::Message { text });
    let denied = authorize(event, &Access::default(), &[], Some(&mut claim), NOW);
    assert_eq!(denied, Err(Denial::Stranger { direct: true }));
}

proptest! {
    #[test]
    fn no_event_of_a_stranger_makes_another_row_than_a_guess(
        text in ".{0,20}|/claim .{0,12}|/[a-z]{1,8}( .{0,12})?|.{0,3}/claim@?.{0,12}",
        kind in 0..EVERY_CODE.len(),
        way in 0..EVERY_WAY.len(),
        person in "[a-z0-9@:. ]{0,12}",
    ) {
        let (addressed, kind) = (EVERY_WAY[way], EVERY_CODE[kind]);
        for what in every_kind(&text) {
            let guessing = matches!(what, What::Message { .. } | What::Slash { .. });
            if let Some(got) = outcome(event(&person, addressed, what), &Access::default(), kind) {
                prop_assert!(got.starts_with("/claim "), "{}", got);
                prop_assert!(guessing && addressed == Addressed::Direct && kind == Code::Open);
            }
        }
    }
}

#[test]
fn a_press_is_a_command_about_one_turn_however_it_is_addressed() {
    for (token, expected) in [
        ("stop.7", Some(("stop", 7))),
        ("retry.12", Some(("retry", 12))),
        ("stop.0", None),
        ("new.7", None),
        ("/stop", None),
    ] {
        for addressed in EVERY_WAY {
            let press = What::Press { button: token.into() };
            let admitted = authorize(event(ME, addressed, press), &rules(), &[], None, NOW);
            let row = match admitted.map(Authorized::into_admission) {
                Ok(Admission::Row(row)) => Some(row),
                other => {
                    assert_eq!(other.err(), Some(Denial::Nothing), "{token}");
                    None
                }
            };
            let command = expected.map(|(name, turn)| RowBody::Command {
                name: name.into(),
                arguments: String::new(),
                direct: addressed == Addressed::Direct,
                button: Some(InboxId(turn)),
            });
            assert_eq!(row.map(|row| row.body), command, "{token}");
        }
    }
}
