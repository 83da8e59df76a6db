//! `import-history`: the files of older bots, with everything odd that stands in them, once and for all.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Output;

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::config::output;
use crate::control::told;
use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

const DEMO: &str = "[providers.demo]\nkind = \"demo\"\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Interface, chat, thread, sender, text, moment.
type Row<'a> = (&'a str, &'a str, Option<&'a str>, &'a str, &'a str, i64);

/// An older bot's file with its usual table.
fn old(home: &Home, rows: &[Row<'_>]) -> PathBuf {
    let file = home.write("old.db", "");
    let db = Connection::open(&file).unwrap();
    db.execute_batch(
        "CREATE TABLE settings(k, v); CREATE TABLE chat_history(id INTEGER PRIMARY KEY AUTOINCREMENT, interface, chat_id, \
         thread_id, sender, message_text, timestamp);",
    )
    .unwrap();
    for (interface, chat, thread, sender, said, at) in rows {
        let sql = "INSERT INTO chat_history(interface, chat_id, thread_id, sender, message_text, timestamp) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        db.execute(sql, params![interface, chat, thread, sender, said, at])
            .unwrap();
    }
    file
}

fn holiday(home: &Home) -> PathBuf {
    old(
        home,
        &[
            ("ollama_serve", "holiday", None, "ann", "we go to Rome", 1_714_564_800),
            (
                "ollama_serve",
                "holiday",
                Some("None"),
                "bot",
                "a fine city",
                1_714_564_801,
            ),
            ("ollama_serve", "holiday", Some(""), "ann", "on Monday", 1_714_564_802),
        ],
    )
}

fn imports(home: &Home, more: &[&str]) -> Output {
    let mut program = home.program();
    program.args(["import-history", "--from", "old.db"]).args(more);
    output(program)
}

#[track_caller]
fn says(output: &Output, code: i32, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let said = text(&output.stdout);
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
}

#[test]
fn a_dry_run_tells_and_does_nothing() {
    let home = Home::new();
    holiday(&home);
    let before = fs::read(home.file("old.db")).unwrap();
    says(
        &imports(&home, &["--dry-run"]),
        0,
        &["3 rows read from table chat_history: 3 can be converted, 0 cannot; nothing was done"],
    );
    assert!(!home.state().exists());
    assert_eq!(fs::read(home.file("old.db")).unwrap(), before);
}

#[test]
fn without_a_daemon_the_lines_go_into_its_database_once() {
    let home = Home::new();
    holiday(&home);
    says(
        &imports(&home, &[]),
        0,
        &["3 added, 0 known already, 0 not convertible"],
    );
    says(&imports(&home, &[]), 0, &["0 added, 3 known already"]);
    fs::copy(home.file("old.db"), home.file("copy.db")).unwrap();
    fs::rename(home.file("copy.db"), home.file("old.db")).unwrap();
    says(&imports(&home, &[]), 0, &["0 added, 3 known already"]);
    let daemon = home.start(DEMO, &[]);
    let history = told(&daemon, &["at", "ollama_serve/holiday", "history"]);
    let places: Vec<Option<usize>> = ["we go to Rome", "a fine city", "on Monday"]
        .iter()
        .map(|said| history.find(said))
        .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{history}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_daemon_takes_them_in_and_tells_its_model() {
    let daemon = tokio::task::block_in_place(|| Daemon::start(DEMO));
    let home = Home::new();
    holiday(&home);
    let socket = daemon.state().join("control.sock");
    let socket = socket.to_str().unwrap();
    says(&imports(&home, &["--socket", socket]), 0, &["3 added, 0 known already"]);
    says(&imports(&home, &["--socket", socket]), 0, &["0 added, 3 known already"]);
    let answer = Ollama::of(&daemon).say("holiday", "what did I say").await;
    assert!(answer.text().contains("on Monday"), "{answer:?}");
    assert!(!home.state().exists());
}

#[test]
fn every_odd_form_is_converted_or_told() {
    let home = Home::new();
    let file = old(&home, &[]);
    let db = Connection::open(&file).unwrap();
    let values = [
        "'telegram_bot', -1001, 0, 'ann', 'a', 1714564800",
        "'telegram_bot', -1001.0, 7.0, 'ann', 'b', 1714564800.5",
        "'telegram_bot', '-1001', 'null', 'Bot', 'c', 1714564801000",
        "'telegram_bot', '-1001', NULL, 'assistant', 'd', '2024-05-01 12:00:02'",
        "'telegram_bot', '-1001', NULL, 42, 'e', '2024-05-01T12:00:03Z'",
        "'matrix', '!r:x', '$e/f', 'ann', CAST('f' AS BLOB), '1714564804.25'",
        "'matrix', '!r:x', 'None', 'ann', 12, 1714564805",
        // from here on nothing can be done
        "'Matrix', '!r:x', NULL, 'ann', 'x', 1714564805",
        "NULL, '1', NULL, 'ann', 'x', 1714564805",
        "'matrix', NULL, NULL, 'ann', 'x', 1714564805",
        "'matrix', '', '5', 'ann', 'x', 1714564805",
        "'matrix', 1.5, NULL, 'ann', 'x', 1714564805",
        "'matrix', '1', NULL, NULL, 'x', 1714564805",
        "'matrix', '1', NULL, 'ann', NULL, 1714564805",
        "'matrix', '1', NULL, 'ann', ' ', 1714564805",
        "'matrix', '1', NULL, 'ann', x'fffe', 1714564805",
        "'matrix', '1', NULL, 'ann', CAST(x'ff41' AS TEXT), 1714564805",
        "'matrix', '1', NULL, 'ann', 'x', NULL",
        "'matrix', '1', NULL, 'ann', 'x', 'yesterday'",
        "'matrix', '1', NULL, 'ann', 'x', -5",
        "'matrix', x'00ff', NULL, 'ann', 'x', 1714564805",
    ];
    for row in values {
        let sql = format!(
            "INSERT INTO chat_history(interface, chat_id, thread_id, sender, message_text, timestamp) VALUES ({row})"
        );
        db.execute_batch(&sql).unwrap();
    }
    drop(db);
    let output = imports(&home, &["--rejected", "rejected.jsonl"]);
    says(
        &output,
        2,
        &[
            "21 rows read from table chat_history: 7 added, 0 known already, 14 not convertible",
            "row 8: it has no valid place",
            "row 16: its text is no text in UTF-8",
            "row 18: it has no timestamp",
            "the interface matrix is not configured: its 2 lines",
            "the interface telegram_bot is not configured: its 5 lines",
        ],
    );
    let rejected = fs::read_to_string(home.file("rejected.jsonl")).unwrap();
    let rejected: Vec<Value> = rejected
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rejected.len(), 14);
    assert_eq!(rejected[0]["values"]["interface"], "Matrix");
    assert_eq!(rejected[8]["values"]["message_text"]["hex"], "fffe");
    assert_eq!(rejected[9]["values"]["message_text"]["hex"], "ff41");
    // what was mended comes along the next time, and nothing else
    says(
        &imports(&home, &["--interface-map", "Matrix=matrix"]),
        2,
        &["1 added, 7 known already, 13 not convertible"],
    );
}

#[test]
fn with_another_name_for_the_bot_no_line_comes_twice() {
    let home = Home::new();
    old(&home, &[("ollama_serve", "holiday", None, "robin", "hello", 5)]);
    says(&imports(&home, &[]), 0, &["1 added"]);
    says(
        &imports(&home, &["--bot-name", "robin"]),
        0,
        &["0 added, 1 known already"],
    );
}

#[test]
fn what_is_rejected_is_for_its_owner_alone_and_never_takes_the_place_of_the_history() {
    let home = Home::new();
    let file = old(&home, &[("Old", "1", None, "ann", "x", 5)]);
    let rejected = home.write(
        "rejected.jsonl",
        "something longer than what will stand there: ".repeat(20).as_str(),
    );
    fs::set_permissions(&rejected, Permissions::from_mode(0o644)).unwrap();
    says(
        &imports(&home, &["--rejected", "rejected.jsonl"]),
        2,
        &["1 not convertible"],
    );
    assert_eq!(fs::metadata(&rejected).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&rejected).unwrap().lines().count(), 1);
    let before = fs::read(&file).unwrap();
    std::os::unix::fs::symlink(&file, home.file("link")).unwrap();
    for to in ["old.db", "link"] {
        let output = imports(&home, &["--rejected", to]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

#[test]
fn many_rows_without_a_place_are_summed_up() {
    let home = Home::new();
    let rows: Vec<_> = (0..50).map(|nth| ("Old", "1", None, "ann", "x", nth)).collect();
    old(&home, &rows);
    let output = imports(&home, &["--dry-run"]);
    says(
        &output,
        2,
        &[
            "row 20: it has no valid place",
            "all of them by reason:\n  50 x it has no valid place",
        ],
    );
    assert!(!text(&output.stdout).contains("row 21:"), "{output:?}");
}

#[test]
fn tables_are_found_by_their_columns_or_named() {
    let home = Home::new();
    let file = home.write("old.db", "");
    let db = Connection::open(&file).unwrap();
    db.execute_batch(
        "CREATE TABLE \"Old \"\"Log\"\"\"(Chat_ID, INTERFACE, Message_Text, Timestamp, Role, PRIMARY KEY(Chat_ID, Timestamp)) \
         WITHOUT ROWID;
         INSERT INTO \"Old \"\"Log\"\"\" VALUES ('1', 'web', 'hi', 5, 'user'), ('1', 'web', 'hello', 6, 'assistant'), \
         ('1', 'web', 'be nice', 4, 'system');",
    )
    .unwrap();
    says(
        &imports(&home, &["--dry-run"]),
        2,
        &["3 rows read", "2 can be converted", "its role is system"],
    );
    db.execute_batch("CREATE TABLE other(chat_id, interface, message_text, timestamp, who)")
        .unwrap();
    says(&imports(&home, &["--dry-run"]), 2, &["2 can be converted"]);
    for (more, code, part) in [
        (&["--table", "other"][..], 1, "--sender-column"),
        (&["--table", "nosuch"], 1, "has no table \"nosuch\""),
        (
            &["--table", "other", "--sender-column", "nobody"],
            1,
            "no column \"nobody\"",
        ),
        (&["--interface-map", "web"], 1, "old=new"),
    ] {
        let output = imports(&home, &[&["--dry-run"], more].concat());
        assert_eq!(output.status.code(), Some(code), "{more:?}: {output:?}");
        assert!(text(&output.stderr).contains(part), "{more:?}: {output:?}");
    }
    says(
        &imports(&home, &["--dry-run", "--table", "OTHER", "--sender-column", "who"]),
        0,
        &["0 rows read from table other"],
    );
    db.execute_batch("CREATE TABLE more(chat_id, interface, message_text, timestamp, sender)")
        .unwrap();
    let output = imports(&home, &["--dry-run"]);
    assert!(text(&output.stderr).contains("say which with --table"), "{output:?}");
}

#[test]
fn what_is_no_database_is_told_in_one_sentence() {
    let home = Home::new();
    for (content, part) in [
        (Some("no database at all"), "no SQLite database"),
        (None, "cannot be read"),
    ] {
        match content {
            Some(content) => drop(home.write("old.db", content)),
            None => fs::remove_file(home.file("old.db")).unwrap(),
        }
        let output = imports(&home, &[]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = text(&output.stderr);
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
    }
    home.write("old.db", "");
    assert_eq!(imports(&home, &[]).status.code(), Some(1));
    let mut torn = b"SQLite format 3\0".to_vec();
    torn.extend([0x10, 0, 1, 1, 0, 64, 32, 32]);
    fs::write(home.file("old.db"), [torn, vec![7; 5000]].concat()).unwrap();
    assert_eq!(imports(&home, &[]).status.code(), Some(1));
    assert!(!home.state().exists());
}

#[test]
fn a_write_ahead_log_is_read_and_nothing_is_left_beside_the_file() {
    let home = Home::new();
    let file = holiday(&home);
    let db = Connection::open(&file).unwrap();
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    let sql = "INSERT INTO chat_history(interface, chat_id, sender, message_text, timestamp) VALUES ('web', '1', 'a', 'b', 9)";
    db.execute(sql, []).unwrap();
    // its bot still has it open
    assert!(Path::new(&format!("{}-wal", file.display())).exists());
    says(&imports(&home, &["--dry-run"]), 0, &["4 rows read"]);
    drop(db);
    says(&imports(&home, &["--dry-run"]), 0, &["4 rows read"]);
    for end in ["-wal", "-shm", "-journal"] {
        assert!(!Path::new(&format!("{}{end}", file.display())).exists(), "{end}");
    }
}

#[test]
fn a_state_directory_that_is_taken_without_a_socket_is_told() {
    let daemon = Daemon::start(DEMO);
    fs::remove_file(daemon.state().join("control.sock")).unwrap();
    let mut program = daemon.program();
    let home = Home::new();
    let file = holiday(&home);
    program.args(["import-history", "--from"]).arg(file);
    let output = output(program);
    assert_eq!(output.status.code(), Some(75), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.contains("another instance") && said.contains("no daemon answers"),
        "{said}"
    );
}

/// Interrupted anywhere, and run again, it is whole.
#[test]
fn a_long_history_that_is_interrupted_is_whole_in_the_end() {
    let home = Home::new();
    let file = old(&home, &[]);
    let mut db = Connection::open(file).unwrap();
    let rows = 10_000;
    let tx = db.transaction().unwrap();
    for nth in 0..rows {
        let sql = "INSERT INTO chat_history(interface, chat_id, sender, message_text, timestamp) \
                   VALUES ('ollama_serve', ?1, 'ann', ?2, ?3)";
        tx.execute(sql, params![nth % 97, format!("line {nth}"), 1_700_000_000 + nth])
            .unwrap();
    }
    tx.commit().unwrap();
    let mut program = home.program();
    program.args(["import-history", "--from", "old.db"]);
    let mut child = program.spawn().unwrap();
    while !home.state().join("tertulia.db").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = imports(&home, &[]);
    assert!(output.status.success(), "{output:?}");
    says(&imports(&home, &[]), 0, &[&format!("0 added, {rows} known already")]);
    let daemon = home.start(DEMO, &[]);
    let history = told(&daemon, &["at", "ollama_serve/3", "history", "3"]);
    assert!(history.contains("line 9994"), "{history}");
}
