//! The queries that run on every turn or at every start use their partial indexes.

use rusqlite::Connection;
use rusqlite::types::Null;

use super::{entries, facts, history, inbox, letters, restore, slots, turn, usage, work};
use crate::write::{FORGET, NAMING, QUEUED};

fn plan(sql: &str) -> String {
    let db = Connection::open_in_memory().unwrap();
    for migration in [
        include_str!("../../../../migrations/V1__init.sql"),
        include_str!("../../../../migrations/V2__govern.sql"),
        include_str!("../../../../migrations/V3__money.sql"),
    ] {
        db.execute_batch(migration).unwrap();
    }
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nulls = vec![Null; statement.parameter_count()];
    let rows = statement
        .query_map(rusqlite::params_from_iter(nulls), |row| row.get::<_, String>(3))
        .unwrap();
    rows.map(Result::unwrap).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(sql: &str, index: &str) {
    let plan = plan(sql);
    assert!(plan.contains(index), "{plan}");
    assert!(
        !plan.contains("SCAN") || plan.contains(&format!("USING INDEX {index}")),
        "{plan}"
    );
    assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
}

#[test]
fn open_rows_are_found_by_their_index() {
    check(work::OLDEST, "inbox_open");
    check(restore::OPEN, "inbox_open");
    check(QUEUED, "inbox_open");
    check(work::NEXT_OTHER, "inbox_open");
    for which in [work::WAITING, restore::COMMANDS] {
        check(&format!("{} {which}", inbox::ROWS), "inbox_open");
    }
    // its few rows are sorted, since the trigger comes first
    let taken = plan(&format!("{} {}", inbox::ROWS, work::TAKEN));
    assert!(taken.contains("USING INDEX inbox_open"), "{taken}");
}

#[test]
fn due_slots_are_found_by_their_index() {
    check(&format!("{} {}", slots::SLOTS, slots::DUE), "slot_due");
}

#[test]
fn the_window_is_read_from_its_index() {
    check(entries::WINDOW, "entry_window");
    check(history::LINES, "entry_window");
}

#[test]
fn the_unfinished_turn_is_found_by_its_index() {
    assert!(
        plan(work::UNFINISHED).contains("turn_one"),
        "{}",
        plan(work::UNFINISHED)
    );
}

#[test]
fn what_governing_asks_is_found_by_indexes() {
    check(turn::LAST, "turn_past");
    check(&format!("{} {}", inbox::ROWS, turn::ROWS), "inbox_past");
    let trigger = plan(&format!("{} {}", inbox::ROWS, turn::TRIGGER));
    assert!(!trigger.contains("SCAN"), "{trigger}");
    check(&format!("{} {}", slots::SLOTS, letters::DEAD), "slot_dead");
    check(usage::SINCE, "sqlite_autoindex_usage_1");
    for (sql, index) in NAMING.into_iter().zip(["entry_picture", "inbox_picture"]) {
        check(sql, index);
    }
    // Only what is due is walked through.
    for which in [letters::UNSENT, letters::DUE] {
        let walked = plan(&format!("{} {which}", slots::SLOTS));
        assert!(
            walked.contains("slot_due") && walked.matches("SCAN").count() <= 1,
            "{walked}"
        );
    }
    // Conversations are few; each is one step in each index.
    let latest = plan(facts::LATEST);
    for index in ["inbox_open", "inbox_past"] {
        assert!(latest.contains(index), "{index}: {latest}");
    }
    let facts = plan(facts::FACTS);
    for index in ["inbox_past", "inbox_open", "turn_one", "entry_window"] {
        assert!(facts.contains(index), "{index}: {facts}");
    }
    assert!(!facts.contains("SCAN"), "{facts}");
}

#[test]
fn what_is_forgotten_is_found_by_indexes() {
    for sql in FORGET.into_iter().chain([crate::write::FILES_OF]) {
        let plan = plan(sql);
        assert!(!plan.contains("SCAN"), "{sql}: {plan}");
    }
}
