//! The long poll.

use tertulia_interface::{Inlet, ListenError};

use crate::telegram::Telegram;

pub(crate) async fn listen(_telegram: &Telegram, _inlet: &Inlet) -> ListenError {
    ListenError::Broken("nothing is listened to yet".to_owned())
}
