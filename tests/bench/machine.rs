//! The machine: what it is, how busy it is, and how long its disks take.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// Where a bot keeps its state.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// For the table.
    pub(crate) name: &'static str,
    /// An existing folder.
    pub(crate) folder: PathBuf,
}

impl Place {
    /// A disk, or whatever the build folder is on.
    pub(crate) fn disk() -> Self {
        Self {
            name: "disk",
            folder: env!("CARGO_TARGET_TMPDIR").into(),
        }
    }

    /// The disk, and memory where it can be had as a file system.
    pub(crate) fn all() -> Vec<Self> {
        let memory = Self {
            name: "memory",
            folder: "/dev/shm".into(),
        };
        let has_memory = memory.folder.is_dir();
        std::iter::once(Self::disk())
            .chain(has_memory.then_some(memory))
            .collect()
    }
}

/// One paragraph on the machine.
pub(crate) fn describe() -> Result<String> {
    let cores = available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let build = if cfg!(debug_assertions) {
        "NOT optimised: these figures say nothing"
    } else {
        "optimised"
    };
    Ok(format!(
        "cores: {cores}, kernel {}, load average before: {}; build: {build}",
        kernel.trim(),
        load()?
    ))
}

/// The load averages of 1, 5 and 15 minutes.
pub(crate) fn load() -> Result<String> {
    let load = fs::read_to_string("/proc/loadavg")?;
    Ok(load.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

/// How long it takes to write a page and have it on disk, at the median of 50.
pub(crate) fn fsync(folder: &Path) -> Result<Duration> {
    let path = folder.join("fsync");
    let mut file = File::create(&path)?;
    let mut times = Vec::new();
    for _ in 0..50 {
        file.seek(SeekFrom::Start(0))?;
        let begun = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    fs::remove_file(path)?;
    median(times)
}

/// The middle one.
pub(crate) fn median(mut times: Vec<Duration>) -> Result<Duration> {
    times.sort();
    times.get(times.len() / 2).copied().context("nothing was measured")
}

/// Milliseconds with their fractions.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
