//! A platform with people who write all the time, a bot that is killed under them, and the judge.

use std::time::Duration;

use anyhow::{Result, bail};
use tertulia_testkit::chat_double::Summary;
use tokio::time::{Instant, sleep};

use super::bot::{Home, Life, died_by_abort};
use super::chance::Chance;
use super::platform::{On, Platform};

/// How long a bot may take to reach a crash point, to stop, and to answer everything.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often we look.
const GLANCE: Duration = Duration::from_millis(10);
/// The platform has to be still for so long before the bot is asked to stop.
const STILL: Duration = Duration::from_millis(500);

/// What a scene looks like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) on: On,
    /// `edit` or `hidden`; on Telegram also `draft`.
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
    platform: Platform,
    home: Home,
    chance: Chance,
    said: usize,
    next_word: Instant,
}

impl Scene {
    pub(super) async fn new(setting: Setting, chance: Chance) -> Result<Self> {
        let platform = Platform::start(setting).await?;
        let config = config(&platform.config(setting), setting);
        let home = Home::new(&config, platform.variable(), setting.on_disk)?;
        Ok(Self {
            setting,
            platform,
            home,
            chance,
            said: 0,
            next_word: Instant::now(),
        })
    }

    /// People say the next few things at once.
    pub(super) fn say(&mut self, count: usize) {
        for _ in 0..count.min(self.setting.messages - self.said) {
            self.platform.say(self.said, self.setting);
            self.said += 1;
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
        self.platform.bot_restarted();
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
            let (acts, is_read) = self.platform.progress();
            let now = Instant::now();
            if acts != seen.0 {
                seen = (acts, now);
            }
            if now > until || (is_read && now > seen.1 + STILL && self.platform.judge().is_ok()) {
                break;
            }
            sleep(10 * GLANCE).await;
        }
        let stopped = life.stop(PATIENCE).await;
        let summary = self.platform.judge()?;
        stopped.map(|()| summary)
    }

    /// What to look at when something was wrong.
    pub(super) fn keep(&mut self) -> String {
        self.home.keep()
    }
}

fn config(platform: &str, setting: Setting) -> String {
    let pause_ms = setting.pause_ms;
    format!(
        r#"
        [interfaces.ollama_serve]
        enabled = false
        {platform}
        [providers.demo]
        kind = "demo"
        pause_ms = {pause_ms}
        [store]
        directory = "state"
        "#
    )
}
