//! What is said: words, files, quotations, new contents.

use matrix_sdk::ruma::events::room::MediaSource;
use tertulia_message::FileRef;

use super::*;

#[track_caller]
fn check_file(content: Value, text: &str, name: &str, mime: &str) -> FileRef {
    let read = inbound(&event("m.room.message", content, json!({})), &direct());
    assert_eq!(read.what, What::Message { text: text.to_owned() });
    let [file] = read.files.as_slice() else {
        panic!("{:?}", read.files)
    };
    assert_eq!((file.name.as_str(), file.mime.as_deref()), (name, Some(mime)));
    file.clone()
}

fn encrypted() -> Value {
    json!({"url": "mxc://h.org/abc", "key": {"kty": "oct", "key_ops": ["encrypt", "decrypt"], "alg": "A256CTR",
        "k": "aWF6-32KGYaC3A_FEUCk1Bt0JA37zP0wrStgmdCaW-0", "ext": true}, "iv": "w+sE15fzSc0AAAAAAAAAAA",
        "hashes": {"sha256": "fdSLu/YkRx3Wyh3KQabP3rd6+SFiKg5lsJZQHtkSAYA"}, "v": "v2", "odd": {"deep": [1]}})
}

#[test]
fn a_message_has_place_person_and_time() {
    let event = inbound(&message(json!({"body": "hi"})), &direct());
    assert_eq!((event.path.as_str(), event.id.as_str()), ("matrix/!room:h.org", "$e"));
    assert_eq!(event.sender, PersonId::new("matrix", "@ada:h.org"));
    assert_eq!(
        (event.sender_name.as_str(), event.sent_at),
        ("Ada L.", Some(1_700_000_000_000))
    );
    assert_eq!(
        (event.addressed, event.what),
        (Addressed::Direct, What::Message { text: "hi".into() })
    );
    assert_eq!(
        (event.reply_to, event.quoted, event.join, event.token),
        (None, None, None, None)
    );
}

#[test]
fn kinds_of_messages_have_their_words() {
    for (content, expected) in [
        (json!({"msgtype": "m.emote", "body": "waves"}), "* Ada L. waves"),
        (json!({"msgtype": "m.unheard_of", "body": "x"}), "x"),
        (json!({"msgtype": 7, "body": "x"}), "x"),
        (json!({"body": "", "formatted_body": "<b>x</b> &amp; y"}), "x & y"),
        (
            json!({"msgtype": "m.location", "body": "Big Ben", "geo_uri": "geo:51.5,0.1"}),
            "[location: geo:51.5,0.1, Big Ben]",
        ),
        (
            json!({"msgtype": "m.image", "body": "x.png"}),
            "[a picture, which cannot be read]",
        ),
        (
            json!({"msgtype": "m.audio", "body": "c", "filename": "f", "url": "https://h"}),
            "[a piece of sound, which cannot be read] c",
        ),
    ] {
        assert_eq!(text(&message(content.clone()), &direct()), expected, "{content}");
    }
    for kind in ["m.notice", "m.server_notice", "m.key.verification.request"] {
        let skipped = if kind == "m.notice" {
            Skipped::Bot
        } else {
            Skipped::Nothing
        };
        check_skipped(&message(json!({"msgtype": kind, "body": "x"})), skipped);
    }
    for nothing in [json!({"body": " \n"}), json!({}), json!({"body": 7})] {
        check_skipped(&message(nothing), Skipped::Nothing);
    }
}

#[test]
fn polls_and_stickers_are_told() {
    let answers = json!([{"id": "1", "org.matrix.msc1767.text": "yes"}, {"id": "2", "m.text": [{"body": "no"}]}, 7]);
    for (kind, key) in [
        ("m.poll.start", "m.poll"),
        ("org.matrix.msc3381.poll.start", "org.matrix.msc3381.poll.start"),
    ] {
        let poll = json!({key: {"question": {"org.matrix.msc1767.text": "Well?"}, "answers": answers}});
        assert_eq!(
            text(&event(kind, poll, json!({})), &direct()),
            "[poll: Well? (yes / no)]"
        );
    }
    let sticker = event(
        "m.sticker",
        json!({"body": "a cat", "url": "mxc://h.org/x", "info": {}}),
        json!({}),
    );
    assert_eq!(text(&sticker, &direct()), "[sticker a cat]");
    assert_eq!(inbound(&sticker, &direct()).files.len(), 1);
}

#[test]
fn files_can_be_fetched_later() {
    let usual = json!({"msgtype": "m.image", "body": "a.png", "url": "mxc://h.org/abc", "info": {"mimetype": "image/png", "size": 7}});
    let file = check_file(usual, "", "a.png", "image/png");
    assert_eq!(file.size, Some(7));
    assert!(matches!(serde_json::from_str(&file.handle).unwrap(), MediaSource::Plain(url) if url == "mxc://h.org/abc"));

    let odd = json!({"msgtype": "m.file", "body": "C:\\x\\..\\\u{202e}b.exe", "url": "mxc://h.org/abc",
        "info": {"mimetype": "no mime", "size": -1}});
    assert_eq!(check_file(odd, "", "b.exe", "application/octet-stream").size, None);
    let captioned = json!({"msgtype": "m.video", "body": "look!", "filename": "v.mp4", "url": "mxc://h.org/abc"});
    check_file(captioned, "look!", "v.mp4", "video/mp4");
    let voice = json!({"msgtype": "m.audio", "body": "", "url": "mxc://h.org/abc", "org.matrix.msc3245.voice": {}});
    check_file(voice, "", "voice.ogg", "audio/ogg");
}

#[test]
fn an_encrypted_file_has_its_key_and_hides_it() {
    let content = json!({"msgtype": "m.audio", "body": "a.mp3", "url": "mxc://h.org/other", "file": encrypted()});
    let file = check_file(content.clone(), "", "a.mp3", "audio/mpeg");
    let MediaSource::Encrypted(source) = serde_json::from_str(&file.handle).unwrap() else {
        panic!("not encrypted")
    };
    assert_eq!(source.url, "mxc://h.org/abc");
    assert!(!file.handle.contains("odd"));
    let shown = format!("{:?}", read(&event("m.room.message", content, json!({})), &direct()));
    assert!(shown.contains("a.mp3") && !shown.contains("aWF6"), "{shown}");
}

#[test]
fn an_encrypted_file_without_all_of_it_is_none() {
    for (field, value) in [
        ("iv", json!("")),
        ("key", json!({})),
        ("hashes", json!({})),
        ("v", json!(2)),
        ("url", json!("mxc://h/../x")),
    ] {
        let mut file = encrypted();
        file[field] = value;
        let content = json!({"msgtype": "m.image", "body": "a.png", "file": file, "url": "mxc://h.org/x"});
        let read = inbound(&message(content), &direct());
        assert!(read.files.is_empty(), "{field}");
        assert_eq!(
            read.what,
            What::Message {
                text: "[a picture, which cannot be read]".into()
            }
        );
    }
}

#[test]
fn a_reply_quotes_what_it_is_about() {
    let body = "> <@bob:h.org> old\n> \n> words\n\nnew\n> kept";
    let reply = message(json!({"body": body, "m.relates_to": {"m.in_reply_to": {"event_id": "$old"}}}));
    let quoted = |who: &str, text: &str| {
        Some(Quoted {
            who: who.into(),
            text: text.into(),
        })
    };
    let read = inbound(&reply, &direct());
    assert_eq!(
        read.what,
        What::Message {
            text: "new\n> kept".into()
        }
    );
    assert_eq!(
        (read.reply_to.as_deref(), read.quoted),
        (Some("$old"), quoted("bob", "old\n\nwords"))
    );

    let cases = [
        (
            json!({"msgtype": "m.text", "body": "said"}),
            "@bob:h.org",
            quoted("Bob", "said"),
        ),
        (json!({"msgtype": "m.text", "body": "said"}), ME, quoted("", "said")),
        (
            json!({"msgtype": "m.notice", "body": "said"}),
            "@bob:h.org",
            quoted("Bob", "said"),
        ),
        (
            json!({"msgtype": "m.image", "body": "a.png", "url": "mxc://h.org/x"}),
            "@bob:h.org",
            quoted("Bob", "[a picture]"),
        ),
        (json!({}), "@bob:h.org", None),
    ];
    for (content, sender, expected) in cases {
        let old = event("m.room.message", content, json!({"sender": sender, "event_id": "$old"})).to_string();
        let around = Around {
            related: Some(&old),
            related_name: Some("Bob"),
            ..direct()
        };
        assert_eq!(inbound(&reply, &around).quoted, expected, "{old}");
    }
}

#[test]
fn a_quotation_has_its_last_words_and_no_redacted_ones() {
    let reply = message(json!({"body": "new", "m.relates_to": {"m.in_reply_to": {"event_id": "$old"}}}));
    let quoted = |unsigned: Value, body: &str| {
        let old = event(
            "m.room.message",
            json!({"msgtype": "m.text", "body": body}),
            json!({"event_id": "$old", "unsigned": unsigned}),
        );
        let old = old.to_string();
        let around = Around {
            related: Some(&old),
            ..direct()
        };
        inbound(&reply, &around).quoted.map(|quoted| quoted.text)
    };
    let edit =
        json!({"m.relations": {"m.replace": {"content": {"m.new_content": {"msgtype": "m.text", "body": "b"}}}}});
    assert_eq!(quoted(edit, "a").as_deref(), Some("b"));
    assert_eq!(quoted(json!({"redacted_because": {}}), "a"), None);
    assert_eq!(
        quoted(json!({}), &"x".repeat(2000)).map(|text| text.chars().count()),
        Some(1001)
    );
}

#[test]
fn an_edit_has_the_new_words_in_the_place_of_the_old() {
    let edit = |content: Value| {
        let mut usual = object(
            json!({"msgtype": "m.text", "body": "* new", "m.relates_to": {"rel_type": "m.replace", "event_id": "$old"}}),
        );
        usual.extend(object(content));
        message(usual.into())
    };
    let what = |text: &str| What::Edit {
        of: "$old".into(),
        text: text.into(),
    };
    let new = edit(json!({"m.new_content": {"msgtype": "m.text", "body": "new"}}));
    assert_eq!(inbound(&new, &direct()).what, what("new"));
    assert_eq!(inbound(&edit(json!({})), &direct()).what, what("new"));
    check_skipped(
        &edit(json!({"m.new_content": {"msgtype": "m.notice", "body": "x"}})),
        Skipped::Bot,
    );

    let in_thread = json!({"body": "a", "m.relates_to": {"rel_type": "m.thread", "event_id": "$root"}});
    let old = event("m.room.message", in_thread, json!({"event_id": "$old"})).to_string();
    let around = Around {
        related: Some(&old),
        ..direct()
    };
    assert_eq!(inbound(&new, &around).path.as_str(), "matrix/!room:h.org/$root");
    let needs = Needs::of(&new.to_string()).unwrap();
    assert_eq!((needs.related.as_deref(), needs.changes), (Some("$old"), true));
}
