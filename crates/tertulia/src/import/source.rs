//! The older bot's file: opened so that nothing of it changes, its table found by its columns, its rows one by one.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags};

use crate::failure::Failure;

/// Columns that a table must have; the sender's may be called otherwise, and there may be no threads.
const REQUIRED: [&str; 4] = ["interface", "chat_id", "message_text", "timestamp"];

/// Usual names of the column that says who spoke, the best first.
const SENDERS: [&str; 12] = [
    "sender",
    "role",
    "from",
    "user",
    "username",
    "sender_name",
    "author",
    "from_user",
    "user_name",
    "name",
    "sender_id",
    "user_id",
];

/// An older bot's file.
pub(super) struct Source {
    db: Connection,
    file: PathBuf,
}

/// The table that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    /// All columns, for what is said about rows that cannot be converted.
    pub(super) columns: Vec<String>,
    interface: usize,
    chat: usize,
    thread: Option<usize>,
    sender: usize,
    text: usize,
    timestamp: usize,
    has_rowid: bool,
}

/// A row as it stands there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its number: the database's own, or the place in the table.
    pub(super) number: i64,
    pub(super) interface: Value,
    pub(super) chat: Value,
    pub(super) thread: Value,
    pub(super) sender: Value,
    pub(super) text: Value,
    pub(super) timestamp: Value,
    /// True if the column of the sender tells a role: there, others than people and the bot speak, too.
    pub(super) is_role: bool,
    /// All of it.
    pub(super) values: Vec<Value>,
}

impl Source {
    /// Opens the file for reading, whatever its bot did last.
    pub(super) fn open(file: &Path) -> Result<Self, Failure> {
        let shown = file.display();
        let wrong = |problem: String| Failure::invalid(format!("{shown} (--from) {problem}"));
        let mut head = Vec::new();
        let opened = File::open(file).and_then(|file| file.take(100).read_to_end(&mut head));
        opened.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if !head.is_empty() && !head.starts_with(b"SQLite format 3\0") {
            return Err(wrong("is no SQLite database".to_owned()));
        }
        // byte 18 is 2 with a write-ahead log; without its file nobody has it open, and opening it as usual would make one
        let is_logged = head.get(18) == Some(&2);
        let log = {
            let mut log = file.as_os_str().to_owned();
            log.push("-wal");
            PathBuf::from(log)
        };
        let is_still = is_logged && !log.exists();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let address = address(file, is_still).ok_or_else(|| wrong("has a name that is not UTF-8".to_owned()))?;
        let db = Connection::open_with_flags(address, flags)
            .and_then(|db| {
                // one view of everything, also while its bot writes
                db.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
                Ok(db)
            })
            .map_err(|error| {
                wrong(format!(
                    "cannot be opened: {error}; stop its bot, and copy the file and those beside it to a place of your own"
                ))
            })?;
        Ok(Self {
            db,
            file: file.to_owned(),
        })
    }

    /// Finds the table.
    pub(super) fn table(&self, wanted: Option<&str>, sender: Option<&str>) -> Result<Table, Failure> {
        let wrong = |problem: String| Failure::invalid(format!("{} (--from) {problem}", self.file.display()));
        let names = self
            .tables()
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if let Some(wanted) = wanted {
            let name = names.iter().find(|name| name.eq_ignore_ascii_case(wanted));
            let name = name.ok_or_else(|| wrong(format!("has no table {wanted:?}; it has {}", list(&names))))?;
            return self.inspect(name, sender).map_err(wrong);
        }
        let mut found = Vec::new();
        let mut problems = Vec::new();
        for name in &names {
            match self.inspect(name, sender) {
                Ok(table) => found.push(table),
                Err(problem) => problems.push(problem),
            }
        }
        if let (Some(table), true) = (found.pop(), found.is_empty()) {
            return Ok(table);
        }
        if problems.len() == names.len() {
            let problems = problems.join("; ");
            return Err(wrong(format!("has no table with a history in it: {problems}")));
        }
        Err(wrong(format!(
            "has several tables with a history in them; say which with --table: {}",
            list(&names)
        )))
    }

    fn tables(&self) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
        let mut statement = self.db.prepare(sql)?;
        let names = statement.query_map([], |row| row.get(0))?;
        names.collect()
    }

    /// The table of this name, if it has what it takes.
    fn inspect(&self, name: &str, sender: Option<&str>) -> Result<Table, String> {
        let broken = |error: rusqlite::Error| format!("table {name:?} cannot be read: {error}");
        let columns = self.columns(name).map_err(broken)?;
        let place = |wanted: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(wanted));
        let missing: Vec<&str> = REQUIRED.into_iter().filter(|wanted| place(wanted).is_none()).collect();
        if let [Some(interface), Some(chat), Some(text), Some(timestamp)] = REQUIRED.map(place) {
            let found = match sender {
                Some(named) => place(named).ok_or_else(|| format!("table {name:?} has no column {named:?}"))?,
                None => SENDERS.into_iter().find_map(place).ok_or_else(|| {
                    let columns = list(&columns);
                    format!(
                        "table {name:?} has no column that tells the sender; name it with --sender-column: {columns}"
                    )
                })?,
            };
            let quoted = quote(name);
            let thread = place("thread_id");
            return Ok(Table {
                name: name.to_owned(),
                interface,
                chat,
                thread,
                sender: found,
                text,
                timestamp,
                has_rowid: self.db.prepare(&format!("SELECT rowid FROM {quoted}")).is_ok(),
                columns,
            });
        }
        Err(format!("table {name:?} has no column {}", missing.join(", ")))
    }

    fn columns(&self, table: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.db.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        let names = statement.query_map([table], |row| row.get(0))?;
        names.collect()
    }

    /// Hands out every row, in the order of the table.
    pub(super) fn read(&self, table: &Table, mut take: impl FnMut(Row) -> Result<(), Failure>) -> Result<(), Failure> {
        let broken = |error: rusqlite::Error| {
            let file = self.file.display();
            Failure::broken(format!(
                "the table {:?} of {file} (--from) cannot be read: {error}",
                table.name
            ))
        };
        let columns: Vec<String> = table.columns.iter().map(|column| quote(column)).collect();
        let (number, order) = if table.has_rowid {
            ("rowid", " ORDER BY rowid")
        } else {
            ("0", "")
        };
        let sql = format!(
            "SELECT {number}, {} FROM {}{order}",
            columns.join(", "),
            quote(&table.name)
        );
        let mut statement = self.db.prepare(&sql).map_err(broken)?;
        let mut rows = statement.query([]).map_err(broken)?;
        let mut place = 0;
        while let Some(found) = rows.next().map_err(broken)? {
            place += 1;
            let rowid = found.get::<_, i64>(0).map_err(broken)?;
            let number = if table.has_rowid { rowid } else { place };
            let values = (1..=table.columns.len()).map(|nth| value(found, nth));
            let values = values.collect::<rusqlite::Result<Vec<Value>>>().map_err(broken)?;
            take(table.row(number, values))?;
        }
        Ok(())
    }
}

impl Table {
    fn row(&self, number: i64, values: Vec<Value>) -> Row {
        let at = |place: usize| values.get(place).cloned().unwrap_or(Value::Null);
        let sender = self.columns.get(self.sender);
        Row {
            number,
            interface: at(self.interface),
            chat: at(self.chat),
            thread: self.thread.map_or(Value::Null, at),
            sender: at(self.sender),
            text: at(self.text),
            timestamp: at(self.timestamp),
            is_role: sender.is_some_and(|sender| sender.eq_ignore_ascii_case("role")),
            values,
        }
    }
}

/// A value; a text that is no UTF-8 is bytes.
fn value(row: &rusqlite::Row<'_>, nth: usize) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(nth)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Blob(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// The file as SQLite's address; `is_still` promises that nobody writes it.
fn address(file: &Path, is_still: bool) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    let escaped: String = file
        .to_str()?
        .chars()
        .map(|letter| match letter {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            other => other.to_string(),
        })
        .collect();
    Some(format!("file:{escaped}{}", if is_still { "?immutable=1" } else { "" }))
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}
