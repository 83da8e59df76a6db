//! Contents of files that go out.

use tertulia_core::record::{ConversationId, InboxId, Slot, SlotProgress, SlotState};
use tertulia_core::transaction::{Change, Transaction};
use tertulia_message::{FileRef, SlotKind};

use super::bench::{Bench, posted, progress, slot};

async fn keep(bench: &Bench, content: &str) -> String {
    bench.store.keep_file(content.as_bytes().into()).await.unwrap()
}

async fn content(bench: &Bench, handle: &str) -> Option<String> {
    let content = bench.store.file(handle).await.unwrap();
    content.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

/// The reply of a command with a file.
fn sent(row: InboxId, part: u32, handle: &str) -> Slot {
    let mut slot = slot(row, SlotKind::Command, part, "here");
    slot.wish.post.files = vec![FileRef {
        handle: handle.to_owned(),
        name: "a.md".to_owned(),
        mime: Some("text/markdown".to_owned()),
        size: Some(3),
    }];
    slot
}

async fn send(bench: &Bench, row: InboxId, handles: &[&str]) -> Vec<Slot> {
    let slots: Vec<Slot> = (0..)
        .zip(handles)
        .map(|(part, handle)| sent(row, part, handle))
        .collect();
    let notice = Transaction::Notice { slots: slots.clone() };
    bench.twice(notice).await;
    slots
}

pub(super) async fn a_content_is_kept_once(bench: Bench) {
    let one = keep(&bench, "one").await;
    let two = keep(&bench, "two").await;
    assert_ne!(one, two);
    assert_eq!(keep(&bench, "one").await, one);
    assert_eq!(content(&bench, &one).await.as_deref(), Some("one"));
    for odd in ["", "../tertulia.db", &one.replace(['0', '1', 'a'], "b")] {
        assert_eq!(content(&bench, odd).await, None, "{odd}");
    }
    let (row, _) = bench.say("telegram_bot/5", "a", "/export").await;
    let slots = send(&bench, row, &[&one]).await;
    assert_eq!(bench.slots().await, slots, "a slot comes back with its files");
}

pub(super) async fn what_no_slot_names_any_more_is_deleted(bench: Bench) {
    let mut handles = Vec::new();
    for text in ["mine", "shared", "waits", "dead"] {
        handles.push(keep(&bench, text).await);
    }
    let all: Vec<&str> = handles.iter().map(String::as_str).collect();
    let [mine, shared, waits, dead] = all[..] else {
        unreachable!()
    };
    let here = bench.exchange("telegram_bot/5", "a", "q", "1").await;
    let there = bench.exchange("telegram_bot/6", "b", "q", "1").await;
    let slots = send(&bench, here, &[mine, shared, waits]).await;
    for slot in &slots[..2] {
        bench.commit(progress(slot.id, posted("m", 1))).await;
    }
    let others = send(&bench, there, &[shared, dead]).await;
    let gone = SlotProgress {
        state: SlotState::Dead,
        ..SlotProgress::default()
    };
    bench.commit(progress(others[1].id, gone)).await;
    let kept = async || {
        let mut kept = Vec::new();
        for handle in &handles {
            kept.extend(content(&bench, handle).await);
        }
        kept
    };
    assert_eq!(kept().await, ["mine", "shared", "waits", "dead"]);
    bench.change(vec![Change::Forget(vec![ConversationId(1)])]).await;
    assert_eq!(kept().await, ["shared", "waits", "dead"]);
    bench
        .change(vec![Change::Bury(others.iter().map(|slot| slot.id).collect())])
        .await;
    assert_eq!(kept().await, ["shared", "waits"]);
    bench.change(vec![Change::Forget(vec![ConversationId(2)])]).await;
    assert_eq!(kept().await, ["shared", "waits"], "one is on its way yet");
}
