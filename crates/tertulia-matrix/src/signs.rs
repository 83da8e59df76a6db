//! Signs: typing, receipts, reactions. Never stored, never retried.

use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;

use crate::matrix::Matrix;

/// What is being shown at the moment.
#[derive(Debug, Default)]
pub(crate) struct Signs {}

/// Shows a sign; returns at once.
pub(crate) fn show(_matrix: &Matrix, _path: &InterfacePath, _re: &str, _signal: Signal) {}
