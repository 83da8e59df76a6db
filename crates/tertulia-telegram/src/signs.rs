//! Fleeting signs: typing, drafts, answers to presses.

use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;

use crate::telegram::Telegram;

/// What is being shown at the moment.
#[derive(Debug, Default)]
pub(crate) struct Signs {}

/// Shows a sign; what cannot be shown is dropped.
pub(crate) async fn show(_telegram: &Telegram, _path: &InterfacePath, _re: &str, _signal: Signal) {}
