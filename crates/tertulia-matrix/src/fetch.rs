//! Fetches files that people sent.

use tertulia_interface::FetchError;
use tertulia_message::FileRef;

use crate::matrix::Matrix;

/// A file by the handle that [`inbound`](crate::inbound) gave it; nothing larger than what is configured, whatever its size was
/// said to be.
pub(crate) async fn fetch(_matrix: &Matrix, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
    Err(FetchError::Failed("not yet".to_owned()))
}
