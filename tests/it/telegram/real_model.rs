//! A person, the bot, and a real small model.

use super::scene::Scene;
use crate::ollama_client::poll;
use crate::test_tools::TestTools;

/// Begins what is said of a failure.
const FAULT: &str = "⚠️";

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_answers_in_telegram_also_across_a_restart() {
    let Some(tools) = TestTools::find("a_real_model_answers_in_telegram_also_across_a_restart") else {
        return;
    };
    let model = tools.model();
    poll(&model, "/health", |page| page["status"] == "ok").await;
    let listed = poll(&model, "/v1/models", |page| page["data"][0]["id"].is_string()).await;
    let name = listed["data"][0]["id"].as_str().unwrap();
    let config = format!(
        "[providers.local]\nkind = \"openai\"\nmodel = \"{name}\"\nbase_url = \"{}/v1\"\n",
        model.url()
    );
    let mut scene = Scene::start(&config).await;
    let ann = scene.guest("Ann");
    scene.telegram.say(ann, ann, "What is the capital of France?");
    // what so small a model says at its usual temperature is anybody's guess
    let first = scene
        .until("an answer", |telegram| telegram.bot_shows(ann).into_iter().next())
        .await;
    assert!(!first.contains(FAULT), "{first}");
    let answered = scene.telegram.bot_shows(ann).len();
    scene.telegram.say(ann, ann, "Tell me a story about a ship.");
    scene
        .until("a beginning", |telegram| {
            let has_draft = telegram.drafts(ann).iter().any(|draft| !draft.text.is_empty());
            (has_draft || telegram.bot_shows(ann).len() > answered).then_some(())
        })
        .await;
    scene.kill_and_start();
    let second = scene
        .until("the answer", |telegram| {
            telegram.bot_shows(ann).into_iter().nth(answered)
        })
        .await;
    assert!(!second.contains(FAULT), "{second}");
    scene.behaved();
}
