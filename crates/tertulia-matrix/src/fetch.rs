//! Fetches files that people sent.

use std::io::{Cursor, Read as _};
use std::time::Duration;

use matrix_sdk::ruma::api::Metadata as _;
use matrix_sdk::ruma::api::client::authenticated_media::get_content;
use matrix_sdk::{Client, reqwest};
use matrix_sdk_crypto::{AttachmentDecryptor, MediaEncryptionInfo};
use percent_encoding::utf8_percent_encode;
use serde_json::Value;
use tertulia_interface::FetchError;
use tertulia_message::FileRef;

use crate::call::Failure;
use crate::ids;
use crate::matrix::Matrix;

/// How long one download may take.
const DEADLINE: Duration = Duration::from_mins(2);
/// Longer answers that are no file are not read, in bytes.
const LONGEST_REFUSAL: usize = 1 << 16;

/// Where a file is, and how it is decrypted.
struct Source {
    server: String,
    media: String,
    keys: Option<MediaEncryptionInfo>,
}

/// A file by the handle that [`inbound`](crate::inbound) gave it; nothing larger than what is configured, whatever its size was
/// said to be.
pub(crate) async fn fetch(matrix: &Matrix, file: &FileRef) -> Result<Vec<u8>, FetchError> {
    let largest = matrix.config.largest_file;
    within(file.size, largest)?;
    let source = source(&file.handle).ok_or(FetchError::Gone)?;
    let session = matrix.session.get();
    let session = session.ok_or_else(|| FetchError::Failed("not logged in yet".to_owned()))?;
    let bytes = download(&session.client, &source, largest).await?;
    match source.keys {
        Some(keys) => decrypted(bytes, keys),
        None => Ok(bytes),
    }
}

fn source(handle: &str) -> Option<Source> {
    let handle: Value = serde_json::from_str(handle).ok()?;
    let file = handle.get("file");
    let url = file.unwrap_or(&handle).get("url")?.as_str()?;
    let (server, media) = url
        .strip_prefix("mxc://")
        .filter(|_| ids::is_mxc(url))?
        .split_once('/')?;
    let keys = match file {
        Some(file) => Some(serde_json::from_value(file.clone()).ok()?),
        None => None,
    };
    Some(Source {
        server: server.to_owned(),
        media: media.to_owned(),
        keys,
    })
}

/// The library itself would take a file of any size.
async fn download(client: &Client, source: &Source, largest: u64) -> Result<Vec<u8>, FetchError> {
    let versions = client.supported_versions().await;
    let versions = versions.map_err(|error| FetchError::Failed(Failure::from(error).to_string()))?;
    let is_new = get_content::v1::Request::PATH_BUILDER.is_supported(&versions);
    let way = if is_new {
        "_matrix/client/v1/media/download"
    } else {
        "_matrix/media/v3/download"
    };
    let [server, media] = [&source.server, &source.media].map(|id| utf8_percent_encode(id, ids::ESCAPED));
    let base = client.homeserver();
    let address = format!("{}/{way}/{server}/{media}", base.as_str().trim_end_matches('/'));
    let mut request = client.http_client().get(address).timeout(DEADLINE);
    // what old servers give to everybody is not asked for with a token
    if let Some(token) = client.access_token().filter(|_| is_new) {
        request = request.bearer_auth(token);
    }
    let response = request.send().await.map_err(|_| broken())?;
    if !response.status().is_success() {
        return Err(refused(response).await);
    }
    within(response.content_length(), largest)?;
    body(response, largest).await
}

async fn body(mut response: reqwest::Response, largest: u64) -> Result<Vec<u8>, FetchError> {
    let mut bytes = Vec::new();
    // the error's own words hold the address
    while let Some(chunk) = response.chunk().await.map_err(|_| broken())? {
        let size = bytes.len().saturating_add(chunk.len());
        within(u64::try_from(size).ok(), largest)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn refused(mut response: reqwest::Response) -> FetchError {
    let status = response.status().as_u16();
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > LONGEST_REFUSAL {
            break;
        }
    }
    failure(status, &text)
}

/// Only the server's own words may say that a file is no more.
fn failure(status: u16, body: &[u8]) -> FetchError {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = body.get("errcode").and_then(Value::as_str).unwrap_or_default();
    match (status, code) {
        (_, "M_TOO_LARGE") => FetchError::TooLarge,
        (404, "M_NOT_FOUND") | (410, _) => FetchError::Gone,
        _ => FetchError::Failed(format!("{status} {}", code.chars().take(60).collect::<String>())),
    }
}

/// Decrypts; the hash says whether it is what was sent.
fn decrypted(bytes: Vec<u8>, keys: MediaEncryptionInfo) -> Result<Vec<u8>, FetchError> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut sealed = Cursor::new(bytes);
    let mut decryptor = AttachmentDecryptor::new(&mut sealed, keys).map_err(|_| FetchError::Gone)?;
    let read = decryptor.read_to_end(&mut plain);
    read.map_err(|_| FetchError::Failed("it is not what was sent: its hash is another".to_owned()))?;
    Ok(plain)
}

fn broken() -> FetchError {
    FetchError::Failed("the connection broke".to_owned())
}

fn within(size: Option<u64>, largest: u64) -> Result<(), FetchError> {
    match size {
        Some(size) if size > largest => Err(FetchError::TooLarge),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use matrix_sdk_crypto::AttachmentEncryptor;
    use serde_json::json;

    use super::*;

    #[test]
    fn handles_say_where_the_file_is() {
        let plain = source(r#"{"url":"mxc://host.org:8448/AbC"}"#).unwrap();
        assert_eq!((plain.server.as_str(), plain.media.as_str()), ("host.org:8448", "AbC"));
        assert!(plain.keys.is_none());
        for odd in [
            "",
            "{}",
            r#"{"url":"https://host/x"}"#,
            r#"{"url":"mxc://host/../x"}"#,
            r#"{"file":{"url":"mxc://host/x"}}"#,
            r#"{"file":{"url":"mxc://host/x","v":"v2","key":{},"iv":"","hashes":{}}}"#,
        ] {
            assert!(source(odd).is_none(), "{odd}");
        }
    }

    #[test]
    fn what_was_encrypted_is_decrypted_if_it_is_the_same() {
        let said = b"a picture".to_vec();
        let mut plain = Cursor::new(said.clone());
        let mut encryptor = AttachmentEncryptor::new(&mut plain);
        let mut sealed = Vec::new();
        encryptor.read_to_end(&mut sealed).unwrap();
        let mut file = serde_json::to_value(encryptor.finish()).unwrap();
        file["url"] = "mxc://host/x".into();
        let keys = || source(&json!({ "file": file }).to_string()).unwrap().keys.unwrap();
        assert_eq!(decrypted(sealed.clone(), keys()).unwrap(), said);
        sealed[3] ^= 1;
        assert!(matches!(decrypted(sealed, keys()), Err(FetchError::Failed(_))));
    }

    #[test]
    fn refusals_say_whether_a_new_try_helps() {
        assert!(matches!(
            failure(404, br#"{"errcode":"M_NOT_FOUND"}"#),
            FetchError::Gone
        ));
        assert!(matches!(
            failure(413, br#"{"errcode":"M_TOO_LARGE"}"#),
            FetchError::TooLarge
        ));
        assert!(matches!(failure(404, b"<html>"), FetchError::Failed(_)));
        assert!(matches!(
            failure(504, br#"{"errcode":"M_NOT_YET_UPLOADED"}"#),
            FetchError::Failed(_)
        ));
    }

    #[test]
    fn nothing_larger_is_taken() {
        assert!(matches!(within(Some(11), 10), Err(FetchError::TooLarge)));
        assert!(within(Some(10), 10).is_ok() && within(None, 10).is_ok());
    }
}
