//! The real binary as a child.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running bot in a folder of its own. It is killed when it is dropped.
pub(crate) struct Daemon {
    child: Child,
    folder: TempDir,
}

/// Memory of a process, in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// What is not backed by a file.
    pub(crate) anonymous: f64,
    /// Everything.
    pub(crate) resident: f64,
}

impl Daemon {
    /// Starts it with nothing in its environment but a home; without a configuration, it makes do.
    pub(crate) fn start(place: &Path, config: Option<&str>) -> Result<Self> {
        Self::start_with(place, config, &[])
    }

    /// The same with further files in its folder, which it may name relative to its configuration.
    pub(crate) fn start_with(place: &Path, config: Option<&str>, files: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tertulia-bench-").tempdir_in(place)?;
        for (name, text) in files {
            fs::write(folder.path().join(name), text)?;
        }
        if let Some(config) = config {
            fs::write(folder.path().join("bot.toml"), config)?;
        }
        let child = spawn(folder.path())?;
        Ok(Self { child, folder })
    }

    /// Kills it; the folder stays, for another start.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Kills it if it still lives, and starts it in the same folder.
    pub(crate) fn revive(&mut self) -> Result<()> {
        // it may be dead already
        drop(self.kill());
        self.child = spawn(self.folder.path())?;
        Ok(())
    }

    /// Where the Ollama door is, as soon as it is open.
    pub(crate) async fn url(&mut self) -> Result<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let log = fs::read_to_string(log(self.folder.path()))?;
            let address = log
                .lines()
                .find_map(|line| line.split_once("listening address=").map(|(_, rest)| rest));
            if let Some(address) = address {
                return Ok(format!("http://{}", address.trim()));
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended with {status}: {log}");
            }
            if Instant::now() > until {
                bail!("it does not listen: {log}");
            }
            sleep(Duration::from_millis(1)).await;
        }
    }

    /// The folder that it works in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The processor time that it has used so far.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu(&format!("/proc/{}/stat", self.child.id()))
    }

    /// Its memory at this moment.
    pub(crate) fn memory(&self) -> Result<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mib = |key: &str| -> Result<f64> {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let kib: u32 = line.context("no such key")?.trim().trim_end_matches(" kB").parse()?;
            Ok(f64::from(kib) / 1024.0)
        };
        Ok(Memory {
            anonymous: mib("RssAnon:")?,
            resident: mib("VmRSS:")?,
        })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // it may have ended already
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn spawn(folder: &Path) -> Result<Child> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tertulia"));
    command.args(["run", "--port", "0"]);
    let config = folder.join("bot.toml");
    if config.exists() {
        command.arg("--config").arg(config);
    }
    let log = File::create(log(folder))?;
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .context("the binary does not start")
}

/// The processor time of a process, from its `stat`; Linux counts it in hundredths of a second.
pub(crate) fn cpu(stat: &str) -> Result<Duration> {
    let stat = fs::read_to_string(stat)?;
    // the name in parentheses may hold blanks; user and system time are the 12th and 13th field behind it
    let (_, fields) = stat.rsplit_once(')').context("not a stat file")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks: u64 = ticks.sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}
