//! The history as people see it.

use rusqlite::Connection;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{HistoryLine, HistoryQuery};

use super::conversation;
use crate::fault::Fault;
use crate::rows::entry::visible_text;

/// Of one conversation, newest first: by epoch and then by number, which is how the index `entry_window` lies.
pub(super) const LINES: &str = "SELECT id, role, speaker, parts, created_at FROM entry
    WHERE conversation=?1 AND live=1 ORDER BY epoch DESC, id DESC";

const CHAT: &str = "SELECT id, path FROM conversation WHERE interface=?1 AND target=?2 ORDER BY id";

const ONE: &str = "SELECT id, path FROM conversation WHERE path=?1";

pub(crate) fn history(db: &Connection, query: &HistoryQuery) -> Result<Vec<HistoryLine>, Fault> {
    let limit = query.limit as usize;
    let mut lines = Vec::new();
    for (id, path) in places(db, query)? {
        lines.extend(newest(db, id, &path, limit)?);
    }
    lines.sort_by_key(|(id, _)| *id);
    let cut = lines.len().saturating_sub(limit);
    Ok(lines.into_iter().skip(cut).map(|(_, line)| line).collect())
}

fn places(db: &Connection, query: &HistoryQuery) -> Result<Vec<(i64, InterfacePath)>, Fault> {
    let path = &query.path;
    let (sql, target) = if query.whole_chat {
        (CHAT, path.target())
    } else {
        (ONE, path.as_str().into())
    };
    let mut statement = db.prepare_cached(sql)?;
    let mut found = if query.whole_chat {
        statement.query((path.interface(), target))?
    } else {
        statement.query([target])?
    };
    let mut places = Vec::new();
    while let Some(row) = found.next()? {
        let path: String = row.get(1)?;
        places.push((row.get(0)?, conversation::path(&path)?));
    }
    Ok(places)
}

fn newest(db: &Connection, id: i64, path: &InterfacePath, limit: usize) -> Result<Vec<(i64, HistoryLine)>, Fault> {
    let mut statement = db.prepare_cached(LINES)?;
    let mut found = statement.query([id])?;
    let mut lines = Vec::new();
    while lines.len() < limit
        && let Some(row) = found.next()?
    {
        let text = visible_text(&row.get::<_, String>(3)?)?;
        if text.is_empty() {
            continue;
        }
        let line = HistoryLine {
            path: path.clone(),
            speaker: row.get(2)?,
            from_person: row.get::<_, String>(1)? == "user",
            text,
            at: row.get(4)?,
        };
        lines.push((row.get(0)?, line));
    }
    Ok(lines)
}
