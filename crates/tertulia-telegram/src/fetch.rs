//! Fetches files that people sent.

use reqwest::Response;
use teloxide::payloads::GetFile;
use teloxide::types::FileId;
use tertulia_interface::FetchError;
use tertulia_message::FileRef;

use crate::error::CallError;
use crate::telegram::Telegram;
use crate::wire;

/// A file by the handle that [`inbound`](crate::inbound) gave it; nothing larger than what is configured, whatever its size was
/// said to be.
pub(crate) async fn fetch(telegram: &Telegram, file: &FileRef) -> Result<Vec<u8>, FetchError> {
    let largest = telegram.config.largest_file;
    within(file.size, largest)?;
    let known: Result<wire::File, CallError> = telegram.api.call(&GetFile::new(FileId(file.handle.clone()))).await;
    let known = known.map_err(failure)?;
    within(known.file_size, largest)?;
    match known.file_path.as_str() {
        "" => return Err(FetchError::Gone),
        path if path.starts_with('/') => {
            let why = "the server keeps files on its own disk: start it without --local";
            return Err(FetchError::Failed(why.to_owned()));
        }
        _ => {}
    }
    let response = telegram.api.download(&known.file_path).await.map_err(failure)?;
    body(response, largest).await
}

async fn body(mut response: Response, largest: u64) -> Result<Vec<u8>, FetchError> {
    within(response.content_length(), largest)?;
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(bytes),
            // the error's own words hold the address
            Err(_) => return Err(FetchError::Failed("the connection broke".to_owned())),
        }
        within(u64::try_from(bytes.len()).ok(), largest)?;
    }
}

fn within(size: Option<u64>, largest: u64) -> Result<(), FetchError> {
    match size {
        Some(size) if size > largest => Err(FetchError::TooLarge),
        _ => Ok(()),
    }
}

fn failure(error: CallError) -> FetchError {
    match error {
        CallError::Refused { description, .. } if description.contains("file is too big") => FetchError::TooLarge,
        CallError::Refused { description, .. } if description.contains("temporarily") => {
            FetchError::Failed(description)
        }
        CallError::Refused { code: 400 | 404, .. } => FetchError::Gone,
        error => FetchError::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_whether_a_new_try_helps() {
        let of = |code, description: &str| {
            failure(CallError::Refused {
                code,
                description: description.to_owned(),
            })
        };
        assert!(matches!(of(400, "Bad Request: file is too big"), FetchError::TooLarge));
        assert!(matches!(
            of(400, "Bad Request: wrong file_id or the file is temporarily unavailable"),
            FetchError::Failed(_)
        ));
        assert!(matches!(of(400, "Bad Request: invalid file_id"), FetchError::Gone));
        assert!(matches!(of(404, ""), FetchError::Gone));
        assert!(matches!(of(401, "Unauthorized"), FetchError::Failed(_)));
        assert!(matches!(failure(CallError::Unknown("x".into())), FetchError::Failed(_)));
    }

    #[test]
    fn nothing_larger_is_taken() {
        assert!(matches!(within(Some(11), 10), Err(FetchError::TooLarge)));
        assert!(within(Some(10), 10).is_ok() && within(None, 10).is_ok());
    }
}
