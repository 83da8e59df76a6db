//! Matrix, on a real server: how soon an answer is seen, memory, a long absence, and many rooms at once.

mod person;
mod scene;

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};
use tertulia_testkit::matrix_tools::MatrixTools;
use tokio::time::{Instant, sleep};

use crate::machine::{Place, median, millis};
use crate::table::{Table, Target};
use person::{Echo, Person, Watch};
use scene::Scene;

/// So many answers are measured in each room.
const TURNS: usize = 30;
/// What the first text of an answer may take beside the server's own time, in milliseconds.
const OWN: f64 = 150.0;
/// Anonymous memory with one encrypted room, in MiB.
const MEMORY: f64 = 30.0;
/// Messages while the bot is away.
const MISSED: usize = 300;
const ROOMS: usize = 20;
/// Messages in each of the rooms.
const BURST: usize = 5;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(10);
/// How long the bot does nothing before its memory is read.
const IDLE: Duration = Duration::from_secs(5);

pub(crate) async fn measure(place: &Place, table: &mut Table) -> Result<()> {
    let Some(tools) = MatrixTools::find_for("the figures of Matrix") else {
        return Ok(());
    };
    let mut scene = Scene::start(&tools, place).await?;
    let on = place.name;
    first_text(&scene, on, table).await?;
    first_encrypted_text(&mut scene, &tools, on, table).await?;
    missed(&mut scene, on, table).await?;
    burst(&scene, on, table).await
}

/// The bot and a bare echo take turns, so that both see the same load.
async fn first_text(scene: &Scene, on: &str, table: &mut Table) -> Result<()> {
    let anna = scene.person("anna").await?;
    let room = scene.room(&anna).await?;
    let echo = Echo::start(scene.person("echo").await?, &anna).await?;
    let mut watch = Watch::start(&anna).await?;
    let (mut bot, mut bare, mut server) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for (room, times) in [(&room, &mut bot), (&echo.room, &mut bare)] {
            let begun = Instant::now();
            anna.say(room, &format!("turn {turn}.")).await?;
            let accepted = Instant::now();
            server.push(accepted - begun);
            times.push(watch.other(room).await?.saturating_duration_since(accepted));
            watch.calm(room, Duration::from_millis(300)).await;
        }
    }
    let server = millis(median(server)?);
    table.add(
        format!("Matrix, state on {on}: the server's own time for one send"),
        server,
        "ms",
        None,
    );
    table.add(
        "- a bare echo, from a question to its answer",
        millis(median(bare)?),
        "ms",
        None,
    );
    let target = Some(Target::AtMost(OWN + server));
    table.add("- first text of an answer in clear", millis(median(bot)?), "ms", target);
    Ok(())
}

async fn first_encrypted_text(scene: &mut Scene, tools: &MatrixTools, on: &str, table: &mut Table) -> Result<()> {
    let account = scene.server.account("ben").await?;
    let ben = MatrixPerson::start(tools, scene.server.url(), &account).await?;
    let room = ben.create(&NewRoom::encrypted().direct().with(&scene.bot)).await?;
    ben.wait_for_member(&room, &scene.bot, "join").await?;
    // on a device of its own, which has no keys: it sees that there is an event
    let mut watch = Watch::start(&Person::login(scene.server.url(), &account).await?).await?;
    let mut times = Vec::new();
    for turn in 0..TURNS {
        ben.say(&room, &Saying::new(&format!("turn {turn}."))).await?;
        let accepted = Instant::now();
        times.push(watch.other(&room).await?.saturating_duration_since(accepted));
        watch.calm(&room, Duration::from_millis(300)).await;
    }
    // the first one makes sessions with everybody
    let first = times.remove(0);
    table.add(
        format!("Matrix, state on {on}: first text of an encrypted answer"),
        millis(median(times)?),
        "ms",
        None,
    );
    table.add("- of the first one in a room", millis(first), "ms", None);
    sleep(IDLE).await;
    let memory = scene.daemon.memory()?;
    let what = format!(
        "memory after {} messages in two rooms, one encrypted: anonymous",
        2 * TURNS
    );
    table.add(what, memory.anonymous, "MiB", None);
    scene.daemon.revive()?;
    ben.say(&room, &Saying::new("once more")).await?;
    ben.wait(serde_json::json!({"room": room, "sender": scene.bot}), "once more")
        .await?;
    sleep(IDLE).await;
    let memory = scene.daemon.memory()?;
    let target = Some(Target::AtMost(MEMORY));
    table.add(
        "- after a new start and one encrypted answer: anonymous",
        memory.anonymous,
        "MiB",
        target,
    );
    table.add("- resident", memory.resident, "MiB", None);
    missed_encrypted(scene, &ben, &room, table).await
}

fn word(nth: usize) -> String {
    format!("word {nth:03}.")
}

async fn missed_encrypted(scene: &mut Scene, ben: &MatrixPerson, room: &str, table: &mut Table) -> Result<()> {
    scene.daemon.kill()?;
    for nth in 0..MISSED {
        ben.say(room, &Saying::new(&word(nth))).await?;
    }
    let begun = Instant::now();
    scene.daemon.revive()?;
    let answers = until_all(async || ben.shown(room, &scene.bot).await.map_err(Into::into)).await?;
    let took = begun.elapsed();
    in_order(&answers)?;
    table.add(
        format!("{MISSED} encrypted messages while the bot was away, until all are answered"),
        took.as_secs_f64(),
        "s",
        None,
    );
    Ok(())
}

async fn missed(scene: &mut Scene, on: &str, table: &mut Table) -> Result<()> {
    let anna = scene.person("cara").await?;
    let room = scene.room(&anna).await?;
    scene.daemon.kill()?;
    for nth in 0..MISSED {
        anna.say(&room, &word(nth)).await?;
    }
    let begun = Instant::now();
    scene.daemon.revive()?;
    let answers = until_all(async || anna.shown(&room, &scene.bot).await).await?;
    let took = begun.elapsed();
    in_order(&answers)?;
    let what = format!("Matrix, state on {on}: {MISSED} messages while the bot was away, until all are answered");
    table.add(what, took.as_secs_f64(), "s", None);
    Ok(())
}

/// Looks until every word of those that were missed is in some message.
async fn until_all(shown: impl AsyncFn() -> Result<Vec<Value>>) -> Result<Vec<Value>> {
    let until = Instant::now() + PATIENCE;
    loop {
        let answers = shown().await?;
        let count = answers.iter().filter(|answer| number(answer).is_some()).count();
        if count >= MISSED {
            return Ok(answers);
        }
        ensure!(Instant::now() < until, "{count} of {MISSED} answers");
        sleep(Duration::from_millis(250)).await;
    }
}

fn number(answer: &Value) -> Option<usize> {
    let body = answer.get("body")?.as_str()?;
    body.strip_prefix("You said: word ")?.trim_end_matches('.').parse().ok()
}

fn in_order(answers: &[Value]) -> Result<()> {
    let numbers: Vec<usize> = answers.iter().filter_map(number).collect();
    ensure!(
        numbers == (0..MISSED).collect::<Vec<_>>(),
        "not once and in order: {numbers:?}"
    );
    Ok(())
}

/// In many rooms at once, several questions each.
async fn burst(scene: &Scene, on: &str, table: &mut Table) -> Result<()> {
    let anna = scene.person("dora").await?;
    let mut rooms = Vec::new();
    for _ in 0..ROOMS {
        rooms.push(scene.room(&anna).await?);
    }
    let begun = Instant::now();
    for nth in 0..BURST {
        for room in &rooms {
            anna.say(room, &word(nth)).await?;
        }
    }
    let said = begun.elapsed();
    let until = Instant::now() + PATIENCE;
    for room in &rooms {
        loop {
            let shown = anna.shown(room, &scene.bot).await?;
            if shown.iter().filter_map(number).count() >= BURST {
                break;
            }
            ensure!(Instant::now() < until, "not all answered");
            sleep(Duration::from_millis(100)).await;
        }
    }
    let count = u32::try_from(ROOMS * BURST).context("a small number")?;
    let what = format!("Matrix, state on {on}: {count} questions in {ROOMS} rooms at once: said within");
    table.add(what, said.as_secs_f64(), "s", None);
    table.add(
        "- answered",
        f64::from(count) / begun.elapsed().as_secs_f64(),
        "/s",
        None,
    );
    Ok(())
}
