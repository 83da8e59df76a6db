//! What became of the rows, for whoever took them over.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rusqlite::types::Value;
use serde_json::{Map, json};
use tertulia_core::transaction::ImportedLine;

use super::source::{Row, Table};
use crate::control::Sums;
use crate::failure::Failure;
use crate::terminal::{harmless, one_line};

/// So many rows that cannot be converted are shown one by one.
const SHOWN: usize = 20;

/// Counts, and keeps what could not be converted.
pub(super) struct Report {
    table: String,
    columns: Vec<String>,
    pub(super) read: u64,
    pub(super) sums: Sums,
    shown: Vec<String>,
    reasons: BTreeMap<String, u64>,
    /// Lines by interface.
    interfaces: BTreeMap<String, u64>,
    rejected: Option<BufWriter<File>>,
}

impl Report {
    /// A report on a table of a file; rows that cannot be converted are written to another.
    pub(super) fn new(table: &Table, from: &Path, rejected: Option<&Path>) -> Result<Self, Failure> {
        let create = |file: &Path| {
            let shown = file.display();
            let created = create(file, from);
            created.map_err(|error| Failure::invalid(format!("{shown} (--rejected) cannot be written: {error}")))
        };
        Ok(Self {
            table: table.name.clone(),
            columns: table.columns.clone(),
            read: 0,
            sums: Sums::default(),
            shown: Vec::new(),
            reasons: BTreeMap::new(),
            interfaces: BTreeMap::new(),
            rejected: rejected.map(create).transpose()?.map(BufWriter::new),
        })
    }

    pub(super) fn convertible(&mut self, line: &ImportedLine) {
        *self.interfaces.entry(line.path.interface().to_owned()).or_default() += 1;
    }

    pub(super) fn reject(&mut self, row: &Row, reason: String) -> Result<(), Failure> {
        if self.shown.len() < SHOWN {
            self.shown.push(one_line(&format!("row {}: {reason}", row.number)));
        }
        if let Some(file) = &mut self.rejected {
            let values: Map<String, serde_json::Value> =
                self.columns.iter().cloned().zip(row.values.iter().map(shown)).collect();
            let line = json!({"row": row.number, "reason": reason, "values": values});
            writeln!(file, "{line}").map_err(|error| unwritten(&error))?;
        }
        *self.reasons.entry(reason).or_default() += 1;
        Ok(())
    }

    fn rejected(&self) -> u64 {
        self.reasons.values().sum()
    }

    /// Prints it, and ends as it was.
    pub(super) fn finish(mut self, dry_run: bool, configured: Option<&[String]>) -> Result<(), Failure> {
        if let Some(file) = &mut self.rejected {
            file.flush().map_err(|error| unwritten(&error))?;
        }
        let text = self.text(dry_run, configured);
        match io::stdout().lock().write_all(harmless(&text).as_bytes()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(Failure::broken(format!("standard output is closed: {error}")));
            }
            _ => {}
        }
        match self.rejected() {
            0 => Ok(()),
            1 => Err(Failure::partly("one row could not be converted")),
            many => Err(Failure::partly(format!("{many} rows could not be converted"))),
        }
    }

    fn text(&self, dry_run: bool, configured: Option<&[String]>) -> String {
        let (table, read, rejected) = (&self.table, self.read, self.rejected());
        let Sums { added, known } = self.sums;
        let mut text = if dry_run {
            let convertible: u64 = self.interfaces.values().sum();
            format!(
                "{read} rows read from table {table}: {convertible} can be converted, {rejected} cannot; nothing was done\n"
            )
        } else {
            format!(
                "{read} rows read from table {table}: {added} added, {known} known already, {rejected} not convertible\n"
            )
        };
        for line in &self.shown {
            // writing to a string does not fail
            let _ = writeln!(text, "  {line}");
        }
        if usize::try_from(rejected).is_ok_and(|rejected| rejected > self.shown.len()) {
            text.push_str("all of them by reason:\n");
            for (reason, count) in &self.reasons {
                let _ = writeln!(text, "  {count} x {reason}");
            }
        }
        let is_unknown = |name: &String| configured.is_some_and(|configured| !configured.contains(name));
        for (name, count) in self.interfaces.iter().filter(|(name, _)| is_unknown(name)) {
            // what is in keeps its place: only a first run can choose another
            let hint = if dry_run {
                format!("; --interface-map {name}=... gives them to another")
            } else {
                String::new()
            };
            let _ = writeln!(
                text,
                "the interface {name} is not configured: its {count} lines are kept for the day it is{hint}"
            );
        }
        text
    }
}

/// An empty file that only its owner reads, since what people have said is nobody else's business; also where there was one.
/// It may be anything that can be written to, but not the file that is read.
fn create(file: &Path, from: &Path) -> io::Result<File> {
    let created = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .open(file)?;
    let (to, from) = (created.metadata()?, from.metadata()?);
    if (to.dev(), to.ino()) == (from.dev(), from.ino()) {
        return Err(io::Error::other("it is the file of --from"));
    }
    if to.is_file() {
        created.set_permissions(Permissions::from_mode(0o600))?;
        created.set_len(0)?;
    }
    Ok(created)
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::broken(format!("the file of --rejected cannot be written: {error}"))
}

/// A value without loss: bytes in hexadecimal digits.
fn shown(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Integer(number) => json!(number),
        Value::Real(number) if number.is_finite() => json!(number),
        Value::Real(number) => json!(number.to_string()),
        Value::Text(text) => json!(text),
        Value::Blob(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": digits.concat() })
        }
    }
}
