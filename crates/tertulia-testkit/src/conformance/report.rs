//! Counts what ran, what failed and what was skipped.

use std::collections::BTreeMap;
use std::fmt;

/// The result of one run.
#[derive(Debug, Default)]
pub struct Report {
    ran: usize,
    failures: Vec<String>,
    skipped: BTreeMap<String, usize>,
}

impl Report {
    /// How many vectors were run, failed ones included.
    #[must_use]
    pub fn ran(&self) -> usize {
        self.ran
    }

    /// One line per vector that failed: its id, and how the outcome differs.
    #[must_use]
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// How many vectors were skipped, by their operation.
    #[must_use]
    pub fn skipped(&self) -> &BTreeMap<String, usize> {
        &self.skipped
    }

    pub(super) fn add(&mut self, id: &str, verdict: Result<(), String>) {
        self.ran += 1;
        if let Err(difference) = verdict {
            self.failures.push(format!("{id}: {difference}"));
        }
    }

    pub(super) fn skip(&mut self, op: &str) {
        *self.skipped.entry(op.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ran {}, failed {}", self.ran, self.failures.len())?;
        for failure in &self.failures {
            write!(f, "\nfailed: {failure}")?;
        }
        for (op, count) in &self.skipped {
            write!(f, "\nskipped: {op} ({count})")?;
        }
        Ok(())
    }
}
