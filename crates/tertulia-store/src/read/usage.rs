//! What was spent.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;
use tertulia_ports::UsageSum;

use crate::fault::Fault;

/// The unique index of the table begins with `at`.
pub(super) const SINCE: &str =
    "SELECT person, provider, model, trigger, at, tokens_in, tokens_out, cost FROM usage WHERE at>=?1";

/// Summed up here and not by SQLite: its sums fail where they overflow.
pub(crate) fn usage(db: &Connection, since: i64) -> Result<Vec<UsageSum>, Fault> {
    let mut statement = db.prepare_cached(SINCE)?;
    let mut found = statement.query([since])?;
    let (mut turns, mut unpriced) = (HashSet::new(), HashSet::new());
    let mut sums: BTreeMap<(String, String, String), UsageSum> = BTreeMap::new();
    while let Some(row) = found.next()? {
        let key: (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (trigger, at): (i64, i64) = (row.get(3)?, row.get(4)?);
        // Turns of which nothing else is stored may share a trigger; their moments tell them apart.
        let turn = (key.clone(), trigger, (trigger <= 0).then_some(at));
        let cost: Option<i64> = row.get(7)?;
        let sum = sums.entry(key.clone()).or_insert_with(|| empty(key));
        sum.tokens_in = sum.tokens_in.saturating_add(count(row.get(5)?));
        sum.tokens_out = sum.tokens_out.saturating_add(count(row.get(6)?));
        sum.cost = sum.cost.saturating_add(count(cost));
        sum.unpriced += u64::from(cost.is_none() && unpriced.insert(turn.clone()));
        sum.turns += u64::from(turns.insert(turn));
    }
    let mut sums: Vec<_> = sums.into_values().collect();
    sums.sort_by_key(|sum| Reverse((sum.tokens_in.saturating_add(sum.tokens_out), sum.turns)));
    Ok(sums)
}

fn empty((person, provider, model): (String, String, String)) -> UsageSum {
    UsageSum {
        person,
        provider,
        model,
        turns: 0,
        tokens_in: 0,
        tokens_out: 0,
        cost: 0,
        unpriced: 0,
    }
}

fn count(stored: Option<i64>) -> u64 {
    stored.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}
