//! The real daemon as a child process, with a home of its own that outlives it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

/// How long starting, stopping or a line of the log may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// A fresh directory in which a daemon finds its configuration and keeps its state.
pub(crate) struct Home(TempDir);

impl Home {
    /// An empty home; in memory where there is such a place, since tests need no disk.
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        Self(tempfile::Builder::new().prefix("tertulia-").tempdir_in(parent).unwrap())
    }

    /// Writes a file, and gives back where it is.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// A file in it, whether it is there or not.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Where the daemon keeps its state.
    pub(crate) fn state(&self) -> PathBuf {
        self.0.path().join("state/tertulia")
    }

    /// A home in a directory of the caller's.
    pub(crate) fn within(parent: &Path) -> Self {
        Self(tempfile::Builder::new().prefix("tertulia-").tempdir_in(parent).unwrap())
    }

    /// The program, with nothing of this process's environment that could change what it does.
    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tertulia"));
        program
            .env_clear()
            .env("HOME", self.0.path())
            .env("XDG_STATE_HOME", self.0.path().join("state"))
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        program
    }

    /// Starts the daemon with a configuration on a free port, and waits until it listens.
    #[track_caller]
    pub(crate) fn start(self, config: &str, environment: &[(&str, &str)]) -> Daemon {
        let file = self.write("bot.toml", config);
        let mut program = self.program();
        program.args(["run", "--port", "0", "--config"]).arg(file);
        program.envs(environment.iter().copied());
        program.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let log = Log::collect(child.stderr.take().unwrap());
        let address = log.wait(|text| text.lines().find_map(listening));
        let mut daemon = Daemon {
            child,
            log,
            url: String::new(),
            home: Some(self),
        };
        match address {
            Some(address) => daemon.url = format!("http://{address}"),
            None => panic!("the daemon does not listen:\n{}", daemon.log()),
        }
        daemon
    }
}

/// A running daemon. It is killed when it is dropped.
pub(crate) struct Daemon {
    child: Child,
    log: Log,
    url: String,
    home: Option<Home>,
}

impl Daemon {
    /// A daemon with a fresh home.
    #[track_caller]
    pub(crate) fn start(config: &str) -> Self {
        Home::new().start(config, &[])
    }

    /// The program, as its owner would call it beside the running daemon.
    pub(crate) fn program(&self) -> Command {
        self.home.as_ref().unwrap().program()
    }

    /// Where it keeps its state.
    pub(crate) fn state(&self) -> PathBuf {
        self.home.as_ref().unwrap().state()
    }

    /// Where its server is, e.g. `http://127.0.0.1:4711`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The home it runs in.
    pub(crate) fn home(&self) -> &Home {
        self.home.as_ref().unwrap()
    }

    /// Everything it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until a line of its log is as wanted.
    #[track_caller]
    pub(crate) fn until_logged(&self, wanted: impl Fn(&str) -> bool) {
        let seen = self.log.wait(|text| text.lines().any(&wanted).then_some(()));
        assert!(seen.is_some(), "never logged:\n{}", self.log());
    }

    /// Writes a file of its home, e.g. its `bot.toml`.
    pub(crate) fn write(&self, name: &str, text: &str) {
        self.home().write(name, text);
    }

    /// Makes it read its configuration again, and waits until it says what became of that.
    #[track_caller]
    pub(crate) fn reload(&self) {
        let is_end =
            |line: &str| line.contains("the configuration was read again") || line.contains("the old one stays");
        let before = self.log().lines().filter(|line| is_end(line)).count();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
        let seen = self
            .log
            .wait(|text| (text.lines().filter(|line| is_end(line)).count() > before).then_some(()));
        assert!(seen.is_some(), "nothing became of it:\n{}", self.log());
    }

    /// Ends it softly; gives back how it ended, its whole log, and its home.
    #[track_caller]
    pub(crate) fn stop(mut self) -> (ExitStatus, String, Home) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(told.success());
        assert!(self.log.wait_end(), "the daemon does not stop:\n{}", self.log());
        let status = self.child.wait().unwrap();
        (status, self.log(), self.home.take().unwrap())
    }

    /// Kills it as a power cut would; gives back its home, for another start.
    pub(crate) fn kill(self) -> Home {
        self.kill_with_log().1
    }

    /// The same, with its whole log.
    pub(crate) fn kill_with_log(mut self) -> (String, Home) {
        self.end();
        self.log.wait_end();
        (self.log(), self.home.take().unwrap())
    }

    /// Waits until it has ended by itself; gives back how, its whole log, and its home.
    #[track_caller]
    pub(crate) fn ended(mut self) -> (ExitStatus, String, Home) {
        assert!(self.log.wait_end(), "it lives on:\n{}", self.log());
        let status = self.child.wait().unwrap();
        (status, self.log(), self.home.take().unwrap())
    }

    fn end(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a child writes to standard error.
#[derive(Clone, Default)]
struct Log(Arc<(Mutex<Written>, Condvar)>);

#[derive(Default)]
struct Written {
    text: String,
    is_over: bool,
}

impl Log {
    fn collect(stderr: ChildStderr) -> Self {
        let log = Self::default();
        let collected = log.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stderr);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                collected.change(|written| written.text.push_str(&String::from_utf8_lossy(&line)));
                line.clear();
            }
            collected.change(|written| written.is_over = true);
        });
        log
    }

    fn change(&self, change: impl FnOnce(&mut Written)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    fn text(&self) -> String {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).text.clone()
    }

    /// Waits until something is found; none if it is not there at the end, or when patience ends.
    fn wait<T>(&self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let written = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = |written: &mut Written| !written.is_over && find(&written.text).is_none();
        let waited = self.0.1.wait_timeout_while(written, PATIENCE, is_missing);
        find(&waited.unwrap_or_else(PoisonError::into_inner).0.text)
    }

    /// Waits until the child has closed it; false when patience ends first.
    fn wait_end(&self) -> bool {
        let written = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .1
            .wait_timeout_while(written, PATIENCE, |written| !written.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }
}

/// The address in the line that says where the daemon listens, in either format.
fn listening(line: &str) -> Option<String> {
    let (_, after) = line.split_once("listening")?;
    let (_, port) = after.split_once("127.0.0.1:")?;
    let port: String = port.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("127.0.0.1:{port}"))
}
