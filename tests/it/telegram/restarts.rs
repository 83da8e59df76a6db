//! What is being answered when the daemon ends is answered by the next one.

use tertulia_core::courier::RESENT_MARK;
use tertulia_testkit::chat_double::{Expected, Judge, Question};
use tertulia_testkit::telegram_double::TelegramDouble;

use super::scene::{BOT, Scene};

const QUESTION: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";

fn config(stream: &str) -> String {
    format!("[providers.demo]\npause_ms = 60\n[interfaces.{BOT}]\nstream = \"{stream}\"\n")
}

fn is_begun(telegram: &TelegramDouble, chat: i64) -> Option<()> {
    let has_draft = telegram.drafts(chat).iter().any(|draft| !draft.text.is_empty());
    let is_shown = telegram.bot_shows(chat).iter().any(|text| text.contains("You said"));
    (has_draft || is_shown).then_some(())
}

/// Everything was answered once, whatever was shown on the way.
fn judged(telegram: &TelegramDouble) {
    let expected = |question: &Question| Expected::Contains(question.text.clone());
    let judge = Judge {
        resent_mark: RESENT_MARK,
        notices: &["⚠️"],
        expected: &expected,
    };
    // what was left behind by a death in the middle is of the question that was being answered
    let claims = |question: &Question, text: &str| text.contains(&question.text) || !text.contains("You said: ");
    match telegram.verdict(&judge, &claims) {
        Ok(summary) => assert_eq!(
            (summary.notices, summary.answered),
            (0, summary.questions),
            "{summary:?}"
        ),
        Err(faults) => panic!("{}", faults.join("\n")),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
    for stream in ["draft", "edit"] {
        let mut scene = Scene::start(&config(stream)).await;
        let ann = scene.guest("Ann");
        scene.telegram.say(ann, ann, QUESTION);
        scene.until("a beginning", |telegram| is_begun(telegram, ann)).await;
        scene.kill_and_start();
        scene.telegram.say(ann, ann, "the second");
        scene.hears(ann, "the second").await;
        scene.hears(ann, QUESTION).await;
        judged(&scene.telegram);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_soft_stop_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
    let mut scene = Scene::start(&config("edit")).await;
    let ann = scene.guest("Ann");
    let long = [QUESTION; 30].join(" ");
    scene.telegram.say(ann, ann, &long);
    scene.until("a beginning", |telegram| is_begun(telegram, ann)).await;
    scene.stop_and_start();
    scene.hears(ann, &long).await;
    judged(&scene.telegram);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_while_it_was_away_is_answered_once() {
    let scene = Scene::start(&config("off")).await;
    let ann = scene.guest("Ann");
    let telegram = &scene.telegram;
    telegram.partition();
    for word in ["first", "second", "third"] {
        telegram.say(ann, ann, word);
    }
    telegram.heal();
    for word in ["first", "second", "third"] {
        scene.hears(ann, word).await;
    }
    judged(telegram);
    scene.behaved();
}
