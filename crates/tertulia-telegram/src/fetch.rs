//! Fetches files that people sent.

use tertulia_interface::FetchError;
use tertulia_message::FileRef;

use crate::telegram::Telegram;

pub(crate) async fn fetch(_telegram: &Telegram, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
    Err(FetchError::Gone)
}
