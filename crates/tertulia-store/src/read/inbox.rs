//! Rows of the inbox.

use rusqlite::{Connection, Params, Row};
use tertulia_core::record::{ConversationId, InboxId, InboxRow};
use tertulia_message::{Account, Secret};

use super::{TOKEN_LIFE_MS, conversation};
use crate::fault::Fault;
use crate::media::Media;
use crate::rows::{body, words};

/// What every query for rows begins with; `row` reads its columns.
pub(super) const ROWS: &str =
    "SELECT i.id, a.interface, a.identity, i.conversation, c.path, i.ext_id, i.person, i.kind, i.body,
    i.join_key, i.reply_token, i.accepted_at
    FROM inbox i JOIN account a ON a.id=i.account JOIN conversation c ON c.id=i.conversation";

/// What is needed to read a row besides the row.
pub(super) struct Context<'a> {
    pub(super) media: &'a Media,
    pub(super) now: i64,
}

pub(super) fn rows(
    db: &Connection,
    which: &str,
    params: impl Params,
    context: &Context<'_>,
) -> Result<Vec<InboxRow>, Fault> {
    let mut statement = db.prepare_cached(&format!("{ROWS} {which}"))?;
    let mut found = statement.query(params)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(read(row, context)?);
    }
    Ok(rows)
}

pub(super) fn read(row: &Row<'_>, context: &Context<'_>) -> Result<InboxRow, Fault> {
    let accepted_at = row.get(11)?;
    Ok(InboxRow {
        id: InboxId(row.get(0)?),
        account: Account {
            interface: row.get(1)?,
            identity: row.get(2)?,
        },
        conversation: ConversationId(row.get(3)?),
        path: conversation::path(row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?)?,
        ext_id: row.get(5)?,
        person: words::person(row.get_ref(6)?.as_str().map_err(rusqlite::Error::from)?),
        body: body::read(&row.get::<_, String>(7)?, &row.get::<_, String>(8)?, context.media)?,
        join: row.get(9)?,
        token: token(row.get(10)?, accepted_at, context.now),
        accepted_at,
    })
}

/// A token, unless it is too old to be of use.
pub(super) fn token(text: Option<String>, accepted_at: i64, now: i64) -> Option<Secret> {
    text.filter(|_| now.saturating_sub(accepted_at) < TOKEN_LIFE_MS)
        .map(Secret::new)
}
