//! Texts, formatting, edits, buttons, menus: what Telegram refuses, and what it takes though it should not be sent.

use serde_json::json;
use tertulia_testkit::telegram_double::Settings;

use super::{bold, call, done, refused, start, with};

#[tokio::test]
async fn texts_have_bounds() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let post = |text: &str| json!({"chat_id": ann, "text": text});
    for blank in ["", " \n ", "\u{200b}\u{2060}"] {
        refused(
            &double,
            "sendMessage",
            post(blank),
            "Bad Request: message text is empty",
        )
        .await;
    }
    refused(
        &double,
        "sendMessage",
        post(&"x".repeat(4097)),
        "Bad Request: message is too long",
    )
    .await;
    let sent = done(&double, "sendMessage", post(&"😀".repeat(2048))).await;
    let id = &sent["message_id"];
    let edit = |text: &str| json!({"chat_id": ann, "message_id": id, "text": text});
    refused(
        &double,
        "editMessageText",
        edit(&"x".repeat(4097)),
        "Bad Request: MESSAGE_TOO_LONG",
    )
    .await;
    refused(
        &double,
        "editMessageText",
        edit("\u{200b}"),
        "Bad Request: message text is empty",
    )
    .await;
    assert!(double.violations().is_empty());
    assert_eq!(double.refused().len(), 6);
}

#[tokio::test]
async fn formatting_is_checked() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let post = |entities: serde_json::Value| json!({"chat_id": ann, "text": "a😀b", "entities": entities});
    done(&double, "sendMessage", post(json!([bold(1, 2)]))).await;
    assert_eq!(call(&double, "sendMessage", post(json!([bold(2, 2)]))).await.0, 400);
    assert_eq!(call(&double, "sendMessage", post(json!([bold(3, 2)]))).await.0, 400);
    assert!(double.violations().is_empty());
    done(
        &double,
        "sendMessage",
        post(json!([bold(0, 3), {"type": "italic", "offset": 1, "length": 3}])),
    )
    .await;
    done(
        &double,
        "sendMessage",
        json!({"chat_id": ann, "text": "*x*", "parse_mode": "MarkdownV2"}),
    )
    .await;
    let violations: Vec<_> = double
        .violations()
        .into_iter()
        .map(|violation| violation.what)
        .collect();
    assert_eq!(violations.len(), 2);
    assert!(
        violations[0].contains("overlaps") && violations[1].contains("parse mode"),
        "{violations:?}"
    );
}

#[tokio::test]
async fn edits_change_own_messages_only() {
    let double = start().await;
    let ann = double.person("Ann");
    let question = double.say(ann, ann, "hello");
    let sent = done(&double, "sendMessage", json!({"chat_id": ann, "text": "one"})).await;
    let edit = |id: &serde_json::Value, text: &str| json!({"chat_id": ann, "message_id": id, "text": text});
    let id = sent["message_id"].clone();
    refused(
        &double,
        "editMessageText",
        edit(&json!(question), "x"),
        "Bad Request: message can't be edited",
    )
    .await;
    refused(
        &double,
        "editMessageText",
        edit(&json!(99), "x"),
        "Bad Request: message to edit not found",
    )
    .await;
    let (status, answer) = call(&double, "editMessageText", edit(&id, " one ")).await;
    assert_eq!(status, 400);
    assert!(
        answer["description"]
            .as_str()
            .unwrap()
            .starts_with("Bad Request: message is not modified: ")
    );
    assert_eq!(double.counts().unchanged_edits, 1);
    let edited = done(&double, "editMessageText", edit(&id, "two")).await;
    assert_eq!((&edited["text"], edited["edit_date"].is_u64()), (&json!("two"), true));
    refused(
        &double,
        "editMessageCaption",
        json!({"chat_id": ann, "message_id": id, "caption": "x"}),
        "Bad Request: there is no caption in the message to edit",
    )
    .await;
    done(&double, "deleteMessage", json!({"chat_id": ann, "message_id": id})).await;
    let gone = json!({"chat_id": ann, "message_id": id});
    refused(
        &double,
        "deleteMessage",
        gone,
        "Bad Request: message to delete not found",
    )
    .await;
    refused(
        &double,
        "editMessageText",
        edit(&id, "x"),
        "Bad Request: message to edit not found",
    )
    .await;
}

#[tokio::test]
async fn buttons_are_pressed_only_where_they_stand() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let keyboard = json!({"inline_keyboard": [[{"text": "Stop", "callback_data": "stop.1"}]]});
    let post = json!({"chat_id": ann, "text": "…", "reply_markup": keyboard});
    let id = done(&double, "sendMessage", post).await["message_id"].as_i64().unwrap();
    assert_eq!(double.press(ann, ann, id, "Retry"), None);
    let press = double.press(ann, ann, id, "Stop").unwrap();
    let updates = done(&double, "getUpdates", json!({})).await;
    assert_eq!(updates[0]["callback_query"]["data"], "stop.1");
    let answer = |text: &str| json!({"callback_query_id": press, "text": text});
    refused(
        &double,
        "answerCallbackQuery",
        answer(&"x".repeat(201)),
        "Bad Request: MESSAGE_TOO_LONG",
    )
    .await;
    done(&double, "answerCallbackQuery", answer("stopping")).await;
    assert!(double.is_answered(&press));
    let late = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    refused(&double, "answerCallbackQuery", answer(""), late).await;
    done(
        &double,
        "editMessageText",
        json!({"chat_id": ann, "message_id": id, "text": "done"}),
    )
    .await;
    assert_eq!(
        double.press(ann, ann, id, "Stop"),
        None,
        "an edit without buttons takes them away"
    );
    let wrong = json!({"chat_id": ann, "text": "x",
        "reply_markup": {"inline_keyboard": [[{"text": "x", "callback_data": "d".repeat(65)}]]}});
    refused(&double, "sendMessage", wrong, "Bad Request: BUTTON_DATA_INVALID").await;
}

#[tokio::test]
async fn menus_take_what_can_be_a_command() {
    let double = start().await;
    let command = |name: &str, text: &str| json!({"commands": [{"command": name, "description": text}]});
    done(&double, "setMyCommands", command("help", "Helps.")).await;
    for (name, text) in [("Help", "x"), ("", "x"), ("x-y", "x")] {
        refused(
            &double,
            "setMyCommands",
            command(name, text),
            "Bad Request: BOT_COMMAND_INVALID",
        )
        .await;
    }
    let wordless = "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID";
    refused(&double, "setMyCommands", command("x", ""), wordless).await;
    refused(&double, "setMyCommands", command("x", &"x".repeat(257)), wordless).await;
    let many: Vec<_> = (0..101)
        .map(|n| json!({"command": format!("c{n}"), "description": "x"}))
        .collect();
    refused(
        &double,
        "setMyCommands",
        json!({"commands": many}),
        "Bad Request: BOT_COMMANDS_TOO_MUCH",
    )
    .await;
    let scope = json!({"type": "chat", "chat_id": 5});
    refused(
        &double,
        "getMyCommands",
        json!({"scope": scope}),
        "Bad Request: chat not found",
    )
    .await;
    let groups = json!({"scope": {"type": "all_group_chats"}});
    assert_eq!(done(&double, "getMyCommands", groups).await, json!([]));
    assert_eq!(done(&double, "getMyCommands", json!({})).await[0]["command"], "help");
    done(&double, "deleteMyCommands", json!({})).await;
    assert_eq!(done(&double, "getMyCommands", json!({})).await, json!([]));
}

#[tokio::test]
async fn drafts_are_for_private_chats() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let group = double.group("Friends");
    let draft = |chat: i64, id: i64, text: &str| json!({"chat_id": chat, "draft_id": id, "text": text});
    done(&double, "sendMessageDraft", draft(ann, 7, "")).await;
    done(&double, "sendMessageDraft", draft(ann, 7, "so far")).await;
    assert_eq!(double.drafts(ann).len(), 1);
    assert_eq!(double.drafts(ann)[0].text, "so far");
    assert_eq!(call(&double, "sendMessageDraft", draft(ann, 0, "x")).await.0, 400);
    assert_eq!(
        call(&double, "sendMessageDraft", draft(ann, 7, &"x".repeat(4097)))
            .await
            .0,
        400
    );
    assert_eq!(call(&double, "sendMessageDraft", draft(group, 7, "x")).await.0, 400);
    done(&double, "sendMessage", json!({"chat_id": ann, "text": "so far and on"})).await;
    assert!(double.drafts(ann).is_empty());
    let old = with(Settings {
        drafts: false,
        ..Settings::default()
    })
    .await;
    refused(
        &old,
        "sendMessageDraft",
        draft(1, 7, "x"),
        "Not Found: method not found",
    )
    .await;
}

#[tokio::test]
async fn signs_are_checked() {
    let double = start().await;
    let ann = double.person("Ann");
    let id = double.say(ann, ann, "hello");
    done(&double, "sendChatAction", json!({"chat_id": ann, "action": "typing"})).await;
    assert_eq!(double.action(ann).as_deref(), Some("typing"));
    assert_eq!(
        call(&double, "sendChatAction", json!({"chat_id": ann, "action": "thinking"}))
            .await
            .0,
        400
    );
    let react = |emoji: &[&str]| {
        let reactions: Vec<_> = emoji
            .iter()
            .map(|emoji| json!({"type": "emoji", "emoji": emoji}))
            .collect();
        json!({"chat_id": ann, "message_id": id, "reaction": reactions})
    };
    done(&double, "setMessageReaction", react(&["👀"])).await;
    assert_eq!(double.reactions(ann, id).len(), 1);
    assert_eq!(call(&double, "setMessageReaction", react(&["👀", "👍"])).await.0, 400);
    assert_eq!(call(&double, "setMessageReaction", react(&["x"])).await.0, 400);
}
