//! New messages: a text, or a file.

use tertulia_message::{DeliverError, Outbound, Post};

use super::outcome::told;
use super::upload::{self, the_one};
use super::way::Way;
use super::{edit, picture, thread};
use crate::content::{self, Content};
use crate::find::{self, Looked};
use crate::matrix::Matrix;
use crate::place::Place;
use crate::relation::Relation;
use crate::render::render;
use crate::transaction::{self, Piece};

/// How often a message is sent with another relation.
const RELATIONS: usize = 3;

pub(super) async fn post(
    matrix: &Matrix,
    way: &Way<'_>,
    place: &Place,
    outbound: &Outbound,
    post: &Post,
) -> Result<String, DeliverError> {
    let file = the_one(&outbound.files)?;
    let piece = file.map_or(Piece::Text, |_| Piece::File(0));
    let transaction = transaction::id(&outbound.key, piece);
    let re = outbound.re.as_ref().map(|re| re.id.as_str());
    if let Some(id) = sent_before(matrix, way, place, outbound, post, &transaction).await? {
        return Ok(id);
    }
    let source = match file {
        Some(file) => Some(upload::upload(matrix, way, file, &transaction).await?),
        None => None,
    };
    let mut relation = Relation::of_answer(place, re, post.quote);
    for _ in 0..RELATIONS {
        let content = match (file, &source) {
            (Some(file), Some(source)) => {
                let size = picture::size(&file.mime, &file.bytes);
                let what = content::File {
                    name: &file.name,
                    mime: &file.mime,
                    size: file.bytes.len(),
                    picture: size,
                };
                content::file(&what, caption(post), source, &relation, &transaction)
            }
            _ => content::message(&render(&post.markup), &relation, &transaction),
        };
        match way.message(content, &transaction).await {
            Ok(id) => return Ok(id),
            Err(failure) if failure.is_relation() => {
                tracing::debug!(room = place.room(), %failure, "sent again with another relation");
                relation = thread::instead(way, relation).await?;
            }
            Err(failure) => return Err(told(failure)),
        }
    }
    Err(DeliverError::Refused("its thread leads nowhere".to_owned()))
}

/// What a file is said to be, if anything.
fn caption(post: &Post) -> Option<Content> {
    let is_said = !post.markup.is_blank();
    is_said.then(|| content::caption(&render(&post.markup)))
}

/// The id of what a process before has sent already, brought to what it is to say. The server itself knows the transaction for a
/// day at most, and some servers only until they are started anew.
async fn sent_before(
    matrix: &Matrix,
    way: &Way<'_>,
    place: &Place,
    outbound: &Outbound,
    post: &Post,
    transaction: &str,
) -> Result<Option<String>, DeliverError> {
    let re = outbound.re.as_ref().map(|re| re.id.as_str());
    if re.is_some_and(|re| matrix.heard.is_recent(re)) {
        return Ok(None);
    }
    let Looked::Found(sent) = find::look(way, place, re, transaction).await.map_err(told)? else {
        return Ok(None);
    };
    tracing::info!(room = place.room(), "a message was there already");
    if post.files.is_empty() && sent.body != render(&post.markup).body {
        edit(way, &sent.id, post, &format!("{}.found", outbound.key)).await?;
    }
    Ok(Some(sent.id))
}
