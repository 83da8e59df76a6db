//! Migrations of made-up later versions.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use tertulia_core::chat::ChatMessage;
use tertulia_core::record::{ConversationId, InboxId};
use tertulia_core::transaction::ImportedLine;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{ConversationQuery, Desk, Store, TurnQuery};

use super::*;

const NOTE: &str = "ALTER TABLE meta ADD COLUMN note TEXT";

fn first() -> Migration {
    let known = embedded::migrations::runner();
    let mut all = known.get_migrations().iter();
    all.find(|migration| migration.version() == 1).unwrap().clone()
}

fn first_two() -> Vec<Migration> {
    let mut known = embedded::migrations::runner().get_migrations().clone();
    known.retain(|migration| migration.version() <= 2);
    known
}

/// The migrations of this version, and those of a later one.
fn and(later: &[Migration]) -> Vec<Migration> {
    [embedded::migrations::runner().get_migrations(), later].concat()
}

fn later(name: &str, sql: &str) -> Migration {
    Migration::unapplied(name, sql).unwrap()
}

fn database(directory: &Path) -> Connection {
    Connection::open(directory.join(DATABASE)).unwrap()
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_fresh_database_is_not_backed_up() {
    let directory = tempfile::tempdir().unwrap();
    migrate(&mut database(directory.path()), directory.path()).unwrap();
    migrate(&mut database(directory.path()), directory.path()).unwrap();
    assert_eq!(files(directory.path()), [DATABASE]);
}

#[test]
fn an_old_database_is_backed_up_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    migrate(&mut connection, directory.path()).unwrap();
    connection
        .execute("INSERT INTO account(interface, identity) VALUES ('a', 'b')", [])
        .unwrap();
    migrate_with(&mut connection, directory.path(), &and(&[later("V4__note", NOTE)])).unwrap();
    assert_eq!(applied(&connection).unwrap(), Some(4));
    assert_eq!(files(directory.path()), [DATABASE, "tertulia.db.pre-4"]);
    let copy = Connection::open(directory.path().join("tertulia.db.pre-4")).unwrap();
    assert_eq!(applied(&copy).unwrap(), Some(3));
    assert_eq!(
        copy.query_row("SELECT identity FROM account", [], |row| row.get::<_, String>(0))
            .unwrap(),
        "b"
    );
    assert!(copy.prepare("SELECT note FROM meta").is_err());
    let rights = fs::metadata(directory.path().join("tertulia.db.pre-4"))
        .unwrap()
        .permissions();
    assert_eq!(rights.mode() & 0o777, 0o600);
}

#[test]
fn a_failed_migration_leaves_the_database_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    migrate(&mut connection, directory.path()).unwrap();
    let note = later("V4__note", NOTE);
    let broken = and(&[note.clone(), later("V5__broken", "SELECT nonsense")]);
    let answer = migrate_with(&mut connection, directory.path(), &broken);
    assert!(matches!(answer, Err(OpenError::Migration(_))), "{answer:?}");
    assert_eq!(applied(&connection).unwrap(), Some(3));
    assert!(connection.prepare("SELECT note FROM meta").is_err());
    migrate_with(&mut connection, directory.path(), &and(&[note])).unwrap();
    assert_eq!(applied(&connection).unwrap(), Some(4));
}

#[test]
fn an_edited_migration_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    migrate_with(&mut connection, directory.path(), &and(&[later("V4__note", NOTE)])).unwrap();
    let edited = and(&[later("V4__note", "ALTER TABLE meta ADD COLUMN other TEXT")]);
    let answer = migrate_with(&mut connection, directory.path(), &edited);
    assert!(matches!(answer, Err(OpenError::Edited(4))), "{answer:?}");
}

#[test]
fn a_newer_schema_is_refused_unless_it_allows_older_readers() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    let raise = format!("{NOTE}; UPDATE meta SET value='4' WHERE key='min_reader'");
    migrate_with(&mut connection, directory.path(), &and(&[later("V4__note", &raise)])).unwrap();
    let answer = migrate(&mut connection, directory.path());
    assert!(
        matches!(answer, Err(OpenError::TooNew { found: 4, known: 3 })),
        "{answer:?}"
    );
    connection
        .execute("UPDATE meta SET value='3' WHERE key='min_reader'", [])
        .unwrap();
    migrate(&mut connection, directory.path()).unwrap();
    connection
        .execute("DELETE FROM meta WHERE key='min_reader'", [])
        .unwrap();
    assert!(matches!(
        migrate(&mut connection, directory.path()),
        Err(OpenError::TooNew { .. })
    ));
}

#[test]
fn a_failed_migration_is_told_without_its_text() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    connection.execute("CREATE TABLE meta(key TEXT)", []).unwrap();
    let error = migrate(&mut connection, directory.path()).unwrap_err();
    let reason = error.source().unwrap().to_string();
    assert_eq!(reason, "table meta already exists");
}

#[tokio::test]
async fn a_database_of_the_first_version_comes_along_with_all_it_holds() {
    let directory = tempfile::tempdir().unwrap();
    let mut old = database(directory.path());
    old.pragma_update(None, "journal_mode", "WAL").unwrap();
    migrate_with(&mut old, directory.path(), &[first()]).unwrap();
    old.execute_batch(OLD).unwrap();
    drop(old);
    let store = crate::SqliteStore::open(directory.path(), crate::Options::new(Arc::new(|| 0))).unwrap();
    assert!(files(directory.path()).contains(&"tertulia.db.pre-3".to_owned()));
    let line = ImportedLine {
        key: "1".to_owned(),
        path: InterfacePath::parse("tg/5").unwrap(),
        speaker: None,
        text: "older".to_owned(),
        at: i64::MAX - 1,
    };
    store.import(vec![line]).await.unwrap();
    let work = store.next_work(ConversationId(1), 9).await.unwrap().unwrap();
    let said: Vec<_> = work.history.into_iter().map(|entry| entry.message).collect();
    let expected = [
        ChatMessage::assistant("older"),
        ChatMessage::user("hi"),
        ChatMessage::assistant("hello"),
    ];
    assert_eq!(said, expected);
    assert_eq!(
        store
            .turn(&TurnQuery::Last(ConversationId(1), InboxId(9)))
            .await
            .unwrap()
            .unwrap()
            .trigger,
        InboxId(1)
    );
    assert_eq!(store.governed().await.unwrap().preferences.0.len(), 1);
    let facts = store.conversations(&ConversationQuery::Latest(9)).await.unwrap();
    assert_eq!((facts[0].entries, facts[0].waiting), (3, 1));
    let raw = database(directory.path());
    let meta: String = raw
        .query_row(
            "SELECT group_concat(value) FROM meta WHERE key IN('min_reader','schema')",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(meta, "2,3");
    let spent = store.usage(0).await.unwrap();
    assert_eq!((spent[0].tokens_in, spent[0].cost, spent[0].unpriced), (7, 0, 1));
    // The program of the second version goes on with it, that of the first leaves it alone.
    migrate_with(&mut database(directory.path()), directory.path(), &first_two()).unwrap();
    let answer = migrate_with(&mut database(directory.path()), directory.path(), &[first()]);
    assert!(
        matches!(answer, Err(OpenError::TooNew { found: 3, known: 1 })),
        "{answer:?}"
    );
    let text = answer.unwrap_err().to_string();
    assert_eq!(text, "the database has schema 3, this version knows schema 1");
}

const OLD: &str = r#"
    INSERT INTO account VALUES (1, 'tg', '1');
    INSERT INTO conversation VALUES (1, 'tg/5', 'tg', '5', 0, NULL);
    INSERT INTO inbox(id, account, ext_id, conversation, person, kind, body, accepted_at, state)
        VALUES (1, 1, 'a', 1, 'tg/7', 'message', '{"text":"hi"}', 0, 'done'),
               (2, 1, 'b', 1, 'tg/7', 'message', '{"text":"more"}', 0, 'new');
    INSERT INTO turn(id, conversation, trigger, epoch, attempt, boot, state, outcome, settings, began_at)
        VALUES (1, 1, 1, 0, 1, 'x', 'settled', 'answered', '{}', 0);
    UPDATE inbox SET turn=1 WHERE id=1;
    INSERT INTO entry(conversation, epoch, turn, attempt, round, role, parts, live, created_at)
        VALUES (1, 0, 1, 1, -1, 'user', '[{"text":"hi"}]', 1, 0), (1, 0, 1, 1, -1, 'assistant', '[{"text":"hello"}]', 1, 0);
    INSERT INTO usage VALUES (1, 1, 1, 0, 'tg/7', 'p', 'm', 7, NULL, 5);
    INSERT INTO setting VALUES ('tg/5', 'model', 'm', 'tg/7', 0);
"#;
