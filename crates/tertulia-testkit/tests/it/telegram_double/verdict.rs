//! The judge sees what a person would complain about.

use serde_json::{Value, json};
use tertulia_testkit::chat_double::{Expected, Judge, Question, Summary};
use tertulia_testkit::telegram_double::{Said, Standing, TelegramDouble};

use super::{done, start};

const MARK: &str = "(again)";

fn verdict(double: &TelegramDouble) -> Result<Summary, Vec<String>> {
    let judge = Judge {
        resent_mark: MARK,
        notices: &["!"],
        expected: &|question| Expected::Equals(format!("re: {}", question.text)),
    };
    let claims = |question: &Question, text: &str| text.contains(&question.text);
    double.verdict(&judge, &claims)
}

async fn post(double: &TelegramDouble, chat: i64, text: &str) -> Value {
    done(double, "sendMessage", json!({"chat_id": chat, "text": text})).await["message_id"].clone()
}

async fn reply(double: &TelegramDouble, chat: i64, to: i64, text: &str) {
    let body = json!({"chat_id": chat, "text": text, "reply_parameters": {"message_id": to}});
    done(double, "sendMessage", body).await;
}

#[tokio::test]
async fn answers_are_known_by_replies_and_by_what_they_say() {
    let double = start().await;
    let ann = double.person("Ann");
    let one = double.say(ann, ann, "one");
    double.say(ann, ann, "two");
    assert_eq!(verdict(&double).unwrap_err().len(), 2);
    reply(&double, ann, one, "re: one").await;
    let id = post(&double, ann, "…").await;
    done(
        &double,
        "editMessageText",
        json!({"chat_id": ann, "message_id": id, "text": "re: two"}),
    )
    .await;
    let summary = verdict(&double).unwrap();
    assert_eq!((summary.questions, summary.answered, summary.posts), (2, 2, 2));
    post(&double, ann, "re: two").await;
    assert!(verdict(&double).is_err(), "a silent copy");
}

#[tokio::test]
async fn marked_copies_are_taken() {
    let double = start().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "one");
    post(&double, ann, "re: o").await;
    post(&double, ann, &format!("re: one {MARK}")).await;
    assert!(verdict(&double).is_err(), "nobody claims the first");
    let double = start().await;
    let ann = double.person("Ann");
    let one = double.say(ann, ann, "one");
    reply(&double, ann, one, "…").await;
    reply(&double, ann, one, &format!("re: one {MARK}")).await;
    let summary = verdict(&double).unwrap();
    assert_eq!((summary.answered, summary.resent), (1, 1));
}

#[tokio::test]
async fn order_place_and_orphans_are_seen() {
    let double = start().await;
    let ann = double.person("Ann");
    let (one, two) = (double.say(ann, ann, "one"), double.say(ann, ann, "two"));
    reply(&double, ann, two, "re: two").await;
    reply(&double, ann, one, "re: one").await;
    assert!(verdict(&double).unwrap_err()[0].contains("is answered before"));
    let double = start().await;
    let forum = double.forum("Friends");
    post(&double, forum, "hello?").await;
    assert!(verdict(&double).unwrap_err()[0].contains("answers no question"));
}

#[tokio::test]
async fn moves_and_closed_doors_are_known() {
    let double = start().await;
    let ann = double.person("Ann");
    let group = double.group("Friends");
    double.say(ann, group, "@double_bot one");
    let to = double.migrate(group);
    post(&double, to, "re: @double_bot one").await;
    double.say(ann, to, "@double_bot two");
    double.set_standing(to, ann, Standing::Kicked);
    let summary = verdict(&double).unwrap();
    assert_eq!((summary.answered, summary.unanswered), (1, 1));
}

#[tokio::test]
async fn a_long_answer_goes_on_below_itself() {
    let double = start().await;
    let ann = double.person("Ann");
    let one = double.send(ann, ann, Said::text("one"));
    reply(&double, ann, one, "re:").await;
    post(&double, ann, "one").await;
    assert_eq!(verdict(&double).unwrap().posts, 2);
}
