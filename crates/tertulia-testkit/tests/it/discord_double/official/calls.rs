//! Its calls.

use serenity::all::{
    AutoArchiveDuration, ChannelId, ChannelType, Command, CreateAttachment, CreateCommand, CreateForumPost,
    CreateMessage, CreateThread, EditMessage, EditThread, GetMessages, Http, HttpError, MessageId, Nonce, ReactionType,
    UserId,
};
use tertulia_testkit::discord_double::{Fault, Faults, Said};

use super::http;
use crate::discord_double::scene;

fn keyed(text: &str, nonce: &str) -> CreateMessage {
    CreateMessage::new()
        .content(text)
        .nonce(Nonce::String(nonce.to_owned()))
        .enforce_nonce(true)
}

#[tokio::test]
async fn messages_are_sent_found_changed_and_deleted() {
    let (double, ann, channel) = scene().await;
    let (http, place) = (http(&double), ChannelId::new(channel));
    let question = double.send(ann, channel, Said::text("hi").sticker("wave").embed("t", "d"));
    let reply = keyed("hello", "n1").reference_message((place, MessageId::new(question)));
    let made = place.send_message(&http, reply).await.unwrap();
    assert_eq!(made.referenced_message.as_ref().unwrap().content, "hi");
    let again = place.send_message(&http, keyed("hello", "n1")).await.unwrap();
    assert_eq!(again.id, made.id);
    let file = CreateAttachment::bytes(b"abc".to_vec(), "a b.txt");
    let with_file = place
        .send_message(&http, keyed("look", "n2").add_file(file))
        .await
        .unwrap();
    assert_eq!(with_file.attachments[0].filename, "a b.txt");
    assert_eq!(double.files(with_file.id.get()), [b"abc"]);
    let edit = EditMessage::new().content(format!("<@{ann}>"));
    assert_eq!(
        place.edit_message(&http, made.id, edit).await.unwrap().content,
        format!("<@{ann}>")
    );
    let found = place
        .messages(&http, GetMessages::new().after(question).limit(100))
        .await
        .unwrap();
    assert_eq!(found.len(), 2);
    place
        .create_reaction(&http, question, ReactionType::Unicode("👀".to_owned()))
        .await
        .unwrap();
    place.broadcast_typing(&http).await.unwrap();
    place.delete_message(&http, with_file.id).await.unwrap();
    let read = place.message(&http, question).await.unwrap();
    assert_eq!(
        (read.reactions.len(), read.sticker_items.len(), read.embeds.len()),
        (1, 1, 1)
    );
    assert!(double.violations().is_empty(), "{:?}", double.violations());
}

#[tokio::test]
async fn threads_forums_and_private_channels() {
    let (double, ann, channel) = scene().await;
    let (http, place) = (http(&double), ChannelId::new(channel));
    let question = double.say(ann, channel, "hi");
    let new = CreateThread::new("games").auto_archive_duration(AutoArchiveDuration::OneDay);
    let thread = place.create_thread_from_message(&http, question, new).await.unwrap();
    assert_eq!((thread.id.get(), thread.parent_id), (question, Some(place)));
    let open = CreateThread::new("open").kind(ChannelType::PublicThread);
    let open = place.create_thread(&http, open).await.unwrap();
    open.id
        .edit_thread(&http, EditThread::new().archived(true))
        .await
        .unwrap();
    assert_eq!(
        place
            .get_archived_public_threads(&http, None, None)
            .await
            .unwrap()
            .threads
            .len(),
        1
    );
    let guild = double.guild("Forums");
    let forum = ChannelId::new(double.forum(guild, "help"));
    let post = CreateForumPost::new("news", CreateMessage::new().content("good news"));
    let post = forum.create_forum_post(&http, post).await.unwrap();
    assert_eq!(double.bot_shows(post.id.get()), ["good news"]);
    let dm = UserId::new(ann).create_dm_channel(&http).await.unwrap();
    dm.id.send_message(&http, keyed("psst", "n1")).await.unwrap();
    assert_eq!(double.bot_shows(double.conversation(ann)), ["psst"]);
    let active = http.get_guild_active_threads(guild.into()).await.unwrap();
    assert_eq!(active.threads.len(), 1);
    assert_eq!(place.to_channel(&http).await.unwrap().guild().unwrap().name, "general");
}

#[tokio::test]
async fn who_it_is_and_what_it_can() {
    let (double, _, _) = scene().await;
    let http = http(&double);
    assert_eq!(http.get_current_user().await.unwrap().id.get(), double.bot_id());
    assert_eq!(
        http.get_current_application_info().await.unwrap().id.get(),
        double.bot_id()
    );
    let gateway = http.get_bot_gateway().await.unwrap();
    assert_eq!(
        (gateway.url, gateway.session_start_limit.remaining),
        (double.gateway_url(), 1000)
    );
    let commands = vec![
        CreateCommand::new("ask").description("asks"),
        CreateCommand::new("help").description("helps"),
    ];
    let made = Command::set_global_commands(&http, commands).await.unwrap();
    assert_eq!((made.len(), double.commands(None).len()), (2, 2));
    Command::delete_global_command(&http, made[0].id).await.unwrap();
    assert_eq!(Command::get_global_commands(&http).await.unwrap()[0].name, made[1].name);
}

async fn failure(http: &Http, place: ChannelId) -> HttpError {
    match place.say(http, "x").await {
        Err(serenity::Error::Http(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn refusals_and_faults_are_understood() {
    let (double, _, channel) = scene().await;
    let (http, place) = (http(&double), ChannelId::new(channel));
    let HttpError::UnsuccessfulRequest(refused) = failure(&http, ChannelId::new(5)).await else {
        panic!("no answer");
    };
    assert_eq!((refused.status_code.as_u16(), refused.error.code), (404, 10003));
    double.plan(
        Faults::none()
            .next("create_message", Fault::CutAfter)
            .next("create_message", Fault::BadGateway { done: false }),
    );
    assert!(matches!(failure(&http, place).await, HttpError::Request(_)));
    let HttpError::UnsuccessfulRequest(refused) = failure(&http, place).await else {
        panic!("no answer");
    };
    assert_eq!(refused.status_code.as_u16(), 502);
    assert_eq!(double.bot_shows(channel), ["x"]);
    let long = place.say(&http, "x".repeat(2001)).await;
    assert!(matches!(long, Err(serenity::Error::Model(_))), "{long:?}");
}
