//! The server dies, hangs, loses answers and refuses: what was asked is answered once and in order, as soon as that can be.

use std::time::Duration;

use serde_json::json;
use tertulia_testkit::line::{Line, Snag};
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};
use tertulia_testkit::matrix_tools::MatrixTools;
use tertulia_testkit::synapse::{Settings, Synapse};
use tokio::time::sleep;

use super::scene::{DEMO, Scene, Setup, Someone};
use crate::ollama::Ollama;

/// Takes a second and a half to be answered.
const LONG: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
const SLOW: &str = "[providers.demo]\npause_ms = 80\n";
/// The server hangs for so long.
const FROZEN: Duration = Duration::from_secs(2);

/// How a server goes away and comes back.
#[derive(Debug, Clone, Copy)]
enum Outage {
    Killed,
    Frozen,
    FrozenAndKilled,
}

impl Outage {
    async fn happen(self, server: &Synapse) {
        if matches!(self, Self::Frozen | Self::FrozenAndKilled) {
            server.freeze().await.unwrap();
            sleep(FROZEN).await;
        }
        match self {
            Self::Killed | Self::FrozenAndKilled => server.kill().await.unwrap(),
            Self::Frozen => return server.thaw().await.unwrap(),
        }
        server.start_again().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_costs_nothing_but_time() {
    let setup = Setup::new(SLOW).admins(&["anna", "ben"]).alone(Settings::default());
    let Some(scene) = setup.start().await else { return };
    let anna = scene.plain("anna").await;
    let ben = scene.encrypting("ben").await;
    let clear = scene.room(&anna, NewRoom::default().direct()).await;
    let secret = scene.room(&ben, NewRoom::encrypted().direct()).await;
    in_the_middle_of_a_poll(&scene, &anna, &clear).await;
    for (nth, outage) in [Outage::Killed, Outage::Frozen, Outage::FrozenAndKilled]
        .into_iter()
        .enumerate()
    {
        tokio::join!(
            is_begun(&scene, &anna, &clear, nth),
            is_begun(&scene, &ben, &secret, nth)
        );
        outage.happen(scene.server()).await;
        tokio::join!(
            is_answered(&scene, &anna, &clear, nth),
            is_answered(&scene, &ben, &secret, nth)
        );
        scene.is_reached(true).await;
    }
}

/// Nothing is asked, and the server is gone. Other doors do not mind.
async fn in_the_middle_of_a_poll(scene: &Scene, person: &impl Someone, room: &str) {
    person.says(room, &Saying::new("apple")).await;
    scene.hears(person, room, "apple").await;
    scene.server().stop().await.unwrap();
    scene.is_reached(false).await;
    let reply = Ollama::of(scene.daemon()).say("mine", "hello").await;
    assert!(reply.is_whole(), "{reply:?}");
    scene.server().start_again().await.unwrap();
    scene.is_reached(true).await;
    person.says(room, &Saying::new("banana")).await;
    scene.hears_in_order(person, room, &["apple", "banana"]).await;
}

fn long(nth: usize) -> String {
    format!("question-{nth} {LONG}")
}

/// An answer of which the beginning is shown.
async fn is_begun(scene: &Scene, person: &impl Someone, room: &str, nth: usize) {
    person.says(room, &Saying::new(&long(nth))).await;
    scene.hears(person, room, &format!("You said: question-{nth}")).await;
}

async fn is_answered(scene: &Scene, person: &impl Someone, room: &str, nth: usize) {
    let last = format!("last-{nth}");
    person.says(room, &Saying::new(&last)).await;
    scene.hears_in_order(person, room, &[long(nth), last]).await;
}

/// A line to the server of all tests, and a bot that uses it.
async fn on_a_line(config: &str) -> Option<(Line, Scene)> {
    let thread = std::thread::current();
    let tools = MatrixTools::find_for(thread.name().unwrap_or_default())?;
    let server = super::scene::shared(&tools).await;
    let line = Line::to(server.url()).await.unwrap();
    let scene = Setup::new(config).through(line.url()).start().await?;
    Some((line, scene))
}

/// Whatever becomes of the calls, each of the questions is answered once.
async fn over_snags(line: &Line, scene: &Scene, person: &impl Someone, room: &str, kind: &str) {
    let busy = json!({"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests", "retry_after_ms": 300});
    let broken = json!({"errcode": "M_UNKNOWN", "error": "Internal server error"});
    let send = format!("/send/{kind}/");
    let snags = [
        (send.as_str(), Snag::CutBefore),
        (&send, Snag::CutAfter),
        (&send, Snag::Answer(429, busy)),
        (&send, Snag::Answer(500, broken.clone())),
        (&send, Snag::Answer(502, json!("<html>Bad Gateway</html>"))),
        ("/sync", Snag::CutBefore),
        ("/sync", Snag::CutAfter),
        ("/sync", Snag::Answer(502, broken)),
    ];
    let mut words = Vec::new();
    for (nth, (part, snag)) in snags.into_iter().enumerate() {
        line.plan(part, snag);
        let word = format!("{kind}-{nth}.");
        person.says(room, &Saying::new(&word)).await;
        scene.hears(person, room, &word).await;
        scene
            .until("the snag", async || (line.planned() == 0).then_some(()))
            .await;
        words.push(word);
    }
    scene.hears_in_order(person, room, &words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_unknown_fate_is_made_again_and_done_once() {
    let Some((line, scene)) = on_a_line(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    for (room, kind) in [
        (NewRoom::default(), "m.room.message"),
        (NewRoom::encrypted(), "m.room.encrypted"),
    ] {
        let room = scene.room(&anna, room.direct()).await;
        over_snags(&line, &scene, &anna, &room, kind).await;
        no_event_twice(&scene, &anna, &room).await;
    }
}

/// The server itself has each of the bot's messages once, however often it was sent.
async fn no_event_twice(scene: &Scene, anna: &MatrixPerson, room: &str) {
    let shown = scene.shown(anna, room).await;
    let mut bodies: Vec<&str> = shown.iter().filter_map(|shown| shown["body"].as_str()).collect();
    let all = bodies.len();
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(bodies.len(), all, "{shown:#?}");
}
