//! Whatever stands behind a command's name: the usage line or a clear sentence, and no effect.

use tertulia_core::commands::COMMANDS;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{ConversationQuery, Desk as _, Governed};

use super::told::{ann, governed};
use crate::rig::Rig;

/// No command takes any of these.
const NO_ARGUMENTS: [&str; 3] = ["--", "—", "--everything x"];
/// Those take none of these that take more than any text.
const NO_WORDS: [&str; 16] = [
    "-1",
    "99999999999999999999",
    "٣",
    "ADMIN",
    "a b c d e f g h i j k",
    "/",
    "loopback//x",
    "loopback/",
    "loopback/a%2f",
    "person @alice",
    "person loopback/eve Admin",
    "person loopback/eve admin for -1h",
    "chat loopback/a/b/c/d and more",
    "retry -1",
    "\u{202e}sey",
    "\u{1b}[2J\u{7}",
];
/// Any text may be set with these.
const FREE: [&str; 2] = ["model", "system"];

/// Everything that a command could have changed.
async fn held(rig: &Rig) -> (Governed, Vec<(InterfacePath, i64, u64)>) {
    let known = rig.store.conversations(&ConversationQuery::Latest(100)).await.unwrap();
    let known = known.into_iter().map(|known| (known.path, known.epoch, known.entries));
    (rig.store.governed().await.unwrap(), known.collect())
}

async fn check(rig: &Rig, command: &str, arguments: &str) {
    let before = held(rig).await;
    let answer = ann(rig, &format!("/{command} {arguments}")).await;
    let shown: String = arguments.chars().take(40).collect();
    assert!(!answer.trim().is_empty(), "/{command} {shown:?}");
    assert!(answer.chars().count() < 1000, "/{command} {shown:?}: {answer}");
    assert!(
        !answer.contains(['\u{202e}', '\u{1b}', '\u{7}']),
        "/{command} {shown:?}"
    );
    assert!(
        !answer.contains("Something went wrong"),
        "/{command} {shown:?}: {answer}"
    );
    assert_eq!(held(rig).await, before, "/{command} {shown:?}: {answer}");
}

#[tokio::test(start_paused = true)]
async fn whatever_is_wrong_has_no_effect() {
    let mut rig = governed();
    rig.start();
    rig.say("ann", "hello");
    rig.until_shown("ann", 1).await;
    for command in COMMANDS {
        for arguments in NO_ARGUMENTS {
            check(&rig, command.name, arguments).await;
        }
        for arguments in NO_WORDS.iter().filter(|_| !FREE.contains(&command.name)) {
            check(&rig, command.name, arguments).await;
        }
    }
    assert_eq!(rig.provider.asked().len(), 1, "no command ever reaches the model");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_kilobytes_have_no_effect() {
    let mut rig = governed();
    rig.start();
    rig.say("ann", "hello");
    rig.until_shown("ann", 1).await;
    for command in COMMANDS {
        check(&rig, command.name, &"x".repeat(100_000)).await;
        check(&rig, command.name, &"x y ".repeat(25_000)).await;
    }
    check(&rig, "model", "a\u{202e}b").await;
    assert_eq!(rig.provider.asked().len(), 1);
}
