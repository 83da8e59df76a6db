//! Files that go out.

use tertulia_message::{Attachment, DeliverError, FileRef, Markup, Post};

use super::scene::{Scene, text};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand the rest";

fn file(name: &str, mime: &str, bytes: &[u8]) -> Attachment {
    Attachment {
        name: name.to_owned(),
        mime: mime.to_owned(),
        bytes: bytes.into(),
    }
}

/// A post with a file, as the daemon keeps it.
fn with_file(caption: &str, file: &Attachment) -> Post {
    let kept = FileRef {
        handle: "1".to_owned(),
        name: file.name.clone(),
        mime: Some(file.mime.clone()),
        size: Some(file.bytes.len() as u64),
    };
    Post {
        files: vec![kept],
        ..text(caption)
    }
}

#[tokio::test]
async fn files_are_shown_as_what_they_are() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let files = [
        (file("a.png", "image/png", PNG), "photo"),
        (file("a.gif", "image/gif", b"GIF89a"), "animation"),
        (file("a.mp3", "audio/mpeg", b"ID3"), "audio"),
        (file("a.ogg", "audio/ogg; codecs=opus", b"OggS"), "voice"),
        (file("a.mp4", "video/mp4", b"ftyp"), "video"),
        (file("ä \"b\"\r\n.pdf", "application/pdf", b"%PDF"), "document"),
        (file("b", "no mime", b"x"), "document"),
    ];
    for (file, kind) in files {
        let post = with_file("see", &file);
        scene.post_files(ann, &post, vec![file.clone()]).await.unwrap();
        let shown = scene.telegram.shown(ann).pop().unwrap();
        assert_eq!(shown.media.as_deref(), Some(kind), "{file:?}");
        assert_eq!(shown.text, "see");
        assert_eq!(scene.telegram.file(&shown.file.unwrap()).as_deref(), Some(&*file.bytes));
    }
    scene.is_well_behaved();
}

#[tokio::test]
async fn a_picture_that_telegram_cannot_read_goes_as_a_file() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let odd = file("odd.png", "image/png", b"no picture");
    scene
        .post_files(ann, &with_file("", &odd), vec![odd.clone()])
        .await
        .unwrap();
    let shown = scene.telegram.shown(ann).pop().unwrap();
    assert_eq!(shown.media.as_deref(), Some("document"));
    assert_eq!(
        (scene.telegram.calls("sendPhoto"), scene.telegram.calls("sendDocument")),
        (1, 1)
    );
}

#[tokio::test]
async fn a_caption_is_edited_whatever_the_post_knows() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let picture = file("a.png", "image/png", PNG);
    let post = with_file("see", &picture);
    let id = scene.post_files(ann, &post, vec![picture.clone()]).await.unwrap();
    let better = with_file("look", &picture);
    scene.edit(ann, &id, &better).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["look"]);
    // the daemon knows of no file, and Telegram does; and the other way round
    scene.edit(ann, &id, &text("behold")).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["behold"]);
    let id = scene.post(ann, &text("words")).await.unwrap();
    scene.edit(ann, &id, &with_file("more words", &picture)).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["behold", "more words"]);
    scene.is_well_behaved();
}

#[tokio::test]
async fn what_cannot_be_sent_is_told_without_blocking_anybody() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let picture = file("a.png", "image/png", PNG);
    let mut long = with_file("", &picture);
    long.markup = Markup::text("x".repeat(1025));
    let too_long = scene.post_files(ann, &long, vec![picture.clone()]).await;
    assert_eq!(too_long, Err(DeliverError::TooLong));
    let large = file("a.bin", "x/y", &vec![0; (50 << 20) + 1]);
    for files in [
        vec![picture.clone(), picture.clone()],
        vec![large],
        vec![file("a", "x/y", b"")],
    ] {
        let refused = scene.post_files(ann, &with_file("see", &picture), files).await;
        assert!(matches!(refused, Err(DeliverError::Malformed(_))), "{refused:?}");
    }
    assert!(scene.telegram.accepted().is_empty());
}
