//! Channels, threads, forums, private conversations, and permissions.

use serde_json::json;
use tertulia_testkit::discord_double::Permission;

use super::{call, done, get, id, post, quiet, refused, scene};

fn messages(channel: u64) -> String {
    format!("/channels/{channel}/messages")
}

#[tokio::test]
async fn permissions_are_needed() {
    let (double, ann, channel) = scene().await;
    let thread = double.thread(ann, channel, "games");
    double.forbid(channel, Permission::SEND_MESSAGES);
    refused(&double, "POST", &messages(channel), quiet("x"), (403, 50013)).await;
    post(&double, thread, quiet("x")).await;
    double.forbid(channel, Permission::SEND_MESSAGES_IN_THREADS);
    refused(&double, "POST", &messages(thread), quiet("x"), (403, 50013)).await;
    double.permit(channel, Permission::SEND_MESSAGES);
    post(&double, channel, quiet("x")).await;
    double.forbid(channel, Permission::VIEW_CHANNEL);
    for place in [channel, thread] {
        refused(&double, "POST", &messages(place), quiet("x"), (403, 50001)).await;
    }
    double.delete_channel(channel);
    for place in [channel, thread, 5] {
        refused(&double, "POST", &messages(place), quiet("x"), (404, 10003)).await;
    }
}

#[tokio::test]
async fn threads_are_archived_locked_and_opened() {
    let (double, ann, channel) = scene().await;
    let thread = double.thread(ann, channel, "games");
    let made = id(&post(&double, thread, quiet("a")).await);
    double.archive(thread, true);
    let path = format!("{}/{made}", messages(thread));
    refused(&double, "PATCH", &path, quiet("b"), (400, 50083)).await;
    refused(
        &double,
        "PUT",
        &format!("{path}/reactions/%F0%9F%91%80/@me"),
        json!({}),
        (400, 50083),
    )
    .await;
    let archived = get(&double, &format!("/channels/{channel}/threads/archived/public")).await;
    assert_eq!(id(&archived["threads"][0]), thread);
    post(&double, thread, quiet("c")).await;
    assert!(!double.is_archived(thread));
    double.archive(thread, true);
    double.lock(thread, true);
    refused(&double, "POST", &messages(thread), quiet("d"), (400, 160_005)).await;
    refused(
        &double,
        "PATCH",
        &format!("/channels/{thread}"),
        json!({"archived": false}),
        (403, 50013),
    )
    .await;
    assert_eq!(double.bot_shows(thread), ["a", "c"]);
}

#[tokio::test]
async fn a_message_has_one_thread_of_its_number() {
    let (double, ann, channel) = scene().await;
    let question = double.say(ann, channel, "hi");
    let path = format!("{}/{question}/threads", messages(channel));
    refused(&double, "POST", &path, json!({"name": ""}), (400, 50035)).await;
    refused(
        &double,
        "POST",
        &path,
        json!({"name": "x", "auto_archive_duration": 5}),
        (400, 50035),
    )
    .await;
    let thread = done(
        &double,
        "POST",
        &path,
        json!({"name": "x", "auto_archive_duration": 60}),
    )
    .await;
    assert_eq!((id(&thread), &thread["type"]), (question, &json!(11)));
    assert_eq!(thread["parent_id"], channel.to_string());
    refused(&double, "POST", &path, json!({"name": "x"}), (400, 160_004)).await;
    let kinds = |page: serde_json::Value| {
        page.as_array()
            .unwrap()
            .iter()
            .map(|m| m["type"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(get(&double, &messages(channel)).await), [18, 0]);
    assert_eq!(kinds(get(&double, &messages(question)).await), [21]);
    let inside = post(&double, question, quiet("x")).await;
    assert_eq!(inside["channel_id"], question.to_string());
    assert_eq!(double.threads(channel), [question]);
}

#[tokio::test]
async fn forums_take_threads_only() {
    let (double, ann, _) = scene().await;
    let guild = double.guild("Forums");
    let forum = double.forum(guild, "help");
    let thread = double.forum_post(ann, forum, "broken", "it is broken");
    refused(&double, "POST", &messages(forum), quiet("x"), (400, 50008)).await;
    let first = get(&double, &format!("{}/{thread}", messages(thread))).await;
    assert_eq!(first["content"], "it is broken");
    let body = json!({"name": "news", "message": quiet("good news")});
    let made = done(&double, "POST", &format!("/channels/{forum}/threads"), body).await;
    assert_eq!(
        (id(&made), &made["message"]["content"]),
        (id(&made["message"]), &json!("good news"))
    );
    assert_eq!(double.bot_shows(id(&made)), ["good news"]);
    let active = get(&double, &format!("/guilds/{guild}/threads/active")).await;
    assert_eq!(active["threads"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn private_threads_are_for_those_who_were_added() {
    let (double, ann, channel) = scene().await;
    let closed = double.private_thread(ann, channel, "secret", false);
    refused(&double, "POST", &messages(closed), quiet("x"), (403, 50001)).await;
    double.add_bot(closed);
    post(&double, closed, quiet("x")).await;
    let open = double.private_thread(ann, channel, "both", true);
    post(&double, open, quiet("x")).await;
}

#[tokio::test]
async fn private_conversations_can_be_closed() {
    let (double, ann, _) = scene().await;
    let made = done(
        &double,
        "POST",
        "/users/@me/channels",
        json!({"recipient_id": ann.to_string()}),
    )
    .await;
    let conversation = double.conversation(ann);
    assert_eq!((id(&made), &made["type"]), (conversation, &json!(1)));
    post(&double, conversation, quiet("x")).await;
    double.close_conversation(ann, true);
    refused(&double, "POST", &messages(conversation), quiet("x"), (403, 50007)).await;
    refused(
        &double,
        "POST",
        "/users/@me/channels",
        json!({"recipient_id": "5"}),
        (400, 50033),
    )
    .await;
}

#[tokio::test]
async fn typing_and_reactions() {
    let (double, ann, channel) = scene().await;
    let question = double.say(ann, channel, "hi");
    let (status, _) = call(&double, "POST", &format!("/channels/{channel}/typing"), json!({})).await;
    assert_eq!(status, 204);
    assert!(double.is_typing(channel));
    let reaction = |emoji: &str| format!("{}/{question}/reactions/{emoji}/@me", messages(channel));
    refused(&double, "PUT", &reaction("eyes"), json!({}), (400, 10014)).await;
    done(&double, "PUT", &reaction("%F0%9F%91%80"), json!({})).await;
    assert_eq!(double.reactions(question), ["👀"]);
    done(&double, "DELETE", &reaction("%F0%9F%91%80"), json!({})).await;
    assert_eq!(double.reactions(question), Vec::<String>::new());
    post(&double, channel, quiet("x")).await;
    assert!(!double.is_typing(channel));
}
