//! Conversations, described for those who govern the bot.

use rusqlite::{Connection, Params, Row};
use tertulia_core::record::ConversationId;
use tertulia_message::Account;
use tertulia_ports::{ConversationFacts, ConversationQuery};

use super::conversation;
use crate::fault::Fault;

/// The number of a conversation's latest row, or 0. Repeats the WHEREs of `inbox_open` and `inbox_past`.
macro_rules! latest_row {
    () => {
        "max((SELECT coalesce(max(o.id), 0) FROM inbox o
            WHERE o.conversation=c.id AND o.state IN('sealed','new','taken')),
        (SELECT coalesce(max(p.id), 0) FROM inbox p WHERE p.conversation=c.id AND p.state IN('done','dropped')))"
    };
}

/// Those with the latest row first; those without any last.
pub(super) const LATEST: &str = concat!(
    "SELECT c.id FROM conversation c ORDER BY ",
    latest_row!(),
    " DESC, c.id LIMIT ?1"
);

const CHAT: &str = concat!(
    "SELECT c.id FROM conversation c WHERE c.interface=?1 AND c.target=?2 ORDER BY ",
    latest_row!(),
    " DESC, c.id"
);

const ONE: &str = "SELECT id FROM conversation WHERE path=?1";

/// Repeats the WHEREs of `inbox_open`, `turn_one` and `entry_window`.
pub(super) const FACTS: &str = concat!(
    "SELECT c.id, c.path, c.epoch, c.blocked, i.accepted_at, a.interface, a.identity,
    (SELECT count(*) FROM inbox w WHERE w.conversation=c.id AND w.state IN('sealed','new','taken') AND w.state='new'
        AND w.kind<>'command'),
    EXISTS(SELECT 1 FROM turn t WHERE t.conversation=c.id AND t.state<>'settled'),
    (SELECT count(*) FROM entry e WHERE e.conversation=c.id AND e.epoch=c.epoch AND e.live=1)
    FROM conversation c LEFT JOIN inbox i ON i.id=",
    latest_row!(),
    " LEFT JOIN account a ON a.id=i.account WHERE c.id=?1"
);

pub(crate) fn conversations(db: &Connection, query: &ConversationQuery) -> Result<Vec<ConversationFacts>, Fault> {
    let ids = match query {
        ConversationQuery::At(path) => ids(db, ONE, [path.as_str()]),
        ConversationQuery::Chat(path) => ids(db, CHAT, (path.interface(), path.target())),
        ConversationQuery::Latest(count) => ids(db, LATEST, [count]),
    };
    let mut statement = db.prepare_cached(FACTS)?;
    let mut all = Vec::new();
    for id in ids? {
        if let Some(facts) = statement.query_row([id], |row| Ok(facts(row)))? {
            all.push(facts);
        } else {
            tracing::error!(conversation = id, "what is stored cannot be read and is left out");
        }
    }
    Ok(all)
}

fn ids(db: &Connection, sql: &str, params: impl Params) -> Result<Vec<i64>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let ids = statement.query_map(params, |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn facts(row: &Row<'_>) -> Option<ConversationFacts> {
    let path = conversation::path(row.get_ref(1).ok()?.as_str().ok()?).ok()?;
    let interface: Option<String> = row.get(5).ok()?;
    let account = Account {
        interface: interface.unwrap_or_else(|| path.interface().to_owned()),
        identity: row.get::<_, Option<String>>(6).ok()?.unwrap_or_default(),
    };
    Some(ConversationFacts {
        id: ConversationId(row.get(0).ok()?),
        path,
        account,
        last_at: row.get::<_, Option<i64>>(4).ok()?.unwrap_or(0),
        epoch: row.get(2).ok()?,
        blocked: row.get(3).ok()?,
        waiting: row.get(7).ok()?,
        running: row.get(8).ok()?,
        entries: row.get::<_, i64>(9).ok()?.unsigned_abs(),
    })
}
