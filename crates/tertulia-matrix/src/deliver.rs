//! Posts, edits and deletes, and what their failures mean.
//!
//! One act each, never tried again. Where the server does not take what a message relates to, it is sent with another relation
//! in the same call: what was refused was surely not done.

mod outcome;
mod picture;
mod post;
mod thread;
mod upload;
mod way;

use std::time::Duration;

use matrix_sdk::ruma::{OwnedEventId, OwnedTransactionId};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, Receipt, ReplyRef};
use tokio::time::timeout;

use crate::call::Failure;
use crate::content;
use crate::ids;
use crate::matrix::Matrix;
use crate::place::Place;
use crate::render::render;
use crate::transaction::{self, Piece};
use outcome::told;
pub(crate) use upload::Uploads;
pub(crate) use way::Way;

/// How long one act may take, with the upload of its file: less than what the daemon waits.
const DEADLINE: Duration = Duration::from_secs(80);

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
    matrix.paces.admit()?;
    let done = timeout(DEADLINE, act(matrix, &place, outbound)).await;
    let done = done.unwrap_or_else(|_| Err(DeliverError::Unsure("no end in time".to_owned())));
    matrix.paces.learn(&outbound.act, &done);
    if matches!(done, Err(DeliverError::Moved(_) | DeliverError::Gone(_))) {
        // nobody says that the bot is idle there any more
        matrix.signs.end(&place);
    }
    done.map(|id| Receipt { id })
}

async fn act(matrix: &Matrix, place: &Place, outbound: &Outbound) -> Result<String, DeliverError> {
    let way = Way::open(matrix, place).await?;
    match &outbound.act {
        Act::Post(post) => {
            let posted = post::post(matrix, &way, place, outbound, post).await?;
            matrix.rooms.said(place);
            Ok(posted)
        }
        // a file cannot be changed, and its message says nothing else
        Act::Edit { id, post } if !post.files.is_empty() => Ok(id.clone()),
        Act::Edit { id, post } => edit(&way, id, post, &outbound.key).await.map(|()| id.clone()),
        Act::Delete { id } => delete(&way, id, &outbound.key).await.map(|()| id.clone()),
    }
}

/// The new content stands in the same thread, and still replies to what it did.
async fn edit(way: &Way<'_>, id: &str, post: &Post, key: &str) -> Result<(), DeliverError> {
    let missing = || DeliverError::Missing("the room has no such message".to_owned());
    if !ids::is_event(id) {
        return Err(missing());
    }
    let transaction = transaction::id(key, Piece::Text);
    let content = content::edit(&render(&post.markup), id, &transaction);
    match way.message(content, &transaction).await {
        Ok(_) => Ok(()),
        Err(failure) if failure.is_relation() => Err(missing()),
        Err(failure) => Err(told(failure)),
    }
}

/// What is not there is deleted.
async fn delete(way: &Way<'_>, id: &str, key: &str) -> Result<(), DeliverError> {
    let Some(event) = ids::is_event(id).then(|| OwnedEventId::try_from(id).ok()).flatten() else {
        return Ok(());
    };
    let transaction = OwnedTransactionId::from(transaction::id(key, Piece::Text));
    match way
        .room
        .redact(&event, None, Some(transaction))
        .await
        .map_err(Failure::from)
    {
        Ok(_) => Ok(()),
        Err(failure) if failure.is_status(404) => Ok(()),
        Err(failure) => Err(told(failure)),
    }
}
