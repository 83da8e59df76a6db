//! Files that go out: `/export`, and what becomes of a file that is gone.

use tertulia_message::{Act, Addressed};
use tertulia_testkit::chat_double::{Kind, Said, Spot};

use crate::rig::Rig;

/// The contents of all files that were posted.
fn posted(rig: &Rig) -> Vec<String> {
    let posts = rig
        .attic
        .delivered()
        .into_iter()
        .filter(|outbound| matches!(outbound.act, Act::Post(_)));
    let files = posts.flat_map(|outbound| outbound.files);
    files
        .map(|file| String::from_utf8(file.bytes.to_vec()).unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_conversation_is_exported_as_a_file_of_its_own() {
    let rig = Rig::started(Kind::Findable);
    rig.attic.take_files(1);
    let said = |thread: &str, text: &str| Said::at(Spot::thread("g", thread), "ann", text, Addressed::Mention);
    rig.say_at(said("1", "first"));
    rig.say_at(said("2", "secret"));
    rig.until("both are answered", |rig| rig.provider.asked().len() == 2)
        .await;
    rig.until_quiet().await;
    rig.say_at(said("1", "/export"));
    rig.until("it is sent", |rig| !posted(rig).is_empty()).await;
    rig.until_quiet().await;
    let files = posted(&rig);
    assert_eq!(files.len(), 1);
    assert!(
        files[0].starts_with("# `loopback/g/1`\n\n**ann**, 2023-11-14"),
        "{files:?}"
    );
    assert!(files[0].contains(":\n\nfirst\n\n**Bot**, "), "{files:?}");
    assert!(files[0].ends_with("You said first.\n\n"), "{files:?}");
    assert_eq!(
        rig.shown_at(&Spot::thread("g", "1"))[1],
        "2 messages of what was said here."
    );
}

#[tokio::test(start_paused = true)]
async fn where_no_file_can_be_sent_it_is_text() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "/export");
    assert!(rig.until_shown("a", 1).await[0].contains("Nothing that was said here"));
    rig.say("a", "first");
    rig.until_shown("a", 2).await;
    rig.say("a", "/export");
    let shown = rig.until_shown("a", 3).await.concat();
    assert!(
        shown.contains("loopback/a") && shown.contains("You said first."),
        "{shown}"
    );
    rig.door.stored("r1", "talk", "hello").await;
    rig.until("it is answered", |rig| !rig.door.text("r1").is_empty()).await;
    rig.until_quiet().await;
    rig.door.stored("r2", "talk", "/export").await;
    rig.until("it is told", |rig| rig.door.text("r2").contains("You said hello."))
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_gone_holds_up_nothing() {
    let rig = Rig::started(Kind::Findable);
    rig.attic.take_files(1);
    rig.say("a", "first");
    rig.until_shown("a", 1).await;
    // what it names is deleted between its commit and its post
    rig.moody.lose_files();
    rig.say("a", "/export");
    let shown = rig.until_shown("a", 2).await;
    assert!(
        shown[1].contains("(The file conversation.md is no longer there.)"),
        "{shown:?}"
    );
    assert_eq!(posted(&rig), Vec::<String>::new());
}
