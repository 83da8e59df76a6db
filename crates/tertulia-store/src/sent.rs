//! Files that go out with slots: their rows among the pictures', by the slots that name them.

use tertulia_core::transaction::Transaction;
use tertulia_message::{FileRef, Post};

use crate::media::MediaRow;

/// True for the handle of a content: the hash that its file is named by.
pub(crate) fn is_handle(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The rows of the files that a transaction's slots name.
pub(crate) fn rows(tx: &Transaction) -> Vec<MediaRow> {
    let files = posts(tx).into_iter().flat_map(|post| &post.files);
    files.filter_map(row).collect()
}

fn posts(tx: &Transaction) -> Vec<&Post> {
    let slots = match tx {
        Transaction::OpenSlot { closed, open } => {
            let closed = closed.as_ref().map(|(_, wish)| &wish.post);
            return closed.into_iter().chain([&open.wish.post]).collect();
        }
        Transaction::Settle(settle) => &settle.slots,
        Transaction::ToolDone { said: Some(said), .. } => &said.slots,
        Transaction::Reply { slots, .. } | Transaction::Notice { slots } | Transaction::Split { rest: slots, .. } => {
            slots
        }
        _ => return Vec::new(),
    };
    slots.iter().map(|slot| &slot.wish.post).collect()
}

fn row(file: &FileRef) -> Option<MediaRow> {
    if !is_handle(&file.handle) {
        return None;
    }
    let pairs = file.handle.as_bytes().chunks_exact(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    Some(MediaRow {
        sha256: pairs.map(byte).collect::<Option<_>>()?,
        mime: file.mime.clone().unwrap_or_default(),
        bytes: file.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0),
    })
}
