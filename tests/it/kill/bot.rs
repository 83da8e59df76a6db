//! The real binary as a child: its folder, its lives, and how each of them ended.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout_at};

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
/// How much of a log is shown when something is wrong.
const TAIL: usize = 4_000;

/// The folder of one bot: configuration, database, log. It outlives every process.
pub(super) struct Home {
    folder: TempDir,
    variable: Option<(&'static str, String)>,
}

impl Home {
    /// A new folder in memory where there is such a file system, or on disk; the variable is for every life.
    pub(super) fn new(config: &str, variable: Option<(&'static str, String)>, on_disk: bool) -> Result<Self> {
        let memory = Path::new("/dev/shm");
        let base = if on_disk || !memory.is_dir() {
            PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        } else {
            memory.to_owned()
        };
        let folder = tempfile::Builder::new().prefix("tertulia-kill-").tempdir_in(base)?;
        fs::write(folder.path().join("bot.toml"), config)?;
        Ok(Self { folder, variable })
    }

    /// Starts the bot; with a crash point, it is to die there.
    pub(super) fn start(&self, crash_at: Option<&str>) -> Result<Life> {
        let log = File::options().create(true).append(true).open(self.log())?;
        let child = Command::new(env!("CARGO_BIN_EXE_tertulia"))
            .args(["run", "--config"])
            .arg(self.folder.path().join("bot.toml"))
            .current_dir(self.folder.path())
            .env_clear()
            .envs(self.variable.clone())
            .envs(crash_at.map(|point| ("TERTULIA_CRASH_AT", point)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("the binary does not start")?;
        Ok(Life { child })
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The end of the log of all lives, and the folder, which stays.
    pub(super) fn keep(&mut self) -> String {
        self.folder.disable_cleanup(true);
        let mut text = String::new();
        if let Ok(mut log) = File::open(self.log()) {
            // a log that cannot be read is shown as empty
            drop(log.read_to_string(&mut text));
        }
        let skipped = text.chars().count().saturating_sub(TAIL);
        let tail: String = text.chars().skip(skipped).collect();
        format!("{}\n{tail}", self.folder.path().display())
    }
}

/// One life of the bot. It is killed when it is dropped.
pub(super) struct Life {
    child: Child,
}

impl Life {
    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Kills it without warning, and makes sure that it was this that ended it.
    pub(super) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        let status = self.child.wait()?;
        if status.signal() != Some(SIGKILL) {
            bail!("it had ended by itself before it was killed: {status}");
        }
        Ok(())
    }

    /// Asks it to stop, and waits for a clean end.
    pub(super) async fn stop(mut self, patience: Duration) -> Result<()> {
        let asked = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()?;
        if !asked.success() {
            bail!("it could not be asked to stop");
        }
        let status = timeout_at(Instant::now() + patience, async {
            loop {
                if let Some(status) = self.ended()? {
                    return anyhow::Ok(status);
                }
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .context("it does not stop")??;
        if !status.success() {
            bail!("it was asked to stop, and ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // it may have ended already
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Whether this is how a bot ends at a crash point.
pub(super) fn died_by_abort(status: ExitStatus) -> bool {
    status.signal() == Some(SIGABRT)
}
