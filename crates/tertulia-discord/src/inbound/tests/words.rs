//! What is read of words and files.

use proptest::prelude::*;

use super::*;

#[test]
fn words_are_read_as_people_see_them() {
    let mentioned = |content: &str, expected: &str| check(mention(content), Addressed::Mention, expected);
    mentioned("<@1> ask <@8>, <@!8> and <@9>", "ask @Bobby, @Bobby and <@9>");
    mentioned("x <@1>", "x");
    mentioned("so <@1> said", "so @bot said");
    mentioned("<@1>", "@bot");
    mentioned("<@1> <@&51> in <#10>, <#77>", "@Team in #general, <#77>");
    mentioned(
        "<@1> <:wave:123> <a:dance:456> <:a b:1> <:x:>",
        ":wave: :dance: <:a b:1> <:x:>",
    );
    mentioned("<@1> </model set:123> at <t:0:R>", "/model set at 1970-01-01 00:00 UTC");
    mentioned("<@1> a < b > c << <@8> <", "a < b > c << @Bobby <");
    mentioned("<@1> **bold** `<x>`", "**bold** `<x>`");
}

#[test]
fn what_is_no_text_is_told_as_text() {
    check(
        json!({"poll": {"question": {"text": "Tea?"}, "answers": [{"poll_media": {"text": "yes"}}, {"poll_media": {"emoji": {"name": "👎"}}}]}}),
        Addressed::None,
        "[poll: Tea? (yes / 👎)]",
    );
    check(
        json!({"sticker_items": [{"id": "3", "name": "wave", "format_type": 3}]}),
        Addressed::None,
        "[sticker wave]",
    );
    check(
        json!({"content": "see", "embeds": [{"title": "T", "description": "D", "url": "https://x.org", "fields": [{"name": "a", "value": "b"}]}, {}]}),
        Addressed::None,
        "see\n[shown below: T\nD\na: b\nhttps://x.org]",
    );
    let forward = json!({"message_reference": {"type": 1, "message_id": "3", "channel_id": "4"},
        "message_snapshots": [{"message": {"content": "hi <@8>", "mentions": [{"id": "8", "username": "bob"}],
            "attachments": [{"id": "6", "filename": "a.png", "url": "u"}]}}]});
    let event = event(forward);
    assert_eq!(
        (text(&event), &event.reply_to, &event.quoted),
        ("Forwarded:\nhi @bob", &None, &None)
    );
    assert_eq!(event.files[0].handle, "10/175928847299117063/6 u");
}

#[test]
fn files_can_be_found_again() {
    let event = event(
        json!({"attachments": [{"id": "6", "filename": "a_b.txt", "title": "a b.txt", "description": "notes",
        "content_type": "text/plain; charset=utf-8", "size": 7, "url": "https://cdn.discordapp.com/a?ex=1"}],
        "sticker_items": [{"id": "8", "name": "w", "format_type": 1}, {"id": "9", "name": "g", "format_type": 4}]}),
    );
    let file = &event.files[0];
    assert_eq!(file.handle, "10/175928847299117063/6 https://cdn.discordapp.com/a?ex=1");
    assert_eq!(
        (file.name.as_str(), file.mime.as_deref(), file.size),
        ("a b.txt", Some("text/plain"), Some(7))
    );
    assert_eq!(
        event.files[1].handle,
        "10/175928847299117063/8 https://cdn.discordapp.com/stickers/8.png"
    );
    assert_eq!(event.files[2].mime.as_deref(), Some("image/gif"));
    assert_eq!(text(&event), "[a b.txt: notes]\n[sticker w]\n[sticker g]");
}

#[test]
fn replies_bring_what_they_answer() {
    let reply = |answered: Value| {
        let event = event(
            json!({"type": 19, "content": "x", "message_reference": {"message_id": "3"}, "referenced_message": answered}),
        );
        (event.reply_to, event.quoted)
    };
    let quoted = |who: &str, text: &str| {
        let (who, text) = (who.to_owned(), text.to_owned());
        Some(Quoted { who, text })
    };
    let said = |author: u64, content: &str| json!({"id": "3", "channel_id": CHANNEL, "content": content, "author": {"id": author, "username": "bob", "bot": author == 1}});
    let three = Some("3".to_owned());
    assert_eq!(
        reply(said(8, "hello <#10>")),
        (three.clone(), quoted("bob", "hello #general"))
    );
    assert_eq!(reply(said(1, "mine")), (three.clone(), quoted("", "mine")));
    assert_eq!(reply(Value::Null), (three.clone(), None));
    assert_eq!(reply(said(8, "")), (three.clone(), None));
    let mut picture = said(8, "");
    picture["attachments"] = json!([{"id": "6", "filename": "a.png", "url": "u"}]);
    assert_eq!(reply(picture), (three, quoted("bob", "[a.png]")));
    let long = reply(said(8, &"ä".repeat(2000))).1.unwrap().text;
    assert_eq!(long.chars().count(), 1001);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "([@#&!<>:/ta0-9 ]|<@1>|<@!8>|<#10>|<:a:1>|<t:7:R>|[^<]){0,30}") {
        let read = read(json!({"content": text, "mentions": [{"id": "1", "username": "bot"}]}), &Around::default());
        match read {
            Read::Event(event) => {
                prop_assert_eq!(event.addressed, Addressed::Mention);
                let said = super::text(&event);
                prop_assert!(said.chars().count() <= 4 * text.chars().count() + 30);
                // what is no sign of Discord's stays
                if !text.contains('<') {
                    prop_assert_eq!(said, text.trim());
                }
            }
            other => {
                prop_assert!(text.trim().is_empty(), "{:?} of {:?}", other, text);
            }
        }
    }
}
