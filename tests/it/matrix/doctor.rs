//! What the doctor hears from the homeserver, before the first login, after it, and when the account is no more.

use tokio::task::block_in_place;

use super::scene::{BOT, DEMO, Scene};
use crate::daemon::Home;
use crate::doctor::doctor;

/// The line on the interface, with the advice below it if there is any.
fn finding(home: &Home) -> String {
    let (_, text) = block_in_place(|| doctor(home, &[], &[]));
    let what = format!("interface {BOT}: ");
    let mut lines = text.lines().skip_while(|line| !line.contains(&what));
    let line = lines
        .next()
        .unwrap_or_else(|| panic!("nothing about the interface:\n{text}"));
    let advice = lines
        .next()
        .filter(|line| line.starts_with("      "))
        .unwrap_or_default();
    format!("{line}\n{advice}")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_tells_how_an_account_is() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let home = scene.daemon().home();
    let bot = scene.bot();
    let signed = format!("{} is logged in as device ", bot.user_id);
    let found = scene
        .until("a device that is signed, and a backup", async || {
            let found = finding(home);
            let is_whole = found.starts_with("ok ") && found.contains("which is signed") && found.contains("backed up");
            is_whole.then_some(found)
        })
        .await;
    assert!(found.contains(&signed), "{found}");
    assert!(!found.contains(&bot.password), "{found}");

    let fresh = Home::new();
    fresh.write("secret", &bot.password);
    fresh.write("bot.toml", &std::fs::read_to_string(home.file("bot.toml")).unwrap());
    let found = finding(&fresh);
    assert!(
        found.starts_with("ok ") && found.contains("nobody is logged in yet"),
        "{found}"
    );
    assert!(!fresh.state().exists(), "something was made");

    scene.server().deactivate(&bot.user_id).await.unwrap();
    let found = finding(home);
    assert!(found.starts_with("FAIL ") && found.contains("no longer"), "{found}");
    scene
        .daemon()
        .until_logged(|line| line.contains("ERROR") && line.contains(BOT) && line.contains("no longer"));
}
