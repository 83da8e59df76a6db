//! Transaction A: events and marks.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::authorize::{Admission, NewRow};
use tertulia_core::record::{ConversationId, InboxId, RowBody};
use tertulia_core::transaction::{AcceptTx, Accepted};
use tertulia_message::{Account, Mark, PersonId};

use crate::fault::Fault;
use crate::rows::body::{self, MessageRow};
use crate::rows::json;

/// How many rows of a conversation wait or are being answered: its commands, or all that is none. Repeats the WHERE of
/// the index `inbox_open`.
pub(crate) const OPEN: &str = "SELECT count(*) FROM inbox
    WHERE conversation=?1 AND state IN('sealed','new','taken') AND state<>'sealed' AND (kind='command')=?2";

const INSERT: &str = "INSERT INTO inbox(account, ext_id, conversation, person, kind, body, join_key, reply_token,
    sent_at, accepted_at, state, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

/// A full queue is rare and its rows are among the newest ones: walking back from the end finds one soon.
const BEFORE: &str = "SELECT why FROM inbox WHERE conversation=?1 AND (kind='command')=?2 ORDER BY id DESC LIMIT 1";

/// A row that an event speaks of.
struct Meant {
    id: i64,
    conversation: i64,
    person: String,
    kind: String,
    body: String,
    state: String,
    turn: Option<i64>,
}

pub(super) fn accept(db: &Connection, tx: AcceptTx) -> Result<Vec<Accepted>, Fault> {
    let account = account(db, &tx.account)?;
    for mark in tx.marks {
        set_mark(db, account, &mark)?;
    }
    let events = tx.events.into_iter();
    let answers = events.map(|event| match event.into_admission() {
        Admission::Row(row) => accept_row(db, account, *row, tx.now, tx.queue_bound),
        Admission::Amend { of, by, text } => amend(db, account, &of, &by, text),
        Admission::Withdraw { of } => withdraw(db, account, &of),
    });
    answers.collect()
}

pub(super) fn account(db: &Connection, account: &Account) -> Result<i64, Fault> {
    let key = (&account.interface, &account.identity);
    let mut statement = db.prepare_cached("SELECT id FROM account WHERE interface=?1 AND identity=?2")?;
    if let Some(id) = statement.query_row(key, |row| row.get(0)).optional()? {
        return Ok(id);
    }
    db.prepare_cached("INSERT INTO account(interface, identity) VALUES (?1, ?2)")?
        .execute(key)?;
    Ok(db.last_insert_rowid())
}

fn set_mark(db: &Connection, account: i64, mark: &Mark) -> Result<(), Fault> {
    match &mark.value {
        Some(value) => {
            let sql = "INSERT INTO mark(account, key, value) VALUES (?1, ?2, ?3)
                ON CONFLICT(account, key) DO UPDATE SET value=excluded.value";
            db.prepare_cached(sql)?.execute((account, &mark.key, value))?;
        }
        None => {
            db.prepare_cached("DELETE FROM mark WHERE account=?1 AND key=?2")?
                .execute((account, &mark.key))?;
        }
    }
    Ok(())
}

fn accept_row(db: &Connection, account: i64, new: NewRow, now: i64, bound: u32) -> Result<Accepted, Fault> {
    let mut duplicate = db.prepare_cached("SELECT 1 FROM inbox WHERE account=?1 AND ext_id=?2")?;
    if duplicate.exists((account, &new.ext_id))? {
        return Ok(Accepted::Duplicate);
    }
    let conversation = super::conversation::at(db, &new.path)?;
    unblock(db, conversation)?;
    let queue = (conversation, matches!(new.body, RowBody::Command { .. }));
    let open: u32 = db.prepare_cached(OPEN)?.query_row(queue, |row| row.get(0))?;
    let flood = open >= bound;
    let first = flood && !follows_flood(db, queue)?;
    let (state, why) = if flood {
        ("dropped", Some("flood"))
    } else {
        ("new", None)
    };
    let person = new.person.to_string();
    let kind = body::kind(&new.body);
    let token = new.token.as_ref().map(tertulia_message::Secret::expose);
    let body = body::write(new.body)?;
    db.prepare_cached(INSERT)?.execute((
        account,
        new.ext_id,
        conversation,
        person,
        kind,
        body,
        new.join,
        token,
        new.sent_at,
        now,
        state,
        why,
    ))?;
    let row = InboxId(db.last_insert_rowid());
    let conversation = ConversationId(conversation);
    Ok(if flood {
        Accepted::Flood {
            first,
            row,
            conversation,
        }
    } else {
        Accepted::New(row, conversation)
    })
}

/// True if the row before was dropped as flood; a queue is a conversation's commands, or all that is none.
fn follows_flood(db: &Connection, queue: (i64, bool)) -> Result<bool, Fault> {
    let before: Option<Option<String>> = db
        .prepare_cached(BEFORE)?
        .query_row(queue, |row| row.get(0))
        .optional()?;
    Ok(before.flatten().as_deref() == Some("flood"))
}

fn unblock(db: &Connection, conversation: i64) -> Result<(), Fault> {
    let sql = "UPDATE conversation SET blocked=NULL WHERE id=?1 AND blocked IS NOT NULL";
    db.prepare_cached(sql)?.execute([conversation])?;
    Ok(())
}

fn amend(db: &Connection, account: i64, of: &str, by: &PersonId, text: String) -> Result<Accepted, Fault> {
    if let Some(row) = meant(db, account, of)? {
        unblock(db, row.conversation)?;
        if row.state == "new" && row.kind == "message" && row.person == by.to_string() {
            let mut body: MessageRow = serde_json::from_str(&row.body)?;
            body.text = text;
            db.prepare_cached("UPDATE inbox SET body=?2 WHERE id=?1")?
                .execute((row.id, json(&body)?))?;
        }
    }
    Ok(Accepted::Amended)
}

fn withdraw(db: &Connection, account: i64, of: &str) -> Result<Accepted, Fault> {
    if let Some(row) = meant(db, account, of)? {
        unblock(db, row.conversation)?;
        match (row.state.as_str(), row.turn) {
            ("new", _) => {
                let sql = "UPDATE inbox SET state='dropped', why='redacted' WHERE id=?1";
                db.prepare_cached(sql)?.execute([row.id])?;
            }
            // Both sides of a turn go: an answer to nothing would mislead.
            ("done", Some(turn)) => {
                db.prepare_cached("UPDATE entry SET live=0 WHERE turn=?1")?
                    .execute([turn])?;
            }
            _ => {}
        }
    }
    Ok(Accepted::Amended)
}

fn meant(db: &Connection, account: i64, ext_id: &str) -> Result<Option<Meant>, Fault> {
    let sql = "SELECT id, conversation, person, kind, body, state, turn FROM inbox WHERE account=?1 AND ext_id=?2";
    let found = db.prepare_cached(sql)?.query_row((account, ext_id), |row| {
        Ok(Meant {
            id: row.get(0)?,
            conversation: row.get(1)?,
            person: row.get(2)?,
            kind: row.get(3)?,
            body: row.get(4)?,
            state: row.get(5)?,
            turn: row.get(6)?,
        })
    });
    Ok(found.optional()?)
}
