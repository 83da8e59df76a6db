//! The programs of `tests/tools/matrix`, as child processes that are spoken to by lines of JSON.
//!
//! `tests/tools/install` installs what they need. A child ends by itself when its standard input ends, so dropping its owner,
//! or killing the test, leaves nothing behind.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// How long one answer may take: longer than any wait inside the programs, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where the programs are, and a Python that can run them.
#[derive(Debug, Clone)]
pub struct MatrixTools {
    python: PathBuf,
    scripts: PathBuf,
}

/// What went wrong with a program, or what it answered with.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It could not be started, or its pipes broke.
    #[error("the program cannot be spoken to: {0}")]
    Pipe(#[from] std::io::Error),
    /// It ended, or said nothing in five minutes.
    #[error("the program gives no answer to {0}")]
    Silent(Value),
    /// It answered something that it should not.
    #[error("the program answered {0}")]
    Odd(Value),
    /// The order failed; `status` and `errcode` are there where it was the Matrix server that refused.
    #[error("{order} failed: {answer}")]
    Refused {
        /// What was ordered.
        order: Value,
        /// `{"error": text, "status"?: code, "errcode"?: code}`.
        answer: Value,
    },
}

impl ToolError {
    /// The HTTP status with which the server refused, if it was the server.
    #[must_use]
    pub fn status(&self) -> Option<u64> {
        match self {
            Self::Refused { answer, .. } => answer.get("status")?.as_u64(),
            _ => None,
        }
    }
}

impl MatrixTools {
    /// Finds the tools. `None` if they are not installed; whoever then skips a test says so with [`MatrixTools::HOW`].
    #[must_use]
    pub fn find() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let tools = root.join(target).join("matrix-tools");
        tools.join("installed-1").exists().then(|| Self {
            python: tools.join("bin/python"),
            scripts: root.join("tests/tools/matrix"),
        })
    }

    /// How to get them.
    pub const HOW: &str = "needs tests/tools/install";

    /// Finds the tools for a test. Without them it says on standard error that the test is skipped.
    ///
    /// # Panics
    ///
    /// Where `TERTULIA_TEST_TOOLS` is `required`, as on CI, and they are not there.
    #[must_use]
    pub fn find_for(test: &str) -> Option<Self> {
        let found = Self::find();
        if found.is_none() {
            let required = std::env::var("TERTULIA_TEST_TOOLS").is_ok_and(|word| word == "required");
            assert!(!required, "{test} {}", Self::HOW);
            // not by a macro, which a test that passes would not be heard with, and in one piece, since others write too
            let skipped = format!("skipped: {test} {}\n", Self::HOW);
            let _ = std::io::stderr().write_all(skipped.as_bytes());
        }
        found
    }

    pub(crate) fn start(&self, script: &str, arguments: &[String]) -> Result<Tool, ToolError> {
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join(script)).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // an interrupt at the terminal would reach it too, and it has its own end
        command.process_group(0);
        let mut child = command.spawn()?;
        let (Some(orders), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ToolError::Odd(json!("no pipes")));
        };
        let pipes = Mutex::new(Pipes {
            orders,
            answers: read(answers),
            owed: 0,
        });
        Ok(Tool { pipes, child })
    }
}

/// Reads on a thread of its own, so that a program belongs to no runtime: tests that share one have a runtime each.
fn read(answers: ChildStdout) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in BufReader::new(answers).lines().map_while(Result::ok) {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// One running program.
#[derive(Debug)]
pub(crate) struct Tool {
    pipes: Mutex<Pipes>,
    child: Child,
}

#[derive(Debug)]
struct Pipes {
    orders: ChildStdin,
    answers: mpsc::Receiver<String>,
    /// How many orders have no answer yet; more than one after whoever waited for one went away.
    owed: usize,
}

impl Tool {
    /// The line that it says by itself.
    pub(crate) async fn first(&self) -> Result<Value, ToolError> {
        let mut pipes = self.pipes.lock().await;
        pipes.owed = 1;
        pipes.answer(&json!("its start")).await
    }

    /// Gives an order, after those that are not yet done, and waits for its answer.
    pub(crate) async fn order(&self, what: &str, mut order: Value) -> Result<Value, ToolError> {
        if let Some(order) = order.as_object_mut() {
            order.insert("do".to_owned(), json!(what));
        }
        let mut pipes = self.pipes.lock().await;
        writeln!(pipes.orders, "{order}")?;
        pipes.owed += 1;
        let answer = pipes.answer(&order).await?;
        if answer.get("error").is_some() {
            return Err(ToolError::Refused { order, answer });
        }
        Ok(answer)
    }

    /// Ends it, and waits until it has cleaned up.
    pub(crate) async fn end(self) -> Result<(), ToolError> {
        let Self { pipes, mut child } = self;
        let Pipes {
            orders, mut answers, ..
        } = pipes.into_inner();
        drop(orders);
        let ended = timeout(PATIENCE, async { while answers.recv().await.is_some() {} });
        ended.await.map_err(|_| ToolError::Silent(json!("its end")))?;
        child.wait()?;
        Ok(())
    }
}

impl Pipes {
    /// The answer to the newest order; those that nobody waits for any more come before it.
    async fn answer(&mut self, order: &Value) -> Result<Value, ToolError> {
        let mut last = String::new();
        while self.owed > 0 {
            let line = timeout(PATIENCE, self.answers.recv()).await;
            let line = line.map_err(|_| ToolError::Silent(order.clone()))?;
            last = line.ok_or_else(|| ToolError::Silent(order.clone()))?;
            self.owed -= 1;
        }
        serde_json::from_str(&last).map_err(|_| ToolError::Odd(json!(last)))
    }
}

/// A text in an answer that always has it.
pub(crate) fn text(answer: &Value, key: &str) -> Result<String, ToolError> {
    let found = answer.get(key).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| ToolError::Odd(answer.clone()))
}
