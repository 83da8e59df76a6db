//! What was found, line by line.

use std::io::{self, Write as _};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal::one_line;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Ok,
    Warn,
    Fail,
}

/// What was found, in the order in which it was looked for.
pub(super) struct Report {
    as_json: bool,
    findings: Vec<Value>,
    failed: usize,
    closed: Option<io::Error>,
}

impl Report {
    pub(super) fn new(as_json: bool) -> Self {
        Self {
            as_json,
            findings: Vec::new(),
            failed: 0,
            closed: None,
        }
    }

    /// It is as it should be.
    pub(super) fn ok(&mut self, what: &str, finding: impl Into<String>) {
        self.add(Grade::Ok, what, &finding.into(), None);
    }

    /// It works, but should not stay so.
    pub(super) fn warn(&mut self, what: &str, finding: impl Into<String>, advice: &str) {
        self.add(Grade::Warn, what, &finding.into(), Some(advice));
    }

    /// It does not work, or must not be so.
    pub(super) fn fail(&mut self, what: &str, finding: impl Into<String>, advice: &str) {
        self.failed += 1;
        self.add(Grade::Fail, what, &finding.into(), Some(advice));
    }

    /// Prints what is not yet printed; gives back how much is wrong.
    ///
    /// # Errors
    /// Standard output is closed.
    pub(super) fn finish(mut self) -> Result<usize, Failure> {
        if self.as_json {
            let all = Value::Array(std::mem::take(&mut self.findings));
            self.print(&format!("{all:#}\n"));
        }
        match self.closed {
            None => Ok(self.failed),
            Some(error) => Err(Failure::broken(format!("standard output is closed: {error}"))),
        }
    }

    fn add(&mut self, grade: Grade, what: &str, finding: &str, advice: Option<&str>) {
        let word = match grade {
            Grade::Ok => "ok",
            Grade::Warn => "warn",
            Grade::Fail => "FAIL",
        };
        if self.as_json {
            let finding = json!({"grade": word.to_lowercase(), "what": what, "finding": finding, "advice": advice});
            self.findings.push(finding);
            return;
        }
        // some checks take seconds: what is known is shown
        let (what, finding) = (one_line(what), one_line(finding));
        let advice = advice.map(|advice| format!("      {advice}\n")).unwrap_or_default();
        self.print(&format!("{word:4}  {what}: {finding}\n{advice}"));
    }

    fn print(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        self.closed = self.closed.take().or(printed.err());
    }
}
