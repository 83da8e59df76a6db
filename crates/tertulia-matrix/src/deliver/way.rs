//! The way to a room: whether it can be gone, and the only call of this crate that sends a message on it.

use matrix_sdk::Room;
use matrix_sdk::ruma::OwnedTransactionId;
use serde_json::Value;
use tertulia_message::DeliverError;

use crate::call::Failure;
use crate::content::Content;
use crate::matrix::Matrix;
use crate::place::Place;
use crate::rooms::Sending;
use crate::session::Session;

/// A room that the bot is in, and in which it is known whether everything is encrypted.
#[derive(Debug)]
pub(crate) struct Way<'a> {
    matrix: &'a Matrix,
    pub(crate) session: &'a Session,
    pub(crate) room: Room,
    sending: Sending,
}

impl<'a> Way<'a> {
    /// The way to a place.
    ///
    /// # Errors
    /// There is none, or none at the moment: what a delivery there comes to.
    pub(crate) async fn open(matrix: &'a Matrix, place: &Place) -> Result<Self, DeliverError> {
        let session = matrix.session.get();
        let session = session.ok_or_else(|| DeliverError::Lost("not logged in yet".to_owned()))?;
        let how = (matrix.name.as_str(), matrix.config.encryption);
        let (room, sending) = matrix.rooms.way(&session.client, how, place).await?;
        Ok(Self {
            matrix,
            session,
            room,
            sending,
        })
    }

    /// True if everything in the room is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.sending != Sending::Plain
    }

    /// Sends a message, encrypted where the room is; gives its id. Since an upload takes its time, it is looked at once more
    /// whether the room still is what it was.
    ///
    /// # Errors
    /// See [`Failure`]. What failed before the message itself was sent, such as the sharing of a key, ends as any other call.
    pub(super) async fn message(&self, content: Content, transaction: &str) -> Result<String, Failure> {
        let sending = self
            .matrix
            .rooms
            .sending(self.matrix.config.encryption, &self.room)
            .await;
        if sending != self.sending {
            return Err(Failure::NotSent("the room's encryption has changed".to_owned()));
        }
        let sent = self
            .room
            .send_raw("m.room.message", Value::from(content))
            .with_transaction_id(&OwnedTransactionId::from(transaction))
            .await;
        Ok(sent?.response.event_id.to_string())
    }
}
