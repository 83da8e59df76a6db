//! Commands on a chat platform while a hundred answers stream: how soon one is answered, and how soon a stop is felt.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use tertulia_testkit::chat_double::{Kind, RecordAct, Rules, Said};
use tertulia_testkit::loopback_server::LoopbackServer;
use tertulia_testkit::model_double::{Ending, ModelDouble, Script};
use tokio::time::sleep;

use crate::daemon::Daemon;
use crate::machine::{Place, fsync, median, millis};
use crate::table::{Table, Target};

const STREAMING: usize = 100;
const COMMANDS: usize = 100;
const STOPS: usize = 50;
/// A piece of every answer comes so often: two thousand a second in all.
const PACE: Duration = Duration::from_millis(50);
/// What a command may cost beside the fsyncs, in milliseconds.
const OWN: f64 = 5.0;
/// Accepting it, storing its answer, and noting that the post is about to go out.
const FSYNCS: f64 = 3.0;
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the doubles are looked at.
const GLANCE: Duration = Duration::from_micros(200);

pub(crate) async fn measure(place: &Place, table: &mut Table) -> Result<()> {
    let scene = Scene::start(place).await?;
    scene.stream(STREAMING).await?;
    let answered = scene.commands().await?;
    let most = FSYNCS.mul_add(millis(fsync(scene.daemon.folder())?), OWN);
    table.add(
        format!("command while {STREAMING} answers stream, state on {}", place.name),
        millis(answered),
        "ms",
        Some(Target::AtMost(most)),
    );
    let (closed, worst) = scene.stops().await?;
    table.add(
        format!(
            "/stop to the closed connection of the provider, state on {}",
            place.name
        ),
        millis(closed),
        "ms",
        Some(Target::AtMost(50.0)),
    );
    table.add("- the slowest of them", millis(worst), "ms", None);
    Ok(())
}

struct Scene {
    platform: LoopbackServer,
    model: ModelDouble,
    daemon: Daemon,
}

impl Scene {
    async fn start(place: &Place) -> Result<Self> {
        let rules = Rules {
            text_limit: 4_000,
            ..Rules::of(Kind::Findable)
        };
        let platform = LoopbackServer::start(rules).await?;
        let model = ModelDouble::start().await?;
        let config = config(&platform.base_url(), &model.base_url());
        let mut daemon = Daemon::start(&place.folder, Some(&config))?;
        daemon.url().await?;
        Ok(Self {
            platform,
            model,
            daemon,
        })
    }

    /// So many chats more get an answer that does not end.
    async fn stream(&self, chats: usize) -> Result<()> {
        let begun = self.model.calls().len();
        for nth in 0..chats {
            self.model.push(Script::Endless(PACE));
            self.say(&format!("c{}", begun + nth), "hello");
        }
        until(|| (self.model.calls().len() == begun + chats).then_some(())).await
    }

    /// The median from a command to its answer, by the platform's clock.
    async fn commands(&self) -> Result<Duration> {
        let mut times = Vec::new();
        for nth in 0..COMMANDS {
            // every second one where an answer streams
            let chat = if nth % 2 == 0 {
                "quiet".to_owned()
            } else {
                format!("c{nth}")
            };
            let seen = self.platform.double().records().len();
            self.say(&chat, "/whoami");
            let (said, posted) = until(|| self.answered(seen, &chat)).await?;
            times.push(posted.saturating_sub(said));
        }
        median(times)
    }

    /// When the latest words of a chat were said, and when they were answered.
    fn answered(&self, seen: usize, chat: &str) -> Option<(Duration, Duration)> {
        let records = self.platform.double().records();
        let here = || records.iter().skip(seen).filter(|record| record.spot.chat == chat);
        let said = here().find(|record| matches!(record.act, RecordAct::Said { .. }))?;
        let posted = here().find(|record| record.act == RecordAct::Posted && record.text.contains("level"))?;
        Some((said.at, posted.at))
    }

    /// From `/stop` to the moment at which the provider sees its connection closed: the median and the worst.
    async fn stops(&self) -> Result<(Duration, Duration)> {
        let mut times = Vec::new();
        for nth in 0..STOPS {
            let open = self.open();
            let begun = Instant::now();
            self.say(&format!("c{nth}"), "/stop");
            until(|| (self.open() < open).then_some(())).await?;
            times.push(begun.elapsed());
        }
        ensure!(self.open() == STREAMING - STOPS, "other answers ended as well");
        let worst = times.iter().max().copied().unwrap_or_default();
        Ok((median(times)?, worst))
    }

    fn open(&self) -> usize {
        let calls = self.model.calls();
        calls.iter().filter(|call| call.ending == Ending::Open).count()
    }

    fn say(&self, chat: &str, text: &str) {
        self.platform.say(Said::direct(chat, "p", text));
    }
}

async fn until<T>(look: impl Fn() -> Option<T>) -> Result<T> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(found) = look() {
            return Ok(found);
        }
        sleep(GLANCE).await;
    }
    bail!("what was waited for does not come")
}

fn config(platform: &str, model: &str) -> String {
    format!(
        r#"
        [interfaces.loopback]
        kind = "loopback"
        base_url = "{platform}"
        progress = "edit"
        [providers.p]
        kind = "openai"
        model = "{}"
        base_url = "{model}"
        [access.interfaces]
        loopback = "user"
        [store]
        directory = "state"
        "#,
        ModelDouble::MODEL
    )
}
