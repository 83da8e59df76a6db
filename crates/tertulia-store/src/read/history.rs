//! The history as people see it.

use rusqlite::Connection;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{HistoryLine, HistoryQuery};

use super::conversation;
use crate::fault::Fault;
use crate::rows::entry::visible_text;

/// Of one conversation's present epoch, newest first, which is how the index `entry_window` lies.
pub(super) const LINES: &str = "SELECT place, id, role, speaker, parts, created_at FROM entry
    WHERE conversation=?1 AND epoch=(SELECT epoch FROM conversation WHERE id=?1) AND live=1
    ORDER BY place DESC, id DESC";

/// By what lines of several conversations are ordered: `place`, then number.
type Place = (i64, i64);

const CHAT: &str = "SELECT id, path FROM conversation WHERE interface=?1 AND target=?2 ORDER BY id";

const ONE: &str = "SELECT id, path FROM conversation WHERE path=?1";

pub(crate) fn history(db: &Connection, query: &HistoryQuery) -> Result<Vec<HistoryLine>, Fault> {
    let limit = query.limit as usize;
    let mut lines = Vec::new();
    for (id, path) in places(db, query)? {
        lines.extend(newest(db, id, &path, limit)?);
    }
    lines.sort_by_key(|(place, _)| *place);
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

fn newest(db: &Connection, id: i64, path: &InterfacePath, limit: usize) -> Result<Vec<(Place, HistoryLine)>, Fault> {
    let mut statement = db.prepare_cached(LINES)?;
    let mut found = statement.query([id])?;
    let mut lines = Vec::new();
    while lines.len() < limit
        && let Some(row) = found.next()?
    {
        let text = visible_text(&row.get::<_, String>(4)?)?;
        if text.is_empty() {
            continue;
        }
        let line = HistoryLine {
            path: path.clone(),
            speaker: row.get(3)?,
            from_person: row.get::<_, String>(2)? == "user",
            text,
            at: row.get(5)?,
        };
        lines.push(((row.get(0)?, row.get(1)?), line));
    }
    Ok(lines)
}
