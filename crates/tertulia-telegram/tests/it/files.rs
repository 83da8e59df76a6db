//! Files that people send.

use tertulia_interface::{FetchError, Interface};
use tertulia_message::FileRef;
use tertulia_testkit::telegram_double::Said;

use crate::stage::{Listening, double, interface};

#[tokio::test]
async fn a_file_is_fetched_by_what_came_with_its_message() {
    let double = double().await;
    let ann = double.person("Ann");
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    double.send(ann, ann, Said::document("notes.txt", "text/plain", bytes.clone()));
    let listening = Listening::start(&double);
    listening.hears(1).await;
    let events = listening.ear.events();
    let file = &events[0].files[0];
    assert_eq!(
        (file.name.as_str(), file.mime.as_deref()),
        ("notes.txt", Some("text/plain"))
    );
    assert_eq!(interface(&double).fetch(file).await.unwrap(), bytes);
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn nothing_too_large_is_fetched() {
    let double = double().await;
    let ann = double.person("Ann");
    let large = Said::document("film.bin", "application/octet-stream", vec![0]).of_size(30 << 20);
    double.send(ann, ann, large);
    let listening = Listening::start(&double);
    listening.hears(1).await;
    let events = listening.ear.events();
    let told = &events[0].files[0];
    let telegram = interface(&double);
    assert!(matches!(telegram.fetch(told).await, Err(FetchError::TooLarge)));
    assert_eq!(double.calls("getFile"), 0);
    let untold = FileRef {
        size: None,
        ..told.clone()
    };
    assert!(matches!(telegram.fetch(&untold).await, Err(FetchError::TooLarge)));
    listening.stop().await;
}

#[tokio::test]
async fn what_is_not_there_is_gone() {
    let double = double().await;
    let nothing = FileRef {
        handle: "nothing".into(),
        name: "x".into(),
        mime: None,
        size: None,
    };
    assert!(matches!(
        interface(&double).fetch(&nothing).await,
        Err(FetchError::Gone | FetchError::Failed(_))
    ));
}
