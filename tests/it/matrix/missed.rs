//! What is said while the bot is away, or while the server is: answered once each, in order, and nothing else is.

use serde_json::Value;
use tertulia_testkit::matrix_person::{NewRoom, Saying};
use tertulia_testkit::synapse::Settings;

use super::scene::{DEMO, Scene, Setup, Someone};

/// The words of the `nth` message, none of which is a part of another's.
fn words(nth: usize) -> String {
    format!("piece-{nth:03}-")
}

async fn say_all(person: &impl Someone, room: &str, numbers: std::ops::Range<usize>) {
    for nth in numbers {
        person.says(room, &Saying::new(&words(nth))).await;
    }
}

/// The numbers of the messages that were answered, in the order of the answers; several may be in one.
fn answered(shown: &[Value], numbers: std::ops::Range<usize>) -> Vec<usize> {
    let bodies: String = shown.iter().filter_map(|shown| shown["body"].as_str()).collect();
    let mut found: Vec<(usize, usize)> = numbers
        .flat_map(|nth| {
            let places: Vec<usize> = bodies.match_indices(&words(nth)).map(|(at, _)| at).collect();
            places.into_iter().map(move |at| (at, nth))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, nth)| nth).collect()
}

async fn check_answered(scene: &Scene, person: &impl Someone, room: &str, numbers: std::ops::Range<usize>) {
    let last = words(numbers.end - 1);
    scene.hears(person, room, &last).await;
    scene.is_done(person, room).await;
    let shown = scene.shown(person, room).await;
    let expected: Vec<usize> = numbers.clone().collect();
    assert_eq!(answered(&shown, numbers), expected, "{shown:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_in_clear_is_answered_in_order() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    let mut said = 0;
    for missed in [11, 30, 130] {
        let home = scene.kill();
        say_all(&anna, &room, said..said + missed).await;
        scene.wake(home);
        check_answered(&scene, &anna, &room, said..said + missed).await;
        said += missed;
    }
    let shown = scene.shown(&anna, &room).await;
    assert_eq!(answered(&shown, 0..said), (0..said).collect::<Vec<usize>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_in_an_encrypted_room_is_answered_in_order() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    anna.says(&room, &Saying::new("apple pie")).await;
    scene.hears(&anna, &room, "apple pie").await;
    let home = scene.kill();
    say_all(&anna, &room, 0..130).await;
    scene.wake(home);
    check_answered(&scene, &anna, &room, 0..130).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_restarts_in_a_row_lose_nothing_to_the_memory_of_the_server() {
    let settings = Settings {
        sync_cache: true,
        ..Settings::default()
    };
    let Some(mut scene) = Setup::new(DEMO).alone(settings).start().await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    for nth in 0..3 {
        let home = scene.kill();
        say_all(&anna, &room, nth..nth + 1).await;
        scene.wake(home);
        scene.hears(&anna, &room, &words(nth)).await;
    }
    check_answered(&scene, &anna, &room, 0..3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_the_bot_came_is_not_answered() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = anna.opens(&NewRoom::default()).await;
    let bot = scene.bot().user_id.clone();
    anna.says(&room, &Saying::new("apple pie").mention(&bot)).await;
    anna.member(&room, "invite", &bot).await;
    scene
        .until("the bot", async || anna.has(&room, &bot).await.then_some(()))
        .await;
    scene.is_done(&anna, &room).await;
    let shown = scene.shown(&anna, &room).await;
    assert!(
        !Value::from(shown.clone()).to_string().contains("apple pie"),
        "{shown:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_in_a_long_poll_is_waited_for() {
    let Some(scene) = Setup::new(DEMO).alone(Settings::default()).start().await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, &words(0)).await;
    scene.hears(&anna, &room, &words(0)).await;
    scene.server().kill().await.unwrap();
    scene.server().start_again().await.unwrap();
    anna.say(&room, &words(1)).await;
    check_answered(&scene, &anna, &room, 0..2).await;
}
