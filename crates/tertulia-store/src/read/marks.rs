//! An account's marks.

use rusqlite::Connection;
use tertulia_message::{Account, Mark};

use crate::fault::Fault;

const MARKS: &str = "SELECT m.key, m.value FROM mark m JOIN account a ON a.id=m.account
    WHERE a.interface=?1 AND a.identity=?2 AND substr(m.key, 1, length(?3))=?3 ORDER BY m.key";

pub(crate) fn marks(db: &Connection, account: &Account, prefix: &str) -> Result<Vec<Mark>, Fault> {
    let mut statement = db.prepare_cached(MARKS)?;
    let rows = statement.query_map((&account.interface, &account.identity, prefix), |row| {
        Ok(Mark {
            key: row.get(0)?,
            value: Some(row.get(1)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
