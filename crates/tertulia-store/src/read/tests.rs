//! The queries that run on every turn or at every start use their partial indexes.

use rusqlite::Connection;
use rusqlite::types::Null;

use super::{entries, history, inbox, restore, slots, work};
use crate::write::QUEUED;

fn plan(sql: &str) -> String {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(include_str!("../../../../migrations/V1__init.sql"))
        .unwrap();
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
