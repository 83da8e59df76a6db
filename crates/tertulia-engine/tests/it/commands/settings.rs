//! `/persona`, `/provider`, `/model`, `/system` and `/tools`: the nearest wins, in real turns.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::preferences::Persona;
use tertulia_core::provider::ModelRequest;
use tertulia_core::record::ToolEffect;
use tertulia_engine::ProviderPart;
use tertulia_message::{Addressed, Level};
use tertulia_ports::Desk as _;
use tertulia_testkit::chat_double::{Said, Spot};

use super::told::{ann, governed, in_room, told};
use crate::rig::{Rig, Scripted, TestTool};

/// Two providers, a persona, a tool; Ann governs.
fn equipped() -> (Rig, Arc<Scripted>) {
    let mut rig = governed();
    rig.tools = vec![
        TestTool::quick("clock"),
        Arc::new(TestTool::new("send", ToolEffect::ReachesOut, Duration::ZERO)),
    ];
    let other = Arc::new(Scripted::default());
    let mut live = rig.live();
    let part = ProviderPart {
        model: "other-own".to_owned(),
        ..rig.part(&other)
    };
    live.providers.insert("other".to_owned(), part);
    let plain = ProviderPart {
        model: String::new(),
        ..rig.part(&other)
    };
    live.providers.insert("plain".to_owned(), plain);
    let pirate = Persona {
        provider: Some("other".to_owned()),
        model: None,
        system: Some("Talk like a pirate.".to_owned()),
    };
    live.personas.insert("pirate".to_owned(), pirate);
    rig.begins_with = Some(live);
    rig.start();
    (rig, other)
}

/// What the provider is asked when Ann says something at this place.
async fn asked(rig: &Rig, provider: &Scripted, spot: Spot) -> ModelRequest {
    let before = provider.asked().len();
    rig.say_at(Said::at(spot, "ann", "hello", Addressed::Mention));
    rig.until("it is asked", |_| provider.asked().len() > before).await;
    rig.until_quiet().await;
    provider.asked().pop().unwrap().1
}

#[tokio::test(start_paused = true)]
async fn the_nearest_model_is_asked() {
    let (rig, _) = equipped();
    let (thread, room, elsewhere) = (Spot::thread("room", "t"), Spot::chat("room"), Spot::chat("elsewhere"));
    in_room(&rig, "ann", "/model --all everywhere").await;
    in_room(&rig, "ann", "/model —interface interface").await;
    in_room(&rig, "ann", "/model --chat chat").await;
    let here = Said::at(thread.clone(), "ted", "/model thread", Addressed::Command);
    let answer = told(&rig, here).await;
    assert_eq!(answer, "The model here is now: thread.");
    let provider = Arc::clone(&rig.provider);
    assert_eq!(asked(&rig, &provider, thread.clone()).await.model, "thread");
    assert_eq!(asked(&rig, &provider, room.clone()).await.model, "chat");
    assert_eq!(asked(&rig, &provider, elsewhere.clone()).await.model, "interface");
    let answer = in_room(&rig, "ann", "/model --interface default").await;
    assert!(
        answer.starts_with("The model is no longer set on the interface loopback. Here now: chat"),
        "{answer}"
    );
    assert_eq!(asked(&rig, &provider, elsewhere).await.model, "everywhere");
    let answer = in_room(&rig, "ann", "/model --all nowhere").await;
    assert!(answer.contains("But here chat goes on to hold (set here)"), "{answer}");
    assert_eq!(asked(&rig, &provider, room).await.model, "chat");
}

#[tokio::test(start_paused = true)]
async fn what_was_set_holds_after_a_restart() {
    let (mut rig, _) = equipped();
    ann(&rig, "/model kept").await;
    rig.crash().await;
    let provider = Arc::clone(&rig.provider);
    assert_eq!(asked(&rig, &provider, Spot::chat("ann")).await.model, "kept");
    let answer = ann(&rig, "/model").await;
    assert!(answer.starts_with("Model: kept (set here)"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_the_provider_the_system_prompt_and_the_tools_that_were_set() {
    let (rig, other) = equipped();
    assert_eq!(
        ann(&rig, "/provider plain").await,
        "The provider here is now: plain. Here plain answers with its own model."
    );
    let answer = ann(&rig, "/provider other").await;
    assert_eq!(
        answer,
        "The provider here is now: other. Here other answers with the model other-own."
    );
    ann(&rig, "/system Be brief.").await;
    assert_eq!(ann(&rig, "/tools clock").await, "The tools here are now: clock.");
    let request = asked(&rig, &other, Spot::chat("ann")).await;
    assert_eq!(request.model, "other-own");
    assert!(request.system.contains("Be brief."), "{request:?}");
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["clock"]);
    let answer = ann(&rig, "/tools").await;
    assert!(answer.contains("clock: reads, on here"), "{answer}");
    assert!(
        answer.contains("send: reaches out, off here") && !answer.contains("\n "),
        "{answer}"
    );
    assert_eq!(rig.provider.asked().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_persona_brings_its_provider_and_its_prompt() {
    let (rig, other) = equipped();
    let answer = ann(&rig, "/persona").await;
    assert!(
        answer.starts_with("Persona: default (from the configuration)"),
        "{answer}"
    );
    assert!(answer.contains("To choose from: pirate."), "{answer}");
    let answer = ann(&rig, "/persona pirat").await;
    assert!(
        answer.contains("There is no persona pirat; the nearest is pirate."),
        "{answer}"
    );
    let answer = ann(&rig, "/persona pirate").await;
    assert!(answer.contains("other answers with the model other-own"), "{answer}");
    let request = asked(&rig, &other, Spot::chat("ann")).await;
    assert!(request.system.contains("pirate"), "{request:?}");
    let answer = ann(&rig, "/status").await;
    for part in [
        "Persona: pirate (set here)",
        "Provider: other (the persona's)",
        "Model: other-own (the provider's own)",
        "System prompt: Talk like a pirate. (the persona's)",
        "Tools: all (from the configuration)",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_may_set_what() {
    let (rig, _) = equipped();
    let in_direct = |who: &str, text: &str| Said::direct(who.to_owned(), who.to_owned(), text.to_owned());
    assert!(
        told(&rig, in_direct("bob", "/model mine"))
            .await
            .contains("is now: mine")
    );
    let answer = told(&rig, in_direct("bob", "/model --interface mine")).await;
    assert!(answer.contains("Only admins"), "{answer}");
    let answer = told(&rig, in_direct("ted", "/model --all mine")).await;
    assert!(answer.contains("Only admins"), "{answer}");
    let answer = in_room(&rig, "bob", "/model mine").await;
    assert!(answer.contains("only trusted people"), "{answer}");
    assert!(in_room(&rig, "ted", "/model ours").await.contains("is now: ours"));
    let answer = in_room(&rig, "ted", "/model --thread ours").await;
    assert_eq!(answer, "This is no thread.");
    let set = rig.store.governed().await.unwrap().preferences;
    assert_eq!(set.0.len(), 2, "{set:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_longer_configured_is_named() {
    let (mut rig, _) = equipped();
    ann(&rig, "/provider --all other").await;
    rig.stop().await.unwrap();
    rig.begins_with = None;
    rig.settings
        .access
        .interfaces
        .insert("loopback".to_owned(), Level::User);
    rig.restart();
    let answer = ann(&rig, "/status").await;
    assert!(
        answer.contains("No longer configured, and so without effect: the provider other, set everywhere."),
        "{answer}"
    );
    assert!(
        answer.contains("Provider: scripted (from the configuration)"),
        "{answer}"
    );
}
