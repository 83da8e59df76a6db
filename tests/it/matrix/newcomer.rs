//! An account, a few variables, a direct chat and a code: all that README asks for.

use tertulia_testkit::matrix_person::{NewRoom, Saying};
use tokio::task::block_in_place;

use super::scene::{BOT, DEMO, Scene};
use crate::daemon::{Daemon, Home};

/// The code as the start prints it for people whose clients keep slashes.
fn code(daemon: &Daemon) -> String {
    let before = "(on Matrix: !claim ";
    block_in_place(|| daemon.until_logged(|line| line.contains(before)));
    let log = daemon.log();
    let (_, after) = log.split_once(before).unwrap();
    after.split_once(')').unwrap().0.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_and_a_code_are_all_that_is_needed() {
    // its bot is not asked anything: the newcomer's is another one on the same server
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let bot = scene.account("newcomer").await;
    let environment = [
        ("MATRIX_HOMESERVER", scene.server().url()),
        ("MATRIX_USER", &bot.user_id),
        ("MATRIX_PASSWORD", &bot.password),
        ("OLLAMA_HOST", "127.0.0.1:9"),
    ];
    let daemon = block_in_place(|| Home::new().start("", &environment));
    let code = code(&daemon);
    let anna = scene.encrypting("anna").await;
    let room = anna
        .create(&NewRoom::encrypted().direct().with(&bot.user_id))
        .await
        .unwrap();
    anna.wait_for_member(&room, &bot.user_id, "join").await.unwrap();
    let says = async |words: String, part: &str| {
        anna.say(&room, &Saying::new(&words)).await.unwrap();
        let heard = scene
            .until(part, async || {
                let shown = anna.shown(&room, &bot.user_id).await.unwrap();
                shown
                    .into_iter()
                    .find(|shown| shown["body"].as_str().is_some_and(|body| body.contains(part)))
            })
            .await;
        assert_eq!(heard["encrypted"], true, "{heard}");
    };
    // whoever was not let in is told what to ask for, with the own id
    says("hello".to_owned(), &format!("{BOT}/{}", anna.user_id())).await;
    says(format!("!claim {code}"), "admin").await;
    says("apple pie".to_owned(), "You said: apple pie").await;

    // nobody else may open a chat from now on
    let eve = scene.plain("eve").await;
    let uninvited = super::scene::Someone::opens(&eve, &NewRoom::default().direct().with(&bot.user_id)).await;
    says("banana bread".to_owned(), "You said: banana bread").await;
    block_in_place(|| {
        daemon.until_logged(|line| line.contains("an invitation is not accepted") && line.contains(&uninvited));
    });
    let (status, log, _home) = block_in_place(|| daemon.stop());
    assert!(status.success(), "{log}");
    assert_eq!(log.matches(&code).count(), 2, "{log}");
    assert!(!log.contains(&bot.password), "{log}");
}
