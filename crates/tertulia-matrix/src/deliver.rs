//! Posts, edits and deletes, and what their failures mean.

use matrix_sdk::ruma::{OwnedTransactionId, RoomId};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, Receipt, ReplyRef};

use crate::call::Failure;
use crate::content;
use crate::matrix::Matrix;
use crate::refusal::Refusal;
use crate::relation::Relation;
use crate::render::render;
use crate::transaction::{self, Piece};

/// Says something that the daemon does not say: a hint, a refusal. It goes the way of every message, and the same `key` is said
/// once within a day; `re` is the event that it answers, if any.
///
/// # Errors
/// As of [`deliver`]; nothing is tried again here.
pub(crate) async fn say(
    matrix: &Matrix,
    path: &InterfacePath,
    re: Option<&str>,
    text: &str,
    key: &str,
) -> Result<Receipt, DeliverError> {
    let post = Post {
        quote: re.is_some(),
        ..Post::of(Markup::text(text))
    };
    let outbound = Outbound {
        path: path.clone(),
        key: key.to_owned(),
        re: re.map(|id| ReplyRef {
            id: id.to_owned(),
            token: None,
        }),
        act: Act::Post(post),
        files: Vec::new(),
    };
    deliver(matrix, &outbound).await
}

/// Posts, edits or deletes; an error says what became of it.
pub(crate) async fn deliver(matrix: &Matrix, outbound: &Outbound) -> Result<Receipt, DeliverError> {
    let place = matrix
        .place(&outbound.path)
        .ok_or_else(|| DeliverError::Malformed("not a place of this interface".to_owned()))?;
    let session = matrix
        .session
        .get()
        .ok_or_else(|| DeliverError::Lost("not logged in yet".to_owned()))?;
    let room = RoomId::parse(place.room())
        .ok()
        .and_then(|id| session.client.get_room(&id))
        .ok_or_else(|| DeliverError::Gone("the room is not known".to_owned()))?;
    let transaction = transaction::id(&outbound.key, Piece::Text);
    let content = match &outbound.act {
        Act::Post(post) => {
            let re = outbound.re.as_ref().map(|re| re.id.as_str());
            let relation = Relation::of_answer(&place, re, post.quote);
            content::message(&render(&post.markup), &relation, &transaction)
        }
        Act::Edit { id, post } => content::edit(&render(&post.markup), id, &transaction),
        Act::Delete { .. } => return Err(DeliverError::Malformed("not yet".to_owned())),
    };
    let sent = room
        .send_raw("m.room.message", serde_json::Value::from(content))
        .with_transaction_id(&OwnedTransactionId::from(transaction))
        .await;
    match sent {
        Ok(sent) => Ok(Receipt {
            id: match &outbound.act {
                Act::Edit { id, .. } => id.clone(),
                _ => sent.response.event_id.to_string(),
            },
        }),
        Err(error) => Err(match Failure::from(error) {
            Failure::Answered { refusal, words, .. } => match *refusal {
                Refusal::Failed(error) => error,
                _ => DeliverError::Refused(words),
            },
            Failure::NotSent(why) => DeliverError::Lost(why),
            Failure::Unknown(why) => DeliverError::Unsure(why),
        }),
    }
}
