//! From nothing to the first answer, and what it costs to be there.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use reqwest::Client;

use crate::daemon::Daemon;
use crate::machine::{Place, median, millis};
use crate::table::{Table, Target};
use crate::turn::question;

const STARTS: usize = 20;
/// How long it is left alone before its memory counts as idle.
const IDLE: Duration = Duration::from_secs(5);

/// Starts it again and again in a new home, without a configuration.
pub(crate) async fn measure(table: &mut Table) -> Result<()> {
    let place = Place::disk();
    let client = Client::builder().no_proxy().build()?;
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..STARTS {
        // the one before ends first
        drop(last.take());
        let begun = Instant::now();
        let mut daemon = Daemon::start(&place.folder, None)?;
        let url = daemon.url().await?;
        let mut answer = question(&client, &url, "first").send().await?.error_for_status()?;
        answer.chunk().await?.context("an empty answer")?;
        times.push(begun.elapsed());
        answer.bytes().await?;
        last = Some(daemon);
    }
    let target = Some(Target::AtMost(300.0));
    table.add(
        "exec to first answer, no configuration",
        millis(median(times)?),
        "ms",
        target,
    );
    let daemon = last.context("it was never started")?;
    tokio::time::sleep(IDLE).await;
    let memory = daemon.memory()?;
    table.add(
        "idle memory, anonymous",
        memory.anonymous,
        "MiB",
        Some(Target::AtMost(12.0)),
    );
    table.add(
        "idle memory, resident",
        memory.resident,
        "MiB",
        Some(Target::AtMost(45.0)),
    );
    Ok(())
}
