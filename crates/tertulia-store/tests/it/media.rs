//! Pictures lie in files named by their hash.

use std::fs;

use rusqlite::Connection;
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::transaction::Transaction;
use tertulia_message::{FileRef, Picture};
use tertulia_ports::{Files, Store};
use tertulia_store::DATABASE;

use crate::bench::{accepting, begin, directory, message, new_row, open, settle, slot};

/// The hash of `abc`, from the standard.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[tokio::test]
async fn a_picture_is_a_file_with_a_row() {
    let directory = directory();
    let store = open(directory.path());
    let (row, conversation) = new_row(
        &store
            .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
            .await
            .unwrap(),
    );
    let picture = Part::Picture(Picture {
        mime: "image/png".to_owned(),
        bytes: b"abc".to_vec().into(),
    });
    let parts = vec![Part::Text("see".to_owned()), picture.clone(), picture];
    let mut begun = begin(row, conversation, "");
    if let Transaction::Begin(begin) = &mut begun {
        begin.entries[0].message = ChatMessage::User { parts: parts.clone() };
    }
    store.commit(begun).await.unwrap();
    store.commit(settle(row, "nice")).await.unwrap();
    store
        .accept(accepting(vec![message("telegram_bot/5", "b", "next")]))
        .await
        .unwrap();
    let history = async || store.next_work(conversation, 9).await.unwrap().unwrap().history;
    assert_eq!(history().await[0].message, ChatMessage::User { parts });
    let folder = directory.path().join("media");
    let names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(names, [ABC]);
    let raw = Connection::open(directory.path().join(DATABASE)).unwrap();
    let kept = raw.query_row("SELECT lower(hex(sha256)), mime, bytes FROM media", [], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, i64>(2)?,
        ))
    });
    assert_eq!(kept.unwrap(), (ABC.to_owned(), "image/png".to_owned(), 3));
    // A lost file costs the picture, not the conversation.
    fs::remove_file(folder.join(ABC)).unwrap();
    assert_eq!(history().await[0].message, ChatMessage::user("see"));
}

#[tokio::test]
async fn only_files_that_a_slot_names_outlive_the_process() {
    let directory = directory();
    let store = open(directory.path());
    let (row, conversation) = new_row(
        &store
            .accept(accepting(vec![message("telegram_bot/5", "a", "hi")]))
            .await
            .unwrap(),
    );
    let named = store.keep_file(b"abc".as_slice().into()).await.unwrap();
    let unnamed = store.keep_file(b"def".as_slice().into()).await.unwrap();
    assert_eq!(named, ABC);
    let mut slot = slot(row, conversation, "telegram_bot/5", "a");
    slot.wish.post.files = vec![FileRef {
        handle: named.clone(),
        name: "a.md".to_owned(),
        mime: None,
        size: Some(3),
    }];
    let notice = Transaction::Notice { slots: vec![slot] };
    store.commit(notice).await.unwrap();
    store.close().await;
    let store = open(directory.path());
    assert_eq!(store.file(&named).await.unwrap().as_deref(), Some(b"abc".as_slice()));
    assert_eq!(store.file(&unnamed).await.unwrap(), None);
}

#[tokio::test]
async fn unfinished_files_are_cleared_at_the_next_start() {
    let directory = directory();
    drop(open(directory.path()));
    let leftover = directory.path().join("media/abc.0.tmp");
    fs::write(&leftover, "half").unwrap();
    drop(open(directory.path()));
    assert!(!leftover.exists());
}
