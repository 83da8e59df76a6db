//! Files that go out: uploaded, encrypted where the room is, before the message that has them.

use std::collections::VecDeque;
use std::io::{Cursor, Read as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matrix_sdk::config::RequestConfig;
use matrix_sdk::ruma::api::client::media::create_content;
use matrix_sdk_crypto::AttachmentEncryptor;
use serde_json::Value;
use tertulia_message::{Attachment, DeliverError};

use super::outcome::told;
use super::way::Way;
use crate::call::Failure;
use crate::content::Content;
use crate::matrix::Matrix;

/// How long one upload may take.
const DEADLINE: Duration = Duration::from_secs(70);
/// How many uploads are remembered until their messages are sent.
const REMEMBERED: usize = 64;
/// How often the connection may break during one upload: some servers, and what stands before them, say so that a file is too
/// large for them.
const BREAKS: u32 = 6;
/// What an encrypted file is to the server.
const ANY: &str = "application/octet-stream";

/// The uploads of late, so that a message that is sent again needs no other one.
#[derive(Debug, Default)]
pub(crate) struct Uploads(Mutex<VecDeque<Known>>);

#[derive(Debug)]
struct Known {
    transaction: String,
    is_encrypted: bool,
    source: Option<Content>,
    breaks: u32,
}

impl Uploads {
    fn made(&self, transaction: &str, is_encrypted: bool) -> Option<Content> {
        let known = self.known();
        let of_it = |known: &&Known| known.transaction == transaction && known.is_encrypted == is_encrypted;
        known.iter().find(of_it).and_then(|known| known.source.clone())
    }

    fn keep(&self, transaction: &str, is_encrypted: bool, source: &Content) {
        self.change(transaction, |known| {
            known.is_encrypted = is_encrypted;
            known.source = Some(source.clone());
        });
    }

    /// The connection broke; true if it did so too often.
    fn broke(&self, transaction: &str) -> bool {
        self.change(transaction, |known| {
            known.breaks = known.breaks.saturating_add(1);
            known.breaks >= BREAKS
        })
    }

    fn change<T>(&self, transaction: &str, change: impl FnOnce(&mut Known) -> T) -> T {
        let mut all = self.known();
        let at = all.iter().position(|known| known.transaction == transaction);
        let mut known = at.and_then(|at| all.remove(at)).unwrap_or_else(|| Known {
            transaction: transaction.to_owned(),
            is_encrypted: false,
            source: None,
            breaks: 0,
        });
        let changed = change(&mut known);
        all.push_back(known);
        if all.len() > REMEMBERED {
            all.pop_front();
        }
        changed
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of a post, if it has one that can be sent. What cannot be sent concerns this message alone, and so must not be taken
/// for a refusal of the conversation.
pub(super) fn the_one(files: &[Attachment]) -> Result<Option<&Attachment>, DeliverError> {
    match files {
        [] => Ok(None),
        [file] if file.bytes.is_empty() => Err(DeliverError::Malformed("an empty file".to_owned())),
        [file] => Ok(Some(file)),
        _ => Err(DeliverError::Malformed("more than one file in a message".to_owned())),
    }
}

/// Uploads a file; gives where it is, and in encrypted rooms how it is decrypted.
pub(super) async fn upload(
    matrix: &Matrix,
    way: &Way<'_>,
    file: &Attachment,
    transaction: &str,
) -> Result<Content, DeliverError> {
    if let Some(source) = matrix.uploads.made(transaction, way.is_encrypted()) {
        return Ok(source);
    }
    fits(way, file.bytes.len()).await?;
    let uploaded = if way.is_encrypted() {
        sealed(way, file).await
    } else {
        open(way, file).await
    };
    match uploaded {
        Ok(source) => {
            matrix.uploads.keep(transaction, way.is_encrypted(), &source);
            Ok(source)
        }
        Err(failure) => Err(not_uploaded(matrix, transaction, failure)),
    }
}

/// A server breaks the connection while it is sent what it finds too large, so that has to be known before.
async fn fits(way: &Way<'_>, size: usize) -> Result<(), DeliverError> {
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    match way.session.client.load_or_fetch_max_upload_size().await {
        Ok(largest) if size > u64::from(largest) => Err(DeliverError::Malformed(format!(
            "a file of {size} bytes; the server takes {largest}"
        ))),
        Ok(_) => Ok(()),
        Err(error) => match Failure::from(error) {
            // old servers do not say
            Failure::Answered { .. } => Ok(()),
            failure => Err(DeliverError::Lost(failure.to_string())),
        },
    }
}

async fn open(way: &Way<'_>, file: &Attachment) -> Result<Content, Failure> {
    let url = send(way, file.bytes.to_vec(), mime(&file.mime)).await?;
    Ok(Content::from_iter([("url".to_owned(), url.into())]))
}

/// Neither the name nor the type of the file are for the server's eyes.
async fn sealed(way: &Way<'_>, file: &Attachment) -> Result<Content, Failure> {
    let failed = |error: &dyn std::error::Error| Failure::NotSent(error.to_string());
    let mut plain = Cursor::new(&file.bytes);
    let mut encryptor = AttachmentEncryptor::new(&mut plain);
    let mut bytes = Vec::with_capacity(file.bytes.len());
    encryptor.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    let keys = serde_json::to_value(encryptor.finish()).map_err(|error| failed(&error))?;
    let Value::Object(mut source) = keys else {
        return Err(Failure::NotSent("the keys of the file are no object".to_owned()));
    };
    source.insert("url".to_owned(), send(way, bytes, ANY).await?.into());
    Ok(Content::from_iter([("file".to_owned(), source.into())]))
}

async fn send(way: &Way<'_>, bytes: Vec<u8>, mime: &str) -> Result<String, Failure> {
    let mut request = create_content::v3::Request::new(bytes);
    request.content_type = Some(mime.to_owned());
    let once = RequestConfig::new().disable_retry().timeout(DEADLINE);
    let uploaded = way.session.client.send(request).with_request_config(once).await?;
    Ok(uploaded.content_uri.to_string())
}

/// Nobody has seen anything of a file that was not uploaded.
fn not_uploaded(matrix: &Matrix, transaction: &str, failure: Failure) -> DeliverError {
    let is_broken = matches!(failure, Failure::Unknown(_));
    if is_broken && matrix.uploads.broke(transaction) {
        return DeliverError::Malformed("the connection breaks each time the file is uploaded".to_owned());
    }
    match told(failure) {
        DeliverError::Unsure(why) => DeliverError::Lost(why),
        // the file is refused, not the conversation
        DeliverError::Refused(why) | DeliverError::Gone(why) => DeliverError::Malformed(why),
        error => error,
    }
}

/// The type as it may stand in a header.
fn mime(mime: &str) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if mime.contains('/') && mime.bytes().all(is_plain) {
        mime
    } else {
        ANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_is_used_again_in_its_own_kind_of_room() {
        let uploads = Uploads::default();
        let source = Content::from_iter([("url".to_owned(), "mxc://h/x".into())]);
        uploads.keep("t", false, &source);
        assert_eq!(uploads.made("t", false), Some(source.clone()));
        assert_eq!(uploads.made("t", true), None);
        for nth in 0..REMEMBERED {
            uploads.keep(&nth.to_string(), true, &source);
        }
        assert_eq!(uploads.made("t", false), None);
        assert_eq!(uploads.known().len(), REMEMBERED);
    }

    #[test]
    fn an_upload_that_always_breaks_ends() {
        let uploads = Uploads::default();
        let broke: Vec<bool> = (0..BREAKS).map(|_| uploads.broke("t")).collect();
        assert_eq!(broke.iter().filter(|is_enough| **is_enough).count(), 1);
        assert!(!uploads.broke("u"));
    }

    #[test]
    fn one_file_that_is_not_empty_goes() {
        let files = |sizes: &[usize]| -> Vec<Attachment> {
            let file = |size: &usize| Attachment {
                name: "a".to_owned(),
                mime: "x/y".to_owned(),
                bytes: vec![1; *size].into(),
            };
            sizes.iter().map(file).collect()
        };
        assert_eq!(the_one(&[]), Ok(None));
        assert!(matches!(the_one(&files(&[3])), Ok(Some(_))));
        for sizes in [&[0][..], &[1, 1]] {
            let files = files(sizes);
            assert!(matches!(the_one(&files), Err(DeliverError::Malformed(_))), "{sizes:?}");
        }
    }

    #[test]
    fn a_type_stays_within_its_header() {
        assert_eq!(mime("image/png"), "image/png");
        for odd in ["", "png", "a/b\r\nX: y", "ä/b"] {
            assert_eq!(mime(odd), ANY, "{odd:?}");
        }
    }
}
