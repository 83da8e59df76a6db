//! Another provider answers where the first one cannot, and what that cost is told.

use tertulia_testkit::model_double::{ModelDouble, Script};

use crate::control::told;
use crate::daemon::Daemon;
use crate::ollama::Ollama;
use crate::telegram::scene::Scene;

const ANSWER: &str = "I stand in.";

/// Two servers: the first has a stand-in, and the second has prices.
fn config(first: &ModelDouble, second: &ModelDouble) -> String {
    let model = ModelDouble::MODEL;
    let section = |name, double: &ModelDouble| {
        format!(
            "[providers.{name}]\nkind = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{}\"\n",
            double.base_url()
        )
    };
    format!(
        "{}fallback = [\"second\"]\n{}fallback = [\"first\"]\n\
         [providers.second.models.{model}]\nprice_input = 1000\nprice_output = 2000\n",
        section("first", first),
        section("second", second)
    )
}

/// An account without money.
fn no_money() -> Script {
    Script::Fail {
        status: 429,
        retry_after: None,
        code: "insufficient_quota".to_owned(),
        message: "You exceeded your current quota".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_one_answers_at_the_door_and_its_price_is_told() {
    // what may pass is tried once more before
    for (script, tries) in [(Script::status(503), 2), (Script::status(529), 2), (no_money(), 1)] {
        let (first, second) = (ModelDouble::start().await.unwrap(), ModelDouble::start().await.unwrap());
        let daemon = Daemon::start(&config(&first, &second));
        (0..tries).for_each(|_| first.push(script.clone()));
        second.push(Script::text(ANSWER));
        let reply = Ollama::of(&daemon).say("mine", "hello").await;
        assert!(reply.is_whole(), "{script:?}: {reply:?}");
        assert_eq!(reply.text(), ANSWER, "{script:?}");
        assert_eq!(
            (first.requests().len(), second.requests().len()),
            (tries, 1),
            "{script:?}"
        );
        let (asked, stood_in) = (first.requests().remove(0), second.requests().remove(0));
        assert_eq!(asked["messages"], stood_in["messages"], "{script:?}");
        let usage = tokio::task::block_in_place(|| told(&daemon, &["usage"]));
        // eleven tokens read and seven written
        assert!(
            usage.contains("$0.0250") && usage.contains("second"),
            "{script:?}: {usage}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_the_question_is_asked_of_nobody_else() {
    let (first, second) = (ModelDouble::start().await.unwrap(), ModelDouble::start().await.unwrap());
    let daemon = Daemon::start(&config(&first, &second));
    first.push(Script::status(400));
    let reply = Ollama::of(&daemon).say("mine", "hello").await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stand_in_that_is_named_while_it_runs_counts_at_once() {
    let (first, second) = (ModelDouble::start().await.unwrap(), ModelDouble::start().await.unwrap());
    let whole = config(&first, &second);
    let daemon = Daemon::start(&whole.replace("fallback", "# fallback"));
    let door = Ollama::of(&daemon);
    first.push(no_money());
    assert_eq!(door.say("mine", "hello").await.status, 500);
    daemon.write("bot.toml", &whole);
    tokio::task::block_in_place(|| daemon.reload());
    first.push(no_money());
    second.push(Script::text(ANSWER));
    let reply = door.say("mine", "hello again").await;
    assert_eq!(reply.text(), ANSWER, "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_one_answers_in_telegram() {
    let (first, second) = (ModelDouble::start().await.unwrap(), ModelDouble::start().await.unwrap());
    let scene = Scene::start(&config(&first, &second)).await;
    let ann = scene.guest("Ann");
    first.push(no_money());
    second.push(Script::text(ANSWER));
    scene.telegram.say(ann, ann, "hello");
    scene.hears(ann, ANSWER).await;
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
    let usage = scene.told(&["usage"]);
    assert!(usage.contains("$0.0250"), "{usage}");
    scene.behaved();
}
