//! One turn: the one that may be answered again, or the one that a button is about.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::{ConversationId, InboxId};
use tertulia_ports::{TurnQuery, TurnRows};

use super::inbox::{self, Context};
use crate::fault::Fault;
use crate::media::Media;

/// What is forgotten has no rows any more.
pub(super) const LAST: &str = "SELECT t.id, t.trigger FROM turn t
    WHERE t.conversation=?1 AND t.epoch=(SELECT epoch FROM conversation WHERE id=?1) AND t.trigger<?2
    AND t.state='settled' AND t.outcome<>'superseded'
    AND EXISTS(SELECT 1 FROM inbox i WHERE i.id=t.trigger AND i.turn=t.id)
    ORDER BY t.trigger DESC LIMIT 1";

/// Its rows: the trigger is the oldest, and only few are newer than those of the last turn. Repeats the WHERE of the index
/// `inbox_past`: rows of a settled turn are done.
pub(super) const ROWS: &str =
    "WHERE i.conversation=?1 AND i.state IN('done','dropped') AND i.id>=?2 AND i.turn=?3 ORDER BY i.id";

/// The row of a number, if it has triggered a turn.
pub(super) const TRIGGER: &str = "JOIN turn t ON t.trigger=i.id AND t.id=i.turn WHERE i.id=?1";

pub(crate) fn turn(db: &Connection, query: TurnQuery, media: &Media, now: i64) -> Result<Option<TurnRows>, Fault> {
    let context = Context { media, now };
    match query {
        TurnQuery::Last(conversation, before) => last(db, conversation, before, &context),
        TurnQuery::Of(trigger) => {
            let rows = inbox::rows(db, TRIGGER, [trigger.0], &context)?;
            Ok((!rows.is_empty()).then_some(TurnRows { trigger, rows }))
        }
    }
}

fn last(
    db: &Connection,
    conversation: ConversationId,
    before: InboxId,
    context: &Context<'_>,
) -> Result<Option<TurnRows>, Fault> {
    let mut statement = db.prepare_cached(LAST)?;
    let found = statement
        .query_row((conversation.0, before.0), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((turn, trigger)): Option<(i64, i64)> = found else {
        return Ok(None);
    };
    Ok(Some(TurnRows {
        trigger: InboxId(trigger),
        rows: inbox::rows(db, ROWS, (conversation.0, trigger, turn), context)?,
    }))
}
