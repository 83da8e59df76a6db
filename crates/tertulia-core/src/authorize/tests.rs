//! The gate by table: every kind of event, from people who may and people who may not.

use tertulia_message::{FileRef, Generation, SuppliedMessage};

use super::*;
use crate::access::AccessRules;

const ME: &str = "1";
const STRANGER: &str = "2";

fn path(text: &str) -> InterfacePath {
    InterfacePath::parse(text).unwrap()
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

fn said(text: &str) -> Vec<SuppliedMessage> {
    let message = SuppliedMessage {
        role: Role::User,
        text: text.into(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: None,
        tool_name: None,
    };
    vec![message]
}

fn every_kind() -> Vec<What> {
    vec![
        What::Message { text: "hi".into() },
        What::Edit {
            of: "e0".into(),
            text: "hi".into(),
        },
        What::Redact { of: "e0".into() },
        What::Press { button: "b".into() },
        What::Slash {
            name: "Help".into(),
            arguments: String::new(),
        },
        What::React {
            to: "e0".into(),
            sign: "+".into(),
        },
        What::Sealed,
        What::Invited,
        What::Left,
        What::Moved { to: path("chat/other") },
        request(RequestHistory::Stored(said("hi"))),
        request(RequestHistory::Supplied(said("hi"))),
    ]
}

#[test]
fn strangers_get_nothing_through_by_any_kind_of_event() {
    for what in every_kind() {
        for addressed in [
            Addressed::Direct,
            Addressed::Mention,
            Addressed::Reply,
            Addressed::Command,
            Addressed::None,
        ] {
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
    for what in every_kind() {
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
        request(RequestHistory::Stored(said("/help"))),
        Ok("/help "),
    );
    check(
        Addressed::Direct,
        request(RequestHistory::Supplied(said("/help"))),
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
