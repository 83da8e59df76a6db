//! Chats, topics, threads, and what keeps the bot out of them.

use serde_json::{Value, json};
use tertulia_testkit::telegram_double::{Said, Settings, Standing, TelegramDouble};

use super::{call, done, refused, start, with};

async fn updates(double: &TelegramDouble) -> Vec<Value> {
    let all = done(double, "getUpdates", json!({})).await;
    let last = all
        .as_array()
        .unwrap()
        .last()
        .map(|update| update["update_id"].as_i64().unwrap());
    if let Some(last) = last {
        done(double, "getUpdates", json!({"offset": last + 1})).await;
    }
    all.as_array().unwrap().clone()
}

#[tokio::test]
async fn general_has_no_thread_and_topics_have_one() {
    let double = start().await;
    let ann = double.person("Ann");
    let forum = double.forum("Friends");
    let topic = double.topic(forum, ann, "Games");
    double.say(ann, forum, "/here");
    double.say(ann, (forum, topic), "/there");
    let all = updates(&double).await;
    assert!(all[1]["message"].get("message_thread_id").is_none());
    assert_eq!(all[2]["message"]["message_thread_id"], topic);
    assert_eq!(all[2]["message"]["is_topic_message"], true);
    let post = |thread: i64| json!({"chat_id": forum, "text": "x", "message_thread_id": thread});
    for unknown in [1, 99] {
        refused(
            &double,
            "sendMessage",
            post(unknown),
            "Bad Request: message thread not found",
        )
        .await;
    }
    let action = |thread: i64| json!({"chat_id": forum, "action": "typing", "message_thread_id": thread});
    for (thread, seen) in [(0, None), (1, Some("typing"))] {
        done(&double, "sendChatAction", action(thread)).await;
        assert_eq!(double.action(forum).as_deref(), seen);
    }
    done(&double, "sendMessage", post(topic)).await;
    assert_eq!(double.bot_shows((forum, topic)), ["x"]);
    assert!(double.bot_shows(forum).is_empty());
    double.close_topic(forum, topic);
    refused(&double, "sendMessage", post(topic), "Bad Request: TOPIC_CLOSED").await;
    double.reopen_topic(forum, topic);
    done(&double, "sendMessage", post(topic)).await;
    double.delete_topic(forum, topic);
    refused(
        &double,
        "sendMessage",
        post(topic),
        "Bad Request: message thread not found",
    )
    .await;
}

#[tokio::test]
async fn threads_of_replies_are_no_topics() {
    let double = start().await;
    let ann = double.person("Ann");
    let group = double.supergroup("Friends");
    let first = double.say(ann, group, "/one");
    let second = double.send(ann, group, Said::text("/two").reply_to(first));
    double.send(ann, group, Said::text("/three").reply_to(second));
    let all = updates(&double).await;
    for update in &all[1..] {
        assert_eq!(update["message"]["message_thread_id"], first);
        assert!(update["message"].get("is_topic_message").is_none());
    }
    let reply = json!({"chat_id": group, "text": "x", "reply_parameters": {"message_id": second, "quote": "two"}});
    let sent = done(&double, "sendMessage", reply).await;
    assert_eq!(
        (&sent["message_thread_id"], &sent["reply_to_message"]["text"]),
        (&json!(first), &json!("/two"))
    );
    let missing = |lenient: bool| {
        json!({"chat_id": group, "text": "x",
            "reply_parameters": {"message_id": 99, "allow_sending_without_reply": lenient}})
    };
    refused(
        &double,
        "sendMessage",
        missing(false),
        "Bad Request: message to be replied not found",
    )
    .await;
    assert!(
        done(&double, "sendMessage", missing(true))
            .await
            .get("reply_to_message")
            .is_none()
    );
}

#[tokio::test]
async fn privacy_mode_hides_what_is_not_for_the_bot() {
    for privacy in [true, false] {
        let double = with(Settings {
            privacy,
            ..Settings::default()
        })
        .await;
        let (ann, other) = (double.person("Ann"), double.other_bot("Other"));
        let group = double.supergroup("Friends");
        let sent = done(&double, "sendMessage", json!({"chat_id": group, "text": "I am here"})).await;
        double.say(ann, group, "not for you");
        double.say(ann, group, "@double_bot for you");
        double.say(ann, group, "/help");
        double.say(ann, group, "/help@another_bot");
        double.send(
            ann,
            group,
            Said::text("and this").reply_to(sent["message_id"].as_i64().unwrap()),
        );
        double.say(other, group, "/help");
        let all = updates(&double).await;
        let texts: Vec<_> = all
            .iter()
            .map(|update| update["message"]["text"].as_str().unwrap())
            .collect();
        let hidden = ["not for you", "/help@another_bot"];
        assert_eq!(texts.len(), if privacy { 3 } else { 5 }, "{texts:?}");
        assert_eq!(texts.iter().any(|text| hidden.contains(text)), !privacy);
        assert_eq!(
            done(&double, "getMe", json!({})).await["can_read_all_group_messages"],
            !privacy
        );
    }
}

#[tokio::test]
async fn posts_of_channels_come_to_their_discussion() {
    let double = with(Settings {
        privacy: false,
        ..Settings::default()
    })
    .await;
    let ann = double.person("Ann");
    let (channel, discussion) = double.channel("News");
    let (post, forward) = double.post(channel, "headline");
    double.send(ann, discussion, Said::text("really?").reply_to(forward.unwrap()));
    double.say(TelegramDouble::ANONYMOUS, discussion, "yes");
    let all = updates(&double).await;
    assert_eq!(all[0]["channel_post"]["message_id"], post);
    let forwarded = &all[1]["message"];
    assert_eq!(
        (&forwarded["from"]["id"], &forwarded["is_automatic_forward"]),
        (&json!(777_000), &json!(true))
    );
    assert_eq!(forwarded["sender_chat"]["id"], channel);
    assert_eq!(all[2]["message"]["message_thread_id"], forward.unwrap());
    assert_eq!(all[3]["message"]["sender_chat"]["id"], discussion);
}

#[tokio::test]
async fn a_group_moves_when_it_grows() {
    let double = start().await;
    let ann = double.person("Ann");
    let group = double.group("Friends");
    double.say(ann, group, "/before");
    let to = double.migrate(group);
    let all = updates(&double).await;
    assert_eq!(
        (
            &all[1]["message"]["migrate_to_chat_id"],
            &all[1]["message"]["chat"]["id"]
        ),
        (&json!(to), &json!(group))
    );
    assert_eq!(all[2]["message"]["migrate_from_chat_id"], group);
    for (method, body) in [
        ("sendMessage", json!({"chat_id": group, "text": "x"})),
        ("sendChatAction", json!({"chat_id": group, "action": "typing"})),
    ] {
        let (status, answer) = call(&double, method, body).await;
        assert_eq!((status, &answer["parameters"]["migrate_to_chat_id"]), (400, &json!(to)));
        assert_eq!(
            answer["description"],
            "Bad Request: group chat was upgraded to a supergroup chat"
        );
    }
    double.say(ann, group, "/after");
    assert_eq!(
        updates(&double).await[0]["message"]["chat"]["id"],
        to,
        "people find the new one"
    );
}

#[tokio::test]
async fn closed_doors_say_why() {
    let double = start().await;
    let (ann, bob) = (double.person("Ann"), double.person("Bob"));
    double.open(ann);
    let (group, large) = (double.group("Friends"), double.supergroup("Many"));
    let post = |chat: i64| json!({"chat_id": chat, "text": "x"});
    refused(&double, "sendMessage", post(5), "Bad Request: chat not found").await;
    refused(
        &double,
        "sendMessage",
        post(bob),
        "Forbidden: bot can't initiate conversation with a user",
    )
    .await;
    for (chat, standing, words) in [
        (ann, Standing::Blocked, "Forbidden: bot was blocked by the user"),
        (ann, Standing::Deactivated, "Forbidden: user is deactivated"),
        (group, Standing::Kicked, "Forbidden: bot was kicked from the group chat"),
        (
            large,
            Standing::Kicked,
            "Forbidden: bot was kicked from the supergroup chat",
        ),
        (
            large,
            Standing::Outside,
            "Forbidden: bot is not a member of the supergroup chat",
        ),
        (
            large,
            Standing::Muted,
            "Bad Request: not enough rights to send text messages to the chat",
        ),
    ] {
        double.set_standing(chat, bob, standing);
        refused(&double, "sendMessage", post(chat), words).await;
        double.set_standing(chat, bob, Standing::Member);
        done(&double, "sendMessage", post(chat)).await;
    }
    let all = updates(&double).await;
    assert_eq!(all[0]["my_chat_member"]["new_chat_member"]["status"], "kicked");
}
