//! Signs: typing, receipts, reactions. Never stored, never retried.

use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;

use crate::matrix::Matrix;

/// What is being shown at the moment.
#[derive(Debug, Default)]
pub(crate) struct Signs {}

/// Shows a sign; returns at once.
pub(crate) fn show(_matrix: &Matrix, _path: &InterfacePath, _re: &str, _signal: Signal) {}

/// Shows that the message with this id was taken: by a receipt, and by a reaction where that is configured. To be called for
/// every event that the daemon has accepted; returns at once.
pub(crate) fn accepted(matrix: &Matrix, path: &InterfacePath, id: &str) {
    show(matrix, path, id, Signal::Seen);
}
