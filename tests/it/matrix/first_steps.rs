//! From an account to the first answers, in clear and encrypted.

use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, Scene, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_clear_is_answered_once() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, "apple pie").await;
    let answer = scene.hears_once(&anna, &room, "apple pie").await;
    assert_eq!(answer["encrypted"], false, "{answer}");
    // the next life neither logs in anew nor answers again
    scene.stop_and_start();
    anna.say(&room, "banana bread").await;
    scene.hears_once(&anna, &room, "banana bread").await;
    let shown = scene.shown(&anna, &room).await;
    let count = shown
        .iter()
        .filter(|shown| shown.to_string().contains("apple pie"))
        .count();
    assert_eq!(count, 1, "{shown:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_question_is_answered_once_and_encrypted() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    anna.say(&room, &Saying::new("apple pie")).await.unwrap();
    let answer = scene.hears_once(&anna, &room, "apple pie").await;
    assert_eq!(answer["encrypted"], true, "{answer}");
    assert_eq!(answer["undecryptable"], false, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_does_as_well_as_a_password() {
    let Some(scene) = Setup::new(DEMO).by_token().start().await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.say(&room, "apple pie").await;
    scene.hears_once(&anna, &room, "apple pie").await;
}
