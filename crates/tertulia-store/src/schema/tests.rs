//! Migrations of made-up later versions.

use std::os::unix::fs::PermissionsExt;

use super::*;

const SECOND: &str = "ALTER TABLE meta ADD COLUMN note TEXT";

fn first() -> Migration {
    embedded::migrations::runner().get_migrations()[0].clone()
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
    migrate_with(&mut connection, directory.path(), &[first(), later("V2__note", SECOND)]).unwrap();
    assert_eq!(applied(&connection).unwrap(), Some(2));
    assert_eq!(files(directory.path()), [DATABASE, "tertulia.db.pre-2"]);
    let copy = Connection::open(directory.path().join("tertulia.db.pre-2")).unwrap();
    assert_eq!(applied(&copy).unwrap(), Some(1));
    assert_eq!(
        copy.query_row("SELECT identity FROM account", [], |row| row.get::<_, String>(0))
            .unwrap(),
        "b"
    );
    assert!(copy.prepare("SELECT note FROM meta").is_err());
    let rights = fs::metadata(directory.path().join("tertulia.db.pre-2"))
        .unwrap()
        .permissions();
    assert_eq!(rights.mode() & 0o777, 0o600);
}

#[test]
fn a_failed_migration_leaves_the_database_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    migrate(&mut connection, directory.path()).unwrap();
    let broken = [
        first(),
        later("V2__note", SECOND),
        later("V3__broken", "SELECT nonsense"),
    ];
    let answer = migrate_with(&mut connection, directory.path(), &broken);
    assert!(matches!(answer, Err(OpenError::Migration(_))), "{answer:?}");
    assert_eq!(applied(&connection).unwrap(), Some(1));
    assert!(connection.prepare("SELECT note FROM meta").is_err());
    migrate_with(&mut connection, directory.path(), &broken[..2]).unwrap();
    assert_eq!(applied(&connection).unwrap(), Some(2));
}

#[test]
fn an_edited_migration_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    migrate_with(&mut connection, directory.path(), &[first(), later("V2__note", SECOND)]).unwrap();
    let edited = [first(), later("V2__note", "ALTER TABLE meta ADD COLUMN other TEXT")];
    let answer = migrate_with(&mut connection, directory.path(), &edited);
    assert!(matches!(answer, Err(OpenError::Edited(2))), "{answer:?}");
}

#[test]
fn a_newer_schema_is_refused_unless_it_allows_older_readers() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = database(directory.path());
    let raise = format!("{SECOND}; UPDATE meta SET value='2' WHERE key='min_reader'");
    migrate_with(&mut connection, directory.path(), &[first(), later("V2__note", &raise)]).unwrap();
    let answer = migrate(&mut connection, directory.path());
    assert!(
        matches!(answer, Err(OpenError::TooNew { found: 2, known: 1 })),
        "{answer:?}"
    );
    connection
        .execute("UPDATE meta SET value='1' WHERE key='min_reader'", [])
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
