//! teloxide, the client that most bots use, can talk to the double.

use teloxide::net::Download as _;
use teloxide::prelude::*;
use teloxide::types::{ChatId, InputFile, MessageId, ThreadId, UpdateKind};
use teloxide::{ApiError, RequestError};
use tertulia_testkit::telegram_double::{Fault, Faults, Said, TelegramDouble};

use super::start;

fn bot(double: &TelegramDouble) -> Bot {
    Bot::new(double.token()).set_api_url(double.base_url().parse().unwrap())
}

#[tokio::test]
async fn every_kind_of_message_is_read() {
    let double = start().await;
    let bot = bot(&double);
    let me = bot.get_me().await.unwrap();
    assert_eq!(me.id.0, u64::try_from(double.bot_id()).unwrap());
    let ann = double.person("Ann");
    let forum = double.forum("Friends");
    let topic = double.topic(forum, ann, "Games");
    double.say(ann, ann, "/start");
    for said in [
        Said::photo(b"picture".to_vec()).caption("look"),
        Said::document("a.txt", "text/plain", b"text".to_vec()),
        Said::voice(b"voice".to_vec()),
        Said::audio("a.mp3", "audio/mpeg", b"music".to_vec()),
        Said::video("a.mp4", "video/mp4", b"moves".to_vec()),
        Said::sticker("🙂"),
        Said::location(1.0, 2.0),
        Said::contact("Bob", "+1"),
        Said::poll("why", &["so", "not so"]),
        Said::text("once more").forwarded_from("Bob"),
        Said::text("this").reply_to(1).quote("start"),
    ] {
        double.send(ann, ann, said);
    }
    double.say(ann, (forum, topic), "@double_bot hello");
    double.change(ann, 1, "/start again");
    let updates = bot.get_updates().await.unwrap();
    assert_eq!(updates.len(), 15);
    for update in &updates {
        assert!(!matches!(update.kind, UpdateKind::Error(_)), "{update:?}");
    }
    let UpdateKind::Message(photo) = &updates[2].kind else {
        panic!("{updates:?}")
    };
    assert_eq!(photo.photo().unwrap().len(), 3);
    let file = bot.get_file(photo.photo().unwrap()[2].file.id.clone()).await.unwrap();
    let mut bytes = Vec::new();
    bot.download_file(&file.path, &mut bytes).await.unwrap();
    assert_eq!(bytes, b"picture");
    let UpdateKind::Message(message) = &updates[13].kind else {
        panic!("{updates:?}")
    };
    assert!(message.is_topic_message);
    assert_eq!(
        message.thread_id,
        Some(ThreadId(MessageId(i32::try_from(topic).unwrap())))
    );
}

#[tokio::test]
async fn it_posts_edits_and_sends_pictures() {
    let double = start().await;
    let (bot, ann) = (bot(&double), double.person("Ann"));
    double.say(ann, ann, "hello");
    let sent = bot.send_message(ChatId(ann), "one").await.unwrap();
    let edited = bot.edit_message_text(ChatId(ann), sent.id, "two").await.unwrap();
    assert_eq!(edited.text(), Some("two"));
    let unchanged = bot.edit_message_text(ChatId(ann), sent.id, " two").await;
    assert!(
        matches!(unchanged, Err(RequestError::Api(ApiError::MessageNotModified))),
        "{unchanged:?}"
    );
    let picture = InputFile::memory(&b"\x89PNG and so on"[..]).file_name("a.png");
    let photo = bot.send_photo(ChatId(ann), picture).caption("look").await.unwrap();
    assert_eq!(photo.caption(), Some("look"));
    assert_eq!(double.bot_shows(ann), ["two", "look"]);
    let file = double.shown(ann)[2].file.clone().unwrap();
    assert_eq!(double.file(&file).unwrap(), b"\x89PNG and so on");
    assert!(double.violations().is_empty(), "{:?}", double.violations());
}

#[tokio::test]
async fn refusals_are_its_typed_errors() {
    let double = start().await;
    let (bot, ann) = (bot(&double), double.person("Ann"));
    double.open(ann);
    let long = bot.send_message(ChatId(ann), "x".repeat(4097)).await;
    assert!(
        matches!(long, Err(RequestError::Api(ApiError::MessageIsTooLong))),
        "{long:?}"
    );
    let nobody = bot.send_message(ChatId(5), "x").await;
    assert!(
        matches!(nobody, Err(RequestError::Api(ApiError::ChatNotFound))),
        "{nobody:?}"
    );
    let group = double.group("Friends");
    let to = double.migrate_quietly(group);
    let moved = bot.send_message(ChatId(group), "x").await;
    assert!(
        matches!(moved, Err(RequestError::MigrateToChatId(chat)) if chat == ChatId(to)),
        "{moved:?}"
    );
    double.plan(Faults::none().next("sendMessage", Fault::Wait(7)));
    let limited = bot.send_message(ChatId(ann), "x").await;
    assert!(
        matches!(limited, Err(RequestError::RetryAfter(wait)) if wait.seconds() == 7),
        "{limited:?}"
    );
    double.lock_out(true);
    let stranger = bot.get_me().await;
    assert!(
        matches!(stranger, Err(RequestError::Api(ApiError::InvalidToken))),
        "{stranger:?}"
    );
}
