//! Contents as clients expect them, and as the client library reads them.

use matrix_sdk::ruma::events::room::MediaSource;
use matrix_sdk::ruma::events::room::message::{MessageType, Relation as Known, RoomMessageEventContent};
use tertulia_message::{Block, Inline, Markup};

use super::*;
use crate::place::Place;
use crate::render::render;

fn loud() -> Rendered {
    let text = vec![
        Inline::Strong(vec![Inline::Text("hi".to_owned())]),
        Inline::Mention {
            id: "@ada:h".to_owned(),
            name: "Ada".to_owned(),
        },
    ];
    render(&Markup {
        blocks: vec![Block::Paragraph(text)],
    })
}

fn known(content: Content) -> RoomMessageEventContent {
    serde_json::from_value(content.into()).unwrap()
}

fn threaded() -> Relation {
    Relation::of_answer(
        &Place::new("!r:h", Some("$root".to_owned())).unwrap(),
        Some("$e/f"),
        false,
    )
}

#[test]
fn a_message_is_what_the_specification_says() {
    let expected = json!({
        "msgtype": "m.text",
        "body": "hiAda",
        "format": "org.matrix.custom.html",
        "formatted_body": "<strong>hi</strong><a href=\"https://matrix.to/#/%40ada%3Ah\">Ada</a>",
        "m.mentions": {"user_ids": ["@ada:h"]},
        "m.relates_to": {"m.in_reply_to": {"event_id": "$e"}},
        "org.tertulia.key": "t1",
    });
    let relation = Relation::Reply { to: "$e".to_owned() };
    assert_eq!(Value::from(message(&loud(), &relation, "t1")), expected);
    let plain = json!({"msgtype": "m.text", "body": "a\nb", "m.mentions": {}, "org.tertulia.key": "t2"});
    assert_eq!(
        Value::from(message(&render(&Markup::text("a\nb")), &Relation::Alone, "t2")),
        plain
    );
}

#[test]
fn an_edit_calls_nobody_again_and_has_no_other_relation() {
    let new = json!({
        "msgtype": "m.text",
        "body": "hiAda",
        "format": "org.matrix.custom.html",
        "formatted_body": "<strong>hi</strong><a href=\"https://matrix.to/#/%40ada%3Ah\">Ada</a>",
        "m.mentions": {"user_ids": ["@ada:h"]},
    });
    let expected = json!({
        "msgtype": "m.text",
        "body": "* hiAda",
        "format": "org.matrix.custom.html",
        "formatted_body": "* <strong>hi</strong><a href=\"https://matrix.to/#/%40ada%3Ah\">Ada</a>",
        "m.mentions": {},
        "m.new_content": new,
        "m.relates_to": {"rel_type": "m.replace", "event_id": "$e"},
        "org.tertulia.key": "t3",
    });
    assert_eq!(Value::from(edit(&loud(), "$e", "t3")), expected);
}

#[test]
fn the_client_library_reads_the_same() {
    let read = known(message(&loud(), &threaded(), "t"));
    let Some(Known::Thread(thread)) = read.relates_to else {
        panic!("{:?}", read.relates_to)
    };
    assert_eq!((thread.event_id.as_str(), thread.is_falling_back), ("$root", true));
    assert_eq!(thread.in_reply_to.unwrap().event_id, "$e/f");
    let mentioned: Vec<String> = read
        .mentions
        .unwrap()
        .user_ids
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(mentioned, ["@ada:h"]);

    let read = known(edit(&loud(), "$e/f", "t"));
    let Some(Known::Replacement(replacement)) = read.relates_to else {
        panic!("{:?}", read.relates_to)
    };
    assert_eq!(replacement.event_id, "$e/f");
    assert_eq!(replacement.new_content.msgtype.body(), "hiAda");
}

#[test]
fn a_file_has_its_source_and_its_kind() {
    let source = Content::from_iter([("url".to_owned(), "mxc://h/abc".into())]);
    for (mime, kind) in [
        ("image/png", "m.image"),
        ("audio/ogg", "m.audio"),
        ("video/mp4", "m.video"),
        ("text/csv", "m.file"),
    ] {
        let what = File {
            name: "a\nb.x",
            mime,
            size: 7,
            picture: None,
        };
        let content = file(&what, None, &source, &threaded(), "t");
        let read = known(content.clone());
        assert_eq!(read.msgtype.msgtype(), kind);
        assert_eq!(read.msgtype.body(), "ab.x");
        assert!(read.relates_to.is_some(), "{kind}");
        let has_voice = content.contains_key("org.matrix.msc3245.voice");
        assert_eq!(has_voice, mime == "audio/ogg");
    }
    let picture = File {
        name: "a.png",
        mime: "image/png",
        size: 7,
        picture: Some((3, 2)),
    };
    let said = caption(&loud());
    let content = file(&picture, Some(said), &source, &Relation::Alone, "t");
    let MessageType::Image(image) = known(content).msgtype else {
        panic!("no image")
    };
    assert_eq!(
        (image.body.as_str(), image.filename.as_deref()),
        ("hiAda", Some("a.png"))
    );
    let info = image.info.unwrap();
    assert_eq!((info.width, info.height), (Some(3_u32.into()), Some(2_u32.into())));
    assert!(matches!(image.source, MediaSource::Plain(url) if url == "mxc://h/abc"));
}

#[test]
fn a_reaction_is_an_annotation() {
    let expected = json!({"m.relates_to": {"rel_type": "m.annotation", "event_id": "$e", "key": "👀"}});
    assert_eq!(Value::from(reaction("$e", "👀")), expected);
}
