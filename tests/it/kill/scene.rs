//! A platform with people who write all the time, a bot that is killed under them, and the judge.

use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use tertulia_core::courier::RESENT_MARK;
use tertulia_message::Addressed;
use tertulia_testkit::chat_double::{Expected, Judge, Kind, Question, Rules, Said, Spot, Summary};
use tertulia_testkit::loopback_server::LoopbackServer;
use tokio::time::{Instant, sleep};

use super::bot::{Home, Life, died_by_abort};
use super::chance::Chance;

/// How long a bot may take to reach a crash point, to stop, and to answer everything.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often we look.
const GLANCE: Duration = Duration::from_millis(10);
/// The platform has to be still for so long before the bot is asked to stop.
const STILL: Duration = Duration::from_millis(500);

/// What a scene looks like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) kind: Kind,
    /// `edit` or `hidden`.
    pub(super) progress: &'static str,
    /// The pause of the demo before each word, in milliseconds.
    pub(super) pause_ms: u64,
    pub(super) twice_percent: u8,
    pub(super) chats: usize,
    /// How many messages people write in all.
    pub(super) messages: usize,
    /// The longest silence between two of them, in milliseconds.
    pub(super) silence_ms: u64,
    pub(super) on_disk: bool,
}

/// A platform with its people, and the bot's folder.
pub(super) struct Scene {
    setting: Setting,
    server: LoopbackServer,
    home: Home,
    chance: Chance,
    said: usize,
    next_word: Instant,
}

impl Scene {
    pub(super) async fn new(setting: Setting, chance: Chance) -> Result<Self> {
        let mut rules = Rules::of(setting.kind);
        rules.twice_percent = setting.twice_percent;
        let server = LoopbackServer::start(rules).await?;
        let home = Home::new(&config(&server.base_url(), setting), setting.on_disk)?;
        Ok(Self {
            setting,
            server,
            home,
            chance,
            said: 0,
            next_word: Instant::now(),
        })
    }

    /// People say the next few things at once.
    pub(super) fn say(&mut self, count: usize) {
        for _ in 0..count.min(self.setting.messages - self.said) {
            let said = self.next_said();
            self.server.say(said);
            self.said += 1;
        }
    }

    fn next_said(&self) -> Said {
        let (chat, round) = (self.said % self.setting.chats, self.said / self.setting.chats);
        let in_thread = round % 2 == 1;
        let name = format!("c{chat}");
        let (spot, addressed) = if in_thread {
            (Spot::thread(name, "t"), Addressed::Mention)
        } else {
            (Spot::chat(name), Addressed::Direct)
        };
        let person = format!("p{}", self.said % 7);
        match self.said % 5 {
            1 => Said::at(spot, person, "time", addressed),
            4 => Said::at(spot, person, "/path", Addressed::Command),
            _ => Said::at(spot, person, format!("word {:04}.", self.said), addressed),
        }
    }

    /// Lets people write for a while, at uneven moments.
    fn chatter(&mut self) {
        let now = Instant::now();
        if now >= self.next_word {
            self.say(1);
            self.next_word = now + Duration::from_millis(self.chance.below(self.setting.silence_ms));
        }
    }

    fn start(&self, crash_at: Option<&str>) -> Result<Life> {
        self.server.bot_restarted();
        self.home.start(crash_at)
    }

    /// A life that ends at a crash point.
    pub(super) async fn die_at(&mut self, point: &str) -> Result<()> {
        let mut life = self.start(Some(point))?;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            match life.ended()? {
                Some(status) if died_by_abort(status) => return Ok(()),
                Some(status) => bail!("it was to die at {point}, and ended with {status}"),
                None => self.chatter(),
            }
            sleep(GLANCE).await;
        }
        bail!("it did not die at {point}")
    }

    /// A life that is ended from outside, at any moment.
    pub(super) async fn die_within(&mut self, longest: Duration) -> Result<()> {
        let mut life = self.start(None)?;
        let longest = u64::try_from(longest.as_micros())?;
        let until = Instant::now() + Duration::from_micros(self.chance.below(longest));
        while Instant::now() < until {
            if let Some(status) = life.ended()? {
                bail!("it ended by itself with {status}");
            }
            self.chatter();
            sleep(GLANCE.min(until.saturating_duration_since(Instant::now()))).await;
        }
        life.kill()
    }

    /// The last life: everything is answered, then it stops when asked, and the judge speaks.
    pub(super) async fn settle(&mut self) -> Result<Summary> {
        self.say(self.setting.messages);
        let mut life = self.start(None)?;
        let until = Instant::now() + PATIENCE;
        let mut seen = (0, Instant::now());
        loop {
            if let Some(status) = life.ended()? {
                bail!("it ended by itself with {status}");
            }
            let acts = self.server.double().records().len();
            let now = Instant::now();
            if acts != seen.0 {
                seen = (acts, now);
            }
            let double = self.server.double();
            let is_read = double.waiting(Some(double.confirmed())) == 0;
            if now > until || (is_read && now > seen.1 + STILL && self.judge().is_ok()) {
                break;
            }
            sleep(10 * GLANCE).await;
        }
        let stopped = life.stop(PATIENCE).await;
        let summary = self.judge()?;
        stopped.map(|()| summary)
    }

    fn judge(&self) -> Result<Summary> {
        let judge = Judge {
            resent_mark: RESENT_MARK,
            notices: &["⚠️"],
            expected: &expected,
        };
        let verdict = self.server.verdict(&judge);
        verdict.map_err(|faults| anyhow!("{}", faults.join("\n")))
    }

    /// What to look at when something was wrong.
    pub(super) fn keep(&mut self) -> String {
        self.home.keep()
    }
}

fn expected(question: &Question) -> Expected {
    Expected::Contains(match question.text.as_str() {
        "/path" => format!("This conversation's path is loopback/{}.", question.spot),
        "time" => "The tool now says:".to_owned(),
        word => format!("You said: {word}"),
    })
}

fn config(base_url: &str, setting: Setting) -> String {
    let Setting { progress, pause_ms, .. } = setting;
    format!(
        r#"
        [interfaces.ollama_serve]
        enabled = false
        [interfaces.loopback]
        kind = "loopback"
        base_url = "{base_url}"
        progress = "{progress}"
        [providers.demo]
        kind = "demo"
        pause_ms = {pause_ms}
        [access.interfaces]
        loopback = "user"
        [store]
        directory = "state"
        "#
    )
}
