//! What commands change.

use rusqlite::Connection;
use tertulia_core::access::{Permit, Subject};
use tertulia_core::chat::ChatMessage;
use tertulia_core::preferences::{Key, Preference, Scope};
use tertulia_core::record::{ConversationId, InboxId, Wish};
use tertulia_core::transaction::Change;
use tertulia_message::{PersonId, SlotId};

use super::entries::{self, Place};
use super::{Aftermath, conversation, forget, slots, turns};
use crate::fault::Fault;

/// How long it is known that a stranger was greeted.
const GREETED_MS: i64 = 24 * 60 * 60 * 1000;

const SET: &str = "INSERT INTO setting(scope, key, value, set_by, set_at) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT(scope, key) DO UPDATE SET value=excluded.value, set_by=excluded.set_by, set_at=excluded.set_at";

const PERMIT: &str = "INSERT INTO permit(subject, level, set_by, set_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT(subject) DO UPDATE SET level=excluded.level, set_by=excluded.set_by, set_at=excluded.set_at,
    expires_at=excluded.expires_at";

pub(super) fn change(db: &Connection, change: Change, aftermath: &mut Aftermath) -> Result<(), Fault> {
    match change {
        Change::NewEpoch(id) => new_epoch(db, id),
        Change::Forget(conversations) => conversations
            .into_iter()
            .try_for_each(|id| forget::forget(db, id, aftermath)),
        Change::Set { scope, key, preference } => set(db, &scope, key, preference.as_ref()),
        Change::Permit { subject, permit } => self::permit(db, &subject, permit.as_ref()),
        Change::Rewish(wishes) => wishes.iter().try_for_each(|(id, wish)| rewish(db, *id, wish)),
        Change::Revive { slots, expires_at } => slots.into_iter().try_for_each(|id| slots::revive(db, id, expires_at)),
        Change::Bury(slots) => forget::bury(db, &slots, aftermath),
        Change::Said {
            conversation,
            text,
            now,
        } => said(db, conversation, text, now),
    }
}

fn new_epoch(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    let mut statement = db.prepare_cached("UPDATE conversation SET epoch=epoch+1 WHERE id=?1")?;
    match statement.execute([id.0])? {
        0 => Err(conversation::unknown()),
        _ => Ok(()),
    }
}

/// Sets something, or unsets it.
pub(super) fn set(db: &Connection, scope: &Scope, key: Key, preference: Option<&Preference>) -> Result<(), Fault> {
    let (scope, key) = (scope.to_string(), key.as_str());
    match preference {
        Some(Preference { value, set_by, set_at }) => {
            db.prepare_cached(SET)?.execute((scope, key, value, set_by, set_at))?
        }
        None => db
            .prepare_cached("DELETE FROM setting WHERE scope=?1 AND key=?2")?
            .execute((scope, key))?,
    };
    Ok(())
}

/// Gives a level, or takes back what was given.
pub(super) fn permit(db: &Connection, subject: &Subject, permit: Option<&Permit>) -> Result<(), Fault> {
    let subject = subject.to_string();
    match permit {
        Some(permit) => {
            let level = permit.level.as_str();
            let row = (subject, level, &permit.set_by, permit.set_at, permit.expires_at);
            db.prepare_cached(PERMIT)?.execute(row)?
        }
        None => db
            .prepare_cached("DELETE FROM permit WHERE subject=?1")?
            .execute([subject])?,
    };
    Ok(())
}

/// Only of settled turns: the wishes of others are their sessions'.
fn rewish(db: &Connection, id: SlotId, wish: &Wish) -> Result<(), Fault> {
    let turn = turns::find(db, InboxId(id.trigger))?;
    if turn.is_some_and(|turn| !turn.settled) {
        return Ok(());
    }
    slots::rewish(db, id, wish)
}

fn said(db: &Connection, id: ConversationId, text: String, now: i64) -> Result<(), Fault> {
    let place = Place::beside_turns(id.0, conversation::epoch(db, id.0)?, now);
    entries::append_one(db, &place, None, ChatMessage::assistant(text))
}

/// A stranger was told that the bot is private.
pub(super) fn greet(db: &Connection, person: &PersonId, now: i64) -> Result<(), Fault> {
    let sql =
        "INSERT INTO greeted(person, at) VALUES (?1, ?2) ON CONFLICT(person) DO UPDATE SET at=max(at, excluded.at)";
    db.prepare_cached(sql)?.execute((person.to_string(), now))?;
    db.prepare_cached("DELETE FROM greeted WHERE at<?1")?
        .execute([now.saturating_sub(GREETED_MS)])?;
    Ok(())
}
