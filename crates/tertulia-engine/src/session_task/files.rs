//! Fetches the files of a turn's rows, within bounds: what does not come is told to the model in a line.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use tertulia_core::attachment::{Attachment, Attachments, GONE, NOT_FETCHED, TOO_LARGE, TOO_MANY};
use tertulia_core::record::{InboxRow, RowBody};
use tertulia_interface::{FetchError, Interface};
use tertulia_message::FileRef;
use tokio::time::{Instant, sleep, timeout_at};

/// The most files of one turn.
const MOST: usize = 10;
/// How large all files of one turn may be, in bytes.
const ROOM: u64 = 20_000_000;
/// How many are fetched at once.
const AT_ONCE: usize = 4;
/// How long all of them may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// The pause before the only new try.
const PAUSE: Duration = Duration::from_secs(1);

/// The files of messages, each once.
pub(super) fn of(rows: &[InboxRow]) -> Vec<FileRef> {
    let bodies = rows.iter().filter_map(|row| match &row.body {
        RowBody::Message(body) => Some(body),
        RowBody::Command { .. } | RowBody::Request(_) => None,
    });
    let mut files: Vec<FileRef> = Vec::new();
    for file in bodies.flat_map(|body| &body.files) {
        if files.iter().all(|known| known.handle != file.handle) {
            files.push(file.clone());
        }
    }
    files
}

/// Fetches the files beside each other; ends within the deadline.
pub(super) async fn fetch(interface: &dyn Interface, files: Vec<FileRef>) -> Attachments {
    let until = Instant::now() + DEADLINE;
    let (wanted, mut got) = choose(files);
    let mut room = ROOM;
    let each = wanted.into_iter().map(|file| fetch_one(interface, file));
    let mut fetching = stream::iter(each).buffer_unordered(AT_ONCE);
    while let Ok(Some((handle, fetched))) = timeout_at(until, fetching.next()).await {
        let taken = fetched.and_then(|bytes| {
            room = room.checked_sub(bytes.len() as u64).ok_or(TOO_LARGE)?;
            Ok(bytes)
        });
        got.insert(handle, taken.map_or_else(Attachment::Note, Attachment::of));
    }
    got
}

/// Those that are worth a try, and what is said of the others.
fn choose(files: Vec<FileRef>) -> (Vec<FileRef>, Attachments) {
    let mut wanted = Vec::new();
    let mut refused = Attachments::new();
    let mut room = ROOM;
    for file in files {
        let left = room.checked_sub(file.size.unwrap_or(0));
        match left {
            _ if wanted.len() == MOST => {
                refused.insert(file.handle, Attachment::Note(TOO_MANY));
            }
            None => {
                refused.insert(file.handle, Attachment::Note(TOO_LARGE));
            }
            Some(left) => {
                room = left;
                wanted.push(file);
            }
        }
    }
    (wanted, refused)
}

async fn fetch_one(interface: &dyn Interface, file: FileRef) -> (String, Result<Vec<u8>, &'static str>) {
    let mut fetched = attempt(interface, &file).await;
    if let Err(FetchError::Failed(_)) = fetched {
        sleep(PAUSE).await;
        fetched = attempt(interface, &file).await;
    }
    let fetched = fetched.map_err(|error| {
        tracing::warn!(%error, "a file of a message could not be fetched");
        match error {
            FetchError::TooLarge => TOO_LARGE,
            FetchError::Gone => GONE,
            FetchError::Failed(_) => NOT_FETCHED,
        }
    });
    (file.handle, fetched)
}

async fn attempt(interface: &dyn Interface, file: &FileRef) -> Result<Vec<u8>, FetchError> {
    let fetching = AssertUnwindSafe(interface.fetch(file)).catch_unwind();
    fetching
        .await
        .unwrap_or_else(|_| Err(FetchError::Failed("the interface panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(handle: usize, size: Option<u64>) -> FileRef {
        FileRef {
            handle: handle.to_string(),
            name: String::new(),
            mime: None,
            size,
        }
    }

    #[track_caller]
    fn check(sizes: &[Option<u64>], refused: &[(&str, &'static str)]) {
        let files = sizes.iter().enumerate().map(|(nth, size)| file(nth, *size));
        let (wanted, got) = choose(files.collect());
        let expected = refused
            .iter()
            .map(|(handle, why)| ((*handle).to_owned(), Attachment::Note(why)));
        assert_eq!(got, expected.collect());
        assert_eq!(wanted.len(), sizes.len() - refused.len());
    }

    #[test]
    fn only_so_many_and_so_much() {
        check(&[None; 12], &[("10", TOO_MANY), ("11", TOO_MANY)]);
        check(
            &[Some(ROOM - 1), Some(2), Some(1), None, Some(u64::MAX)],
            &[("1", TOO_LARGE), ("4", TOO_LARGE)],
        );
    }
}
