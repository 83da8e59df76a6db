//! The judge sees what a person would complain about.

use serde_json::json;
use tertulia_testkit::chat_double::{Expected, Judge, Question, Summary};
use tertulia_testkit::discord_double::DiscordDouble;

use super::{post, quiet, scene};

fn verdict(double: &DiscordDouble) -> Result<Summary, Vec<String>> {
    let judge = Judge {
        resent_mark: "(again)",
        notices: &["!"],
        expected: &|question| Expected::Contains(format!("re: {}", question.text)),
    };
    let claims = |question: &Question, text: &str| text.contains(&question.text);
    double.verdict(&judge, &claims)
}

async fn reply(double: &DiscordDouble, channel: u64, to: u64, text: &str, nonce: &str) {
    let body = json!({"content": text, "nonce": nonce, "allowed_mentions": {"parse": []},
        "message_reference": {"message_id": to.to_string()}});
    post(double, channel, body).await;
}

#[tokio::test]
async fn every_question_has_one_answer() {
    let (double, ann, channel) = scene().await;
    double.say(ann, channel, "not for the bot");
    let conversation = double.conversation(ann);
    let one = double.say(ann, conversation, "one");
    assert_eq!(verdict(&double).unwrap_err().len(), 1);
    reply(&double, conversation, one, "re: one", "n1").await;
    let summary = verdict(&double).unwrap();
    assert_eq!((summary.questions, summary.answered, summary.posts), (1, 1, 1));
    reply(&double, conversation, one, "more", "n1").await;
    assert!(verdict(&double).is_err(), "the same nonce twice, without enforce_nonce");
}

#[tokio::test]
async fn mentions_and_replies_are_questions_and_strangers_are_orphans() {
    let (double, ann, channel) = scene().await;
    let text = format!("<@{}> two", double.bot_id());
    let two = double.say(ann, channel, &text);
    reply(&double, channel, two, &format!("re: {text}"), "n2").await;
    assert_eq!(verdict(&double).unwrap().answered, 1);
    post(&double, channel, quiet("nobody asked")).await;
    assert!(verdict(&double).unwrap_err()[0].contains("answers no question"));
}
