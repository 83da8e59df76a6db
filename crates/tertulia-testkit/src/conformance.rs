//! Runs the conformance vectors of `tests/vectors` against a table of operations.
//!
//! Each crate tests the operations it performs:
//!
//! ```no_run
//! use tertulia_testkit::conformance::Suite;
//!
//! Suite::new().operation("double", |input| Ok((input["n"].as_i64().unwrap_or(0) * 2).into())).check();
//! ```

mod compare;
mod report;
mod vector;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use report::Report;
pub use vector::{LoadError, Vector};

/// The environment variable that replaces the folder of vectors.
pub const FOLDER_VARIABLE: &str = "CONFORMANCE_VECTORS";

/// What an operation made of its input.
pub type Outcome = Result<Value, Failure>;

/// The typed error of an operation, and what it left standing.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    message: String,
    left: Option<Value>,
}

impl Failure {
    /// A failure that leaves `left` as it was before: compared with an expected `unchanged`.
    pub fn leaving(message: &impl ToString, left: Value) -> Self {
        Self {
            message: message.to_string(),
            left: Some(left),
        }
    }
}

impl<E: ToString> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            message: error.to_string(),
            left: None,
        }
    }
}

enum Operation {
    Plain(fn(&Value) -> Outcome),
    Measured(fn(&Value, &Value) -> Outcome),
}

/// The operations that one crate can perform, by name.
#[derive(Default)]
pub struct Suite {
    operations: BTreeMap<&'static str, Operation>,
}

impl Suite {
    /// A suite that knows no operation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation that gets a vector's `input`.
    ///
    /// For vectors with `match: properties` the result is an object with every property that can
    /// be measured; an expected property that is not in it fails.
    #[must_use]
    pub fn operation(mut self, name: &'static str, run: fn(&Value) -> Outcome) -> Self {
        self.operations.insert(name, Operation::Plain(run));
        self
    }

    /// Adds an operation that gets a vector's `input` and `expected`, for properties that are
    /// measured by what is asked (`contains`: give the text back if it is contained).
    #[must_use]
    pub fn measured(mut self, name: &'static str, run: fn(&Value, &Value) -> Outcome) -> Self {
        self.operations.insert(name, Operation::Measured(run));
        self
    }

    /// Runs every vector of the folder whose operation is known.
    ///
    /// # Errors
    /// A folder or file that cannot be read, a malformed vector, or a folder without vectors.
    pub fn run(&self, folder: &Path) -> Result<Report, LoadError> {
        let mut report = Report::default();
        for vector in vector::load(folder)? {
            match self.operations.get(vector.op.as_str()) {
                None => report.skip(&vector.op),
                Some(operation) => {
                    let outcome = match operation {
                        Operation::Plain(run) => run(&vector.input),
                        Operation::Measured(run) => run(&vector.input, &vector.expected),
                    };
                    report.add(&vector.id, compare::judge(&vector, &outcome));
                }
            }
        }
        Ok(report)
    }

    /// Runs the vectors of `tests/vectors`, or of the folder that `CONFORMANCE_VECTORS` names, and
    /// prints the report.
    ///
    /// # Panics
    /// If the folder cannot be read or holds no vector, if a vector fails, or if not one vector of
    /// our own folder has an operation of this suite. (Another folder may hold other operations
    /// only: that is printed.)
    #[track_caller]
    #[expect(clippy::panic, clippy::print_stdout, reason = "this is the body of a test")]
    pub fn check(&self) {
        let replaced = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
        let folder = replaced.clone().unwrap_or_else(default_folder);
        let report = match self.run(&folder) {
            Ok(report) => report,
            Err(error) => panic!("{error}"),
        };
        println!("{report}");
        assert!(report.failures().is_empty(), "conformance: {report}");
        assert!(report.ran() > 0 || replaced.is_some(), "no vector ran: {report}");
    }
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors")
}

#[cfg(test)]
mod tests;
