//! What was said, and what came with it.

use serde_json::{Value, json};

use super::{GROUP, ME, ada, event, group, private, text};

#[test]
fn the_bots_own_name_is_left_out_at_the_ends() {
    let said = |text_: &str, offset: usize| {
        let entities = json!([{"type": "mention", "offset": offset, "length": 13}]);
        text(group(json!({"text": text_, "entities": entities})))
    };
    assert_eq!(said("@tertulia_bot hi", 0), "hi");
    assert_eq!(said("@tertulia_bot, hi", 0), "hi");
    assert_eq!(said("hi 😀 @tertulia_bot", 6), "hi 😀");
    assert_eq!(said("ask @tertulia_bot about it", 4), "ask @tertulia_bot about it");
    assert_eq!(said("@tertulia_bot", 0), "@tertulia_bot");
    assert_eq!(said("@tertulia_bot /stop", 0), "/stop");
    assert_eq!(
        said("@tertulia_bot /stop@other_bot", 0),
        "@tertulia_bot /stop@other_bot"
    );
    assert_eq!(
        said("/say@tertulia_bot @tertulia_bot", 18),
        "/say@tertulia_bot @tertulia_bot"
    );
}

#[test]
fn addresses_behind_words_are_told() {
    let link = |offset: usize, length: usize, url: &str| json!({"type": "text_link", "offset": offset, "length": length, "url": url});
    let said = |text_: &str, entities: Value| text(private(json!({"text": text_, "entities": entities})));
    assert_eq!(
        said(
            "😀 this and that",
            json!([link(3, 4, "https://a/"), link(12, 4, "https://b/")])
        ),
        "😀 this (https://a/) and that (https://b/)"
    );
    assert_eq!(said("https://a", json!([link(0, 9, "https://a/")])), "https://a");
    assert_eq!(said("odd", json!([link(2, 40, "https://a/")])), "odd");
    let both = json!([link(0, 4, "https://a/"), {"type": "mention", "offset": 5, "length": 13}]);
    assert_eq!(said("this @tertulia_bot", both), "this (https://a/)");
}

#[test]
fn what_is_forwarded_says_so_first() {
    let said = |origin: Value| text(private(json!({"text": "/forget chat yes", "forward_origin": origin})));
    assert_eq!(
        said(json!({"type": "user", "sender_user": {"id": 6, "first_name": "Bob\n/x"}})),
        "Forwarded from Bob /x:\n/forget chat yes"
    );
    assert_eq!(
        said(json!({"type": "hidden_user", "sender_user_name": "Eve"})),
        "Forwarded from Eve:\n/forget chat yes"
    );
    assert_eq!(
        said(json!({"type": "channel", "chat": {"id": -1, "title": "News"}})),
        "Forwarded from News:\n/forget chat yes"
    );
    assert_eq!(
        said(json!({"type": "brand_new"})),
        "Forwarded from somebody:\n/forget chat yes"
    );
    let old = private(json!({"text": "/forget", "forward_date": 1, "forward_sender_name": "Eve"}));
    assert_eq!(text(old), "Forwarded from somebody:\n/forget");
}

#[test]
fn files_come_with_what_is_known_of_them() {
    let file = |more: Value| {
        let event = event(private(more));
        let file = event.files.first().cloned().expect("a file");
        (file.handle, file.name, file.mime.unwrap_or_default(), file.size)
    };
    let of = |handle: &str, name: &str, mime: &str, size| (handle.to_owned(), name.to_owned(), mime.to_owned(), size);
    let photo = json!([{"file_id": "s", "width": 90, "height": 60, "file_size": 10},
        {"file_id": "m", "width": 900, "height": 600, "file_size": 1000}, {"file_id": "l", "width": 1800, "height": 1200, "file_size": 1001}]);
    assert_eq!(
        file(json!({"photo": photo})),
        of("m", "photo.jpg", "image/jpeg", Some(1000))
    );
    let document = json!({"file_id": "d", "file_name": "a\n.pdf", "mime_type": "application/pdf", "file_size": 7});
    assert_eq!(
        file(json!({"document": document})),
        of("d", "a .pdf", "application/pdf", Some(7))
    );
    let both = json!({"animation": {"file_id": "a", "mime_type": "video/mp4"}, "document": {"file_id": "a"}});
    assert_eq!(file(both), of("a", "animation.mp4", "video/mp4", None));
    assert_eq!(
        file(json!({"voice": {"file_id": "v", "duration": 3}})),
        of("v", "voice.ogg", "audio/ogg", None)
    );
    let music = json!({"audio": {"file_id": "a", "performer": "Bach", "title": "Aria"}});
    assert_eq!(file(music), of("a", "Bach Aria", "audio/mpeg", None));
    assert_eq!(
        file(json!({"video_note": {"file_id": "n"}})),
        of("n", "video_note.mp4", "video/mp4", None)
    );
    let album = event(private(
        json!({"photo": photo, "caption": "two", "media_group_id": "33"}),
    ));
    assert_eq!(album.join.as_deref(), Some("album/5/33"));
    assert_eq!(text(private(json!({"photo": photo}))), "");
}

#[test]
fn what_is_no_text_is_told_as_text() {
    let cases = [
        (
            json!({"sticker": {"file_id": "x", "emoji": "😀", "set_name": "Cats"}}),
            "[sticker 😀 from the set Cats]",
        ),
        (json!({"sticker": {"file_id": "x"}}), "[sticker]"),
        (
            json!({"location": {"latitude": 52.5, "longitude": 13.25}}),
            "[location: latitude 52.5, longitude 13.25]",
        ),
        (
            json!({"venue": {"location": {"latitude": 1.0, "longitude": 2.0}, "title": "Café", "address": "Street 1"},
                "location": {"latitude": 1.0, "longitude": 2.0}}),
            "[place: Café, Street 1 (latitude 1, longitude 2)]",
        ),
        (
            json!({"contact": {"phone_number": "+1", "first_name": "Bob"}}),
            "[contact: Bob, +1]",
        ),
        (
            json!({"poll": {"question": "Tea?", "options": [{"text": "yes"}, {"text": "no"}]}}),
            "[poll: Tea? (yes / no)]",
        ),
        (json!({"dice": {"emoji": "🎲", "value": 4}}), "[🎲 shows 4]"),
        (json!({"story": {"id": 1}}), "[a story, which cannot be shown here]"),
    ];
    for (more, expected) in cases {
        assert_eq!(text(private(more)), expected);
    }
}

#[test]
fn replies_bring_what_they_are_about() {
    let quoted = |more: Value| {
        let event = event(group(more));
        (event.reply_to, event.quoted.map(|quoted| (quoted.who, quoted.text)))
    };
    let of = |id: &str, who: &str, text: &str| (Some(id.to_owned()), Some((who.to_owned(), text.to_owned())));
    let ours = json!({"message_id": 2, "chat": {"id": GROUP}, "from": {"id": ME, "is_bot": true, "first_name": "T"}, "text": "long answer"});
    assert_eq!(
        quoted(json!({"text": "x", "reply_to_message": ours})),
        of("-1001234/2", "", "long answer")
    );
    let part = json!({"text": "x", "reply_to_message": ours, "quote": {"text": "answer", "position": 5}});
    assert_eq!(quoted(part), of("-1001234/2", "", "answer"));
    let photo = json!({"message_id": 2, "chat": {"id": GROUP}, "from": ada(), "photo": [{"file_id": "x"}]});
    assert_eq!(
        quoted(json!({"text": "x", "reply_to_message": photo})),
        of("-1001234/2", "Ada L.", "[a photo]")
    );
    let sticker = json!({"message_id": 2, "chat": {"id": GROUP}, "from": ada(), "sticker": {"emoji": "😀"}});
    assert_eq!(
        quoted(json!({"text": "x", "reply_to_message": sticker})),
        of("-1001234/2", "Ada L.", "[sticker 😀]")
    );
    let elsewhere = json!({"text": "x", "external_reply": {"origin": {"type": "user", "sender_user": ada()}, "voice": {"file_id": "v"}}});
    assert_eq!(
        quoted(elsewhere),
        (None, Some(("Ada L.".into(), "[a voice message]".into())))
    );
    let long = json!({"message_id": 2, "chat": {"id": GROUP}, "from": ada(), "text": "ä".repeat(4000)});
    let (_, cut) = quoted(json!({"text": "x", "reply_to_message": long}));
    assert_eq!(cut.unwrap().1.chars().count(), 1001);
}
