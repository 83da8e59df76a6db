//! Many conversations at once on a chat platform, and ten thousand that are only remembered.

use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use tertulia_core::courier::RESENT_MARK;
use tertulia_testkit::chat_double::{Expected, Judge, Kind, RecordAct, Rules, Said};
use tertulia_testkit::loopback_server::LoopbackServer;
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, cpu};
use crate::machine::{Place, millis};
use crate::table::{Table, Target};

/// The platform lives in this process.
const OURSELVES: &str = "/proc/self/stat";
const AT_ONCE: u32 = 100;
const MESSAGES_EACH: u32 = 50;
const STORED: u32 = 10_000;
/// How long all of it may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// Nothing has to happen for so long before all is said.
const STILL: Duration = Duration::from_secs(2);
/// What ends every answer to a greeting.
const LAST_WORDS: &str = "shows how).";

/// Turns a second, from the first message to the last answer by the platform's own clock.
pub(crate) async fn rate(place: &Place, progress: &str, table: &mut Table) -> Result<()> {
    let before = cpu(OURSELVES)?;
    let (server, daemon) = answered(place, progress, AT_ONCE, MESSAGES_EACH).await?;
    let (bot, platform) = (daemon.cpu()?, cpu(OURSELVES)?.saturating_sub(before));
    let records = server.double().records();
    let said = records
        .iter()
        .find(|record| matches!(record.act, RecordAct::Said { .. }));
    let first = said.map_or(Duration::ZERO, |record| record.at);
    let last = records.last().map_or(first, |record| record.at);
    let messages = f64::from(AT_ONCE * MESSAGES_EACH);
    let turns = messages / last.saturating_sub(first).as_secs_f64();
    let what = format!(
        "{AT_ONCE} conversations at once, progress {progress}, state on {}",
        place.name
    );
    table.add(what, turns, "turns/s", Some(Target::AtLeast(500.0)));
    table.add(
        "- processor time of the bot for each",
        millis(bot) / messages,
        "ms",
        None,
    );
    table.add(
        "- processor time of the platform for each",
        millis(platform) / messages,
        "ms",
        None,
    );
    Ok(())
}

/// Memory when there are many conversations and nobody speaks.
pub(crate) async fn stored(table: &mut Table) -> Result<()> {
    let (_server, daemon) = answered(&Place::disk(), "hidden", STORED, 1).await?;
    let memory = daemon.memory()?;
    let target = Some(Target::AtMost(150.0));
    table.add(
        format!("{STORED} stored conversations, resident"),
        memory.resident,
        "MiB",
        target,
    );
    table.add(
        format!("{STORED} stored conversations, anonymous"),
        memory.anonymous,
        "MiB",
        None,
    );
    Ok(())
}

/// People in so many chats say so much at once, and are answered.
async fn answered(place: &Place, progress: &str, chats: u32, each: u32) -> Result<(LoopbackServer, Daemon)> {
    let rules = Rules {
        text_limit: 4_000,
        ..Rules::of(Kind::Keyed)
    };
    let server = LoopbackServer::start(rules).await?;
    let mut daemon = Daemon::start(&place.folder, Some(&config(&server.base_url(), progress)))?;
    daemon.url().await?;
    for _ in 0..each {
        for chat in 0..chats {
            server.say(Said::direct(format!("c{chat}"), "p", "hello"));
        }
    }
    until_still(&server).await?;
    let judge = Judge {
        resent_mark: RESENT_MARK,
        notices: &["⚠️"],
        expected: &|_| Expected::Contains(LAST_WORDS.to_owned()),
    };
    match server.verdict(&judge) {
        Ok(_) => Ok((server, daemon)),
        Err(faults) => {
            let first: Vec<_> = faults.into_iter().take(5).collect();
            Err(anyhow!("{}", first.join("\n")))
        }
    }
}

/// Waits until everything is read and nothing more is written. The judge takes too long to be asked again and again.
async fn until_still(server: &LoopbackServer) -> Result<()> {
    let double = server.double();
    let until = Instant::now() + PATIENCE;
    let (mut seen, mut since) = (0, Instant::now());
    while Instant::now() < until {
        sleep(Duration::from_millis(500)).await;
        let acts = double.records().len();
        if acts != seen {
            (seen, since) = (acts, Instant::now());
        } else if double.waiting(Some(double.confirmed())) == 0 && since.elapsed() > STILL {
            return Ok(());
        }
    }
    bail!("it does not come to rest")
}

fn config(base_url: &str, progress: &str) -> String {
    format!(
        r#"
        [interfaces.loopback]
        kind = "loopback"
        base_url = "{base_url}"
        progress = "{progress}"
        [providers.demo]
        kind = "demo"
        [access.interfaces]
        loopback = "user"
        [limits]
        queue = 1000
        [store]
        directory = "state"
        "#
    )
}
