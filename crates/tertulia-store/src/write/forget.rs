//! What was said in a conversation is deleted; what still waits for something is left alone.

use std::collections::BTreeSet;

use rusqlite::{Connection, Params};
use tertulia_core::record::ConversationId;
use tertulia_message::SlotId;

use super::{Aftermath, conversation, slots};
use crate::fault::Fault;
use crate::sent::is_handle;

/// In this order: turns tell which entries, and rows which slots. Rows and turns keep their keys, so that nothing is
/// accepted or answered twice.
pub(crate) const FORGET: [&str; 7] = [
    "DELETE FROM entry WHERE turn IN (SELECT id FROM turn WHERE conversation=?1 AND state='settled')",
    "DELETE FROM entry WHERE conversation=?1 AND live=1 AND turn IS NULL",
    "DELETE FROM tool_run WHERE turn IN (SELECT id FROM turn WHERE conversation=?1 AND state='settled')",
    "UPDATE turn SET partial='', settings='{}' WHERE conversation=?1 AND state='settled' AND settings<>'{}'",
    "DELETE FROM slot WHERE trigger IN (SELECT id FROM inbox WHERE conversation=?1 AND state IN('done','dropped')
        UNION ALL SELECT id FROM inbox WHERE conversation=?1 AND state IN('sealed','new','taken')) AND kind<>'say'
        AND NOT (state<>'dead' AND (got_rev<want_rev OR state<>'idle'))
        AND NOT EXISTS(SELECT 1 FROM turn WHERE turn.trigger=slot.trigger AND turn.state<>'settled')",
    "DELETE FROM slot WHERE conversation=?1 AND kind='say'
        AND NOT (state<>'dead' AND (got_rev<want_rev OR state<>'idle'))
        AND NOT EXISTS(SELECT 1 FROM turn WHERE turn.trigger=slot.trigger AND turn.state<>'settled')",
    "UPDATE inbox SET body='{}', reply_token=NULL, turn=NULL
        WHERE conversation=?1 AND state IN('done','dropped') AND (body<>'{}' OR turn IS NOT NULL)",
];

/// What names pictures. Repeats the WHEREs of the indexes `entry_picture` and `inbox_picture`.
pub(crate) const NAMING: [&str; 2] = [
    "SELECT conversation, parts FROM entry WHERE instr(parts, '\"sha256\":\"')>0",
    "SELECT conversation, body FROM inbox WHERE instr(body, '\"sha256\":\"')>0",
];

/// What names files in a conversation's slots.
pub(crate) const FILES_OF: &str =
    "SELECT body FROM slot WHERE trigger IN (SELECT id FROM inbox WHERE conversation=?1 AND state IN('done','dropped')
        UNION ALL SELECT id FROM inbox WHERE conversation=?1 AND state IN('sealed','new','taken')) AND kind<>'say'
        AND instr(body, '\"handle\":\"')>0
    UNION ALL SELECT body FROM slot WHERE conversation=?1 AND kind='say' AND instr(body, '\"handle\":\"')>0";

/// What names files in all slots. They are walked through, since this is asked only when a picture or a file is forgotten.
const FILES: &str = "SELECT body FROM slot WHERE instr(body, '\"handle\":\"')>0";

/// Noted in the same transaction: a process that ends before it has cleared away leaves that to the next one.
const NOTE: &str = "INSERT INTO meta(key, value) VALUES ('forgotten', '1') ON CONFLICT DO NOTHING";

pub(super) fn forget(db: &Connection, id: ConversationId, aftermath: &mut Aftermath) -> Result<(), Fault> {
    conversation::epoch(db, id.0)?;
    let mut before = pictures(db, Some(id.0))?;
    before.extend(files(db, FILES_OF, [id.0])?);
    for sql in FORGET {
        db.prepare_cached(sql)?.execute([id.0])?;
    }
    db.prepare_cached(NOTE)?.execute([])?;
    aftermath.forgotten = true;
    release(db, &before, aftermath)
}

/// Deletes dead letters with their files.
pub(super) fn bury(db: &Connection, dead: &[SlotId], aftermath: &mut Aftermath) -> Result<(), Fault> {
    let mut before = BTreeSet::new();
    for id in dead {
        before.extend(slots::bury(db, *id)?.iter().flat_map(|body| handles(body)));
    }
    release(db, &before, aftermath)
}

/// Of these, what nothing names any more goes.
fn release(db: &Connection, before: &BTreeSet<String>, aftermath: &mut Aftermath) -> Result<(), Fault> {
    if before.is_empty() {
        return Ok(());
    }
    let mut used = pictures(db, None)?;
    used.extend(files(db, FILES, [])?);
    for unused in before.difference(&used) {
        db.prepare_cached("DELETE FROM media WHERE sha256=unhex(?1)")?
            .execute([unused])?;
        aftermath.pictures.push(unused.clone());
    }
    Ok(())
}

/// The handles of files that slots name.
fn files(db: &Connection, sql: &str, params: impl Params) -> Result<BTreeSet<String>, Fault> {
    let mut names = BTreeSet::new();
    let mut statement = db.prepare_cached(sql)?;
    let mut found = statement.query(params)?;
    while let Some(row) = found.next()? {
        names.extend(handles(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?));
    }
    Ok(names)
}

fn handles(body: &str) -> impl Iterator<Item = String> {
    named(body, "\"handle\":\"")
        .filter(|handle| is_handle(handle))
        .map(str::to_owned)
}

/// The names of pictures, of one conversation or of all.
fn pictures(db: &Connection, conversation: Option<i64>) -> Result<BTreeSet<String>, Fault> {
    let mut names = BTreeSet::new();
    for sql in NAMING {
        let mut statement = db.prepare_cached(sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            if conversation.is_none_or(|id| row.get(0) == Ok(id)) {
                let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
                names.extend(named(text, "\"sha256\":\"").map(str::to_owned));
            }
        }
    }
    Ok(names)
}

/// The values behind a key in a JSON column. What people wrote cannot look like one: there every quotation mark has a
/// backslash.
fn named<'a>(json: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let rest = json.split(key).skip(1);
    rest.filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_are_named() {
        let text = serde_json::to_string("\"sha256\":\"ab\"").unwrap();
        let json = format!(r#"[{{"text":{text}}},{{"picture":{{"sha256":"cd","mime":"x"}}}}]"#);
        assert_eq!(named(&json, "\"sha256\":\"").collect::<Vec<_>>(), ["cd"]);
    }
}
