//! How answers come: growing, in parts, stopped by a button, and into a group that moves meanwhile.

use std::time::Duration;

use tertulia_testkit::model_double::{ModelDouble, Script, Speech};
use tertulia_testkit::telegram_double::Shown;

use super::scene::{BOT, DEMO, Scene};

/// A demo that takes a word a while.
const SLOW: &str = "[providers.demo]\npause_ms = 60\n";

/// A configuration with the double of a model behind it.
pub(super) fn model(double: &ModelDouble) -> String {
    format!(
        "[providers.model]\nkind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"\n\
         [providers.model.capabilities]\nsupports_vision = true\n",
        ModelDouble::MODEL,
        double.base_url()
    )
}

/// An answer in so many pieces.
pub(super) fn speech(text: &str, pieces: usize, pause: Duration) -> Script {
    Script::Say(Speech {
        text: text.to_owned(),
        pieces,
        pause,
        ..Speech::default()
    })
}

/// The button with this label below a message.
fn has_button(shown: &Shown, label: &str) -> bool {
    shown.buttons.iter().flatten().any(|(text, _)| text == label)
}

/// Text with code and emoji, each line told apart from every other.
fn long_text() -> String {
    let line = |n: usize| match n % 10 {
        3 => format!("```rust\nlet line_{n} = \"<b>&amp;</b> _*[]()~`>#+-=|{{}}.!\";\n```\n"),
        7 => format!("{n}. 👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} **bold {n}** and שלום {n}\n\n"),
        _ => format!("Line {n} of a long answer, with `code_{n}` in it.\n\n"),
    };
    let mut text = String::new();
    let mut n = 0;
    while text.chars().count() < 12_000 {
        text.push_str(&line(n));
        n += 1;
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_arrives_whole_in_parts() {
    let double = ModelDouble::start().await.unwrap();
    let scene = Scene::start(&model(&double)).await;
    let ann = scene.guest("Ann");
    let before = scene.telegram.bot_shows(ann).len();
    let text = format!("{}The very end.", long_text());
    double.push(speech(&text, 300, Duration::from_millis(2)));
    scene.telegram.say(ann, ann, "Tell me everything.");
    scene.hears(ann, "The very end.").await;
    let parts: Vec<String> = scene.telegram.bot_shows(ann).split_off(before);
    assert!(parts.len() > 2, "{}", parts.len());
    let whole = parts.concat();
    let lines = text
        .lines()
        .filter(|line| line.contains("line_") || line.contains("Line "));
    for line in lines {
        let line = line.replace('`', "");
        let bare = |text: &str| text.replace('`', "");
        assert_eq!(bare(&whole).matches(&line).count(), 1, "{line:?} in {parts:#?}");
    }
    let places: Vec<_> = (0..80).map(|n| whole.find(&format!("Line {n} of"))).collect();
    let found: Vec<_> = places.into_iter().flatten().collect();
    assert!(found.is_sorted() && found.len() > 30, "{found:?}");
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_grows_as_a_draft_in_a_private_chat_and_is_one_message_at_the_end() {
    let scene = Scene::start(SLOW).await;
    let ann = scene.guest("Ann");
    let question = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
    scene.telegram.say(ann, ann, question);
    let draft = scene
        .until("a draft", |telegram| {
            let mut drafts = telegram.drafts(ann).into_iter();
            drafts.find(|draft| !draft.text.is_empty())
        })
        .await;
    scene.hears(ann, question).await;
    let shown = scene.telegram.bot_shows(ann);
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(draft.text.len() < shown[0].len(), "{draft:?}");
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stop_button_is_for_who_asked() {
    let scene = Scene::start(&format!("{SLOW}[interfaces.{BOT}]\nstream = \"edit\"\n")).await;
    let telegram = &scene.telegram;
    let (ann, eve) = (telegram.person("Ann"), telegram.person("Eve"));
    let group = telegram.supergroup("Friends");
    scene.let_in(group);
    let words: Vec<String> = (0..400).map(|n| format!("word{n}")).collect();
    telegram.say(ann, group, &format!("@double_bot {}", words.join(" ")));
    let growing = scene
        .until("a message with a button", |telegram| {
            let mut shown = telegram.shown(group).into_iter();
            shown.find(|shown| shown.author.is_none() && has_button(shown, "Stop"))
        })
        .await;
    let of_other = telegram.press(eve, group, growing.message, "Stop").unwrap();
    scene
        .until("an answer to the press", |telegram| {
            telegram.is_answered(&of_other).then_some(())
        })
        .await;
    let of_asker = telegram.press(ann, group, growing.message, "Stop").unwrap();
    scene
        .until("an answer to the press", |telegram| {
            telegram.is_answered(&of_asker).then_some(())
        })
        .await;
    let stopped = scene.hears(group, "(Stopped.)").await;
    assert_eq!(stopped.message, growing.message);
    scene
        .until("the button to go", |telegram| {
            let mut shown = telegram.shown(group).into_iter();
            shown.find(|shown| shown.message == growing.message && !has_button(shown, "Stop"))
        })
        .await;
    assert!(!stopped.text.contains("word399"), "{stopped:?}");
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_answer_can_be_tried_again_by_a_button() {
    let double = ModelDouble::start().await.unwrap();
    let scene = Scene::start(&model(&double)).await;
    let ann = scene.guest("Ann");
    double.push(Script::Fail {
        status: 400,
        retry_after: None,
        code: "bad".to_owned(),
        message: "no".to_owned(),
    });
    scene.telegram.say(ann, ann, "hello");
    let failed = scene
        .until("a message with a button", |telegram| {
            let mut shown = telegram.shown(ann).into_iter();
            shown.find(|shown| has_button(shown, "Try again"))
        })
        .await;
    double.push(speech("All is well.", 1, Duration::ZERO));
    scene.telegram.press(ann, ann, failed.message, "Try again").unwrap();
    scene.hears(ann, "All is well.").await;
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_moves_in_the_middle_of_an_answer_gets_it_and_keeps_its_settings() {
    for is_told in [true, false] {
        let scene = Scene::start(&format!("{SLOW}[interfaces.{BOT}]\nstream = \"edit\"\n")).await;
        let telegram = &scene.telegram;
        let (ann, group) = (telegram.person("Ann"), telegram.group("Friends"));
        scene.let_in(group);
        let question = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
        telegram.say(ann, group, &format!("@double_bot {question}"));
        scene
            .until("the beginning", |telegram| {
                (!telegram.bot_shows(group).is_empty()).then_some(())
            })
            .await;
        let moved = if is_told {
            telegram.migrate(group)
        } else {
            telegram.migrate_quietly(group)
        };
        scene
            .until("the whole answer", |telegram| {
                let all = [telegram.bot_shows(group), telegram.bot_shows(moved)].concat();
                all.iter().any(|text| text.contains(question)).then_some(())
            })
            .await;
        telegram.say(ann, moved, "@double_bot what did I say?");
        let answer = scene.hears(moved, "fourteen").await;
        assert!(answer.text.contains("one two three"), "{answer:?}");
        scene.behaved();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_between_us_doubles_nothing_in_silence() {
    use tertulia_core::courier::RESENT_MARK;
    use tertulia_testkit::telegram_double::{Fault, Faults};

    let scene = Scene::start(&format!("{DEMO}[interfaces.{BOT}]\nstream = \"off\"\n")).await;
    let ann = scene.guest("Ann");
    for (nth, fault) in [
        Fault::CutBefore,
        Fault::CutAfter,
        Fault::BadGateway { done: true },
        Fault::BadGateway { done: false },
        Fault::InvalidJson,
        Fault::Wait(1),
    ]
    .into_iter()
    .enumerate()
    {
        let is_done = !matches!(fault, Fault::Wait(_));
        scene.telegram.plan(Faults::none().next("sendMessage", fault));
        let word = format!("fruit-{nth}");
        scene.telegram.say(ann, ann, &word);
        let answers = |telegram: &tertulia_testkit::telegram_double::TelegramDouble| {
            let shown = telegram.bot_shows(ann).into_iter();
            shown.filter(|text| text.contains(&word)).collect::<Vec<_>>()
        };
        if is_done {
            scene
                .until("a copy with a mark", |telegram| {
                    answers(telegram)
                        .iter()
                        .any(|text| text.contains(RESENT_MARK))
                        .then_some(())
                })
                .await;
        } else {
            scene.hears(ann, &word).await;
        }
        let unmarked = answers(&scene.telegram)
            .iter()
            .filter(|text| !text.contains(RESENT_MARK))
            .count();
        assert!(unmarked <= 1, "{:?}", scene.telegram.bot_shows(ann));
    }
    scene.behaved();
}
