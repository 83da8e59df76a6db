//! What reaches the model of what people send.

use std::time::Duration;

use serde_json::Value;
use tertulia_testkit::model_double::ModelDouble;
use tertulia_testkit::telegram_double::Said;

use super::answers::{model, speech};
use super::scene::{DEMO, Scene};

/// A picture of one dot.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89, 0, 0, 0, 0x0D, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0,
    0xF0, 0x1F, 0, 5, 0, 1, 0xFF, 0x89, 0x99, 0x3D, 0x1D, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];

/// The last thing that a person says in a request, as text.
fn last_said(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    let last = messages.iter().rev().find(|message| message["role"] == "user").unwrap();
    last["content"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_brings_what_it_quotes() {
    let double = ModelDouble::start().await.unwrap();
    let scene = Scene::start(&model(&double)).await;
    let telegram = &scene.telegram;
    let (ann, group) = (telegram.person("Ann"), telegram.supergroup("Friends"));
    scene.let_in(group);
    let first = telegram.say(ann, group, "The ship sails at noon, from pier seven.");
    let reply = Said::text("@double_bot When is that?").reply_to(first);
    telegram.send(ann, group, reply.quote("from pier seven"));
    scene.hears(group, ModelDouble::DEFAULT_ANSWER).await;
    let requests = double.requests();
    let [request] = &requests[..] else {
        panic!("{requests:?}")
    };
    let said = last_said(request);
    assert!(
        said.contains("When is that?") && said.contains("from pier seven"),
        "{said}"
    );
    telegram.send(ann, group, Said::text("@double_bot And that?").reply_to(first));
    assert!(double.until(|calls| calls.len() == 2).await);
    let said = last_said(&double.requests()[1]);
    assert!(said.contains("The ship sails at noon"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_album_is_one_turn_with_all_its_pictures() {
    let double = ModelDouble::start().await.unwrap();
    let scene = Scene::start(&model(&double)).await;
    let ann = scene.guest("Ann");
    let pictures = ["the cat", "the dog"].map(|caption| Said::photo(PNG.to_vec()).caption(caption));
    scene.telegram.album(ann, ann, pictures.to_vec());
    scene.hears(ann, ModelDouble::DEFAULT_ANSWER).await;
    let requests = double.requests();
    let [request] = &requests[..] else {
        panic!("{requests:?}")
    };
    let said = last_said(request);
    assert!(said.contains("the cat") && said.contains("the dog"), "{said}");
    assert_eq!(said.matches("data:image/").count(), 2, "{said}");
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_message_that_waits_counts_and_a_later_one_does_not() {
    let double = ModelDouble::start().await.unwrap();
    let scene = Scene::start(&model(&double)).await;
    let ann = scene.guest("Ann");
    double.push(speech(
        "one two three four five six seven eight nine ten",
        10,
        Duration::from_millis(200),
    ));
    let first = scene.telegram.say(ann, ann, "the first");
    assert!(double.until(|calls| calls.len() == 1).await);
    let second = scene.telegram.say(ann, ann, "apple");
    assert!(scene.telegram.change(ann, second, "banana"));
    scene.hears(ann, ModelDouble::DEFAULT_ANSWER).await;
    let said = last_said(&double.requests()[1]);
    assert!(said.contains("banana") && !said.contains("apple"), "{said}");
    assert!(scene.telegram.change(ann, first, "too late"));
    scene.telegram.say(ann, ann, "the last");
    assert!(double.until(|calls| calls.len() == 3).await);
    assert!(!double.requests()[2].to_string().contains("too late"));
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_texts_are_answered_by_valid_messages() {
    let scene = Scene::start(DEMO).await;
    let ann = scene.guest("Ann");
    for odd in [
        "🙂🙃👩‍👩‍👧‍👦",
        "שלום עולם, مرحبا",
        "```rust\nlet unclosed = 1;",
        "- a\n  - b\n    - c\n      1. d",
        "<b>not bold</b> <script> &amp; &lt;",
        "_ * [ ] ( ) ~ ` > # + - = | { } . ! \\",
        "zero\u{200b}width\u{200d}\u{2060}\u{feff}",
    ] {
        let before = scene.telegram.bot_shows(ann).len();
        scene.telegram.say(ann, ann, odd);
        scene
            .until(odd, |telegram| (telegram.bot_shows(ann).len() > before).then_some(()))
            .await;
    }
    let mut refused = scene.telegram.refused();
    // a call without parameters, by which the bot learns whether the server has drafts
    refused.retain(|refused| !(refused.method == "sendMessageDraft" && refused.description.contains("chat_id")));
    assert!(refused.is_empty(), "{refused:?}");
    scene.behaved();
}
