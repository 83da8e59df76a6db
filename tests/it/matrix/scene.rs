//! A Matrix server with its people, and the daemon as an account on it.
//!
//! One server serves the whole test binary, so accounts and rooms are new in every scene, and nothing may count what is not its
//! own. What it costs on two cores:
//!
//! * cheap: a scene (half a second), a [`PlainPerson`] (a few milliseconds, speaks HTTP), a plain room (a quarter of a second);
//! * dear: a person with an encrypting client ([`Scene::encrypting`], one to two seconds of a whole core), each encrypted room
//!   (half a second), and each start of the bot;
//! * very dear: a server of one's own ([`Setup::alone`], three seconds and 120 MiB), for tests that stop or freeze it.
//!
//! All of the suite is to take less than four minutes. What does not need encryption does without, and what belongs to one
//! account goes into one scene. `anna` is the admin of every scene, and nobody else is let in: see [`Setup`].

mod plain;
mod setup;
mod someone;

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};
use tertulia_testkit::matrix_tools::MatrixTools;
use tertulia_testkit::synapse::{Account, Settings, Synapse};
use tokio::sync::OnceCell;
use tokio::task::block_in_place;
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

pub(crate) use plain::{PlainPerson, encoded};
pub(crate) use setup::Setup;
pub(crate) use someone::Someone;

/// How long an answer may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is looked at.
const GLANCE: Duration = Duration::from_millis(100);
/// The demo, which answers at once: `You said: ` and what was said.
pub(crate) const DEMO: &str = "[providers.demo]\n";
/// The interface that everything here is about.
pub(crate) const BOT: &str = "matrix";

/// The server of all tests that leave it alone.
static SHARED: OnceCell<Synapse> = OnceCell::const_new();
/// Numbers that make names unique.
static SCENES: AtomicUsize = AtomicUsize::new(1);

/// A bot, and the server that it is on. The bot is killed when this is dropped, and its log searched for secrets.
pub(crate) struct Scene {
    tools: MatrixTools,
    own: Option<Synapse>,
    number: usize,
    setup: Setup,
    bot: Account,
    daemon: Option<Daemon>,
    /// The logs of the lives that ended.
    logs: Vec<String>,
}

impl Scene {
    /// A bot with this configuration beside its account. None if Matrix is not installed, which is said.
    pub(crate) async fn start(config: &str) -> Option<Self> {
        Setup::new(config).start().await
    }

    async fn of(setup: Setup) -> Option<Self> {
        let thread = std::thread::current();
        let tools = MatrixTools::find_for(thread.name().unwrap_or("a test of Matrix"))?;
        let own = match &setup.own_server {
            Some(settings) => Some(Synapse::start(&tools, settings).await.unwrap()),
            None => None,
        };
        let number = unique();
        let server = match &own {
            Some(own) => own,
            None => shared(&tools).await,
        };
        let bot = server.account(&format!("bot-{number}")).await.unwrap();
        let mut scene = Self {
            tools,
            own,
            number,
            setup,
            bot,
            daemon: None,
            logs: Vec::new(),
        };
        scene.start_again(Home::new());
        Some(scene)
    }

    fn start_again(&mut self, home: Home) {
        home.write("secret", self.setup.secret(&self.bot));
        let config = self.setup.config(self.number, &self.bot, self.server().url());
        let environment = self.setup.environment();
        self.daemon = Some(block_in_place(|| home.start(&config, &environment)));
    }

    /// A power cut. The bot is away until [`Scene::wake`].
    pub(crate) fn kill(&mut self) -> Home {
        let (log, home) = block_in_place(|| self.daemon.take().unwrap().kill_with_log());
        self.logs.push(log);
        self.check_log();
        home
    }

    /// A stop as systemd asks for it. The bot is away until [`Scene::wake`].
    pub(crate) fn stop(&mut self) -> Home {
        let (status, log, home) = block_in_place(|| self.daemon.take().unwrap().stop());
        assert!(status.success(), "{log}");
        self.logs.push(log);
        self.check_log();
        home
    }

    /// Waits for a death at a crash point. The bot is away until [`Scene::wake`].
    pub(crate) fn died(&mut self) -> Home {
        let (status, log, home) = block_in_place(|| self.daemon.take().unwrap().ended());
        assert!(
            !status.success() && log.contains("dying at a crash point"),
            "{status}\n{log}"
        );
        self.logs.push(log);
        self.check_log();
        home
    }

    /// The next life of a bot that was away.
    pub(crate) fn wake(&mut self, home: Home) {
        self.start_again(home);
    }

    /// A power cut, and another start.
    pub(crate) fn kill_and_start(&mut self) {
        let home = self.kill();
        self.start_again(home);
    }

    /// A stop as systemd asks for it, and another start.
    pub(crate) fn stop_and_start(&mut self) {
        let home = self.stop();
        self.start_again(home);
    }

    /// What the next start is made with.
    pub(crate) fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    /// The server.
    pub(crate) fn server(&self) -> &Synapse {
        let shared = || SHARED.get().unwrap();
        self.own.as_ref().unwrap_or_else(shared)
    }

    /// The running daemon.
    pub(crate) fn daemon(&self) -> &Daemon {
        self.daemon.as_ref().unwrap()
    }

    /// The account of the bot, e.g. for its id.
    pub(crate) fn bot(&self) -> &Account {
        &self.bot
    }

    /// The logs of all lives.
    pub(crate) fn log(&self) -> String {
        let now = self.daemon.as_ref().map(Daemon::log);
        [self.logs.concat(), now.unwrap_or_default()].concat()
    }

    /// Waits until the bot says of itself that it reaches the server, or that it does not.
    pub(crate) async fn is_reached(&self, wanted: bool) {
        let ollama = Ollama::of(self.daemon());
        let find = async || {
            let answer = ollama.get("/readyz").await;
            let is_ready = answer.status().is_success();
            (is_ready == wanted).then_some(answer.text().await.unwrap())
        };
        let told = self.until("the state of the line", find).await;
        assert_eq!(told.contains(BOT), !wanted, "{told}");
    }

    /// An account of somebody, of this name only in this scene.
    pub(crate) async fn account(&self, name: &str) -> Account {
        self.server().account(&named(name, self.number)).await.unwrap()
    }

    /// Somebody who speaks HTTP, and reads and writes in clear.
    pub(crate) async fn plain(&self, name: &str) -> PlainPerson {
        PlainPerson::new(self.server().url(), self.account(name).await)
    }

    /// Somebody with an encrypting client; such a person takes a second or two.
    pub(crate) async fn encrypting(&self, name: &str) -> MatrixPerson {
        let account = self.account(name).await;
        let started = MatrixPerson::start(&self.tools, self.server().url(), &account).await;
        started.unwrap()
    }

    /// A new room of a person who may invite, with the bot in it.
    pub(crate) async fn room(&self, person: &impl Someone, room: NewRoom) -> String {
        let room = person.opens(&room.with(&self.bot.user_id)).await;
        let what = format!("the bot in {room}");
        self.until(&what, async || person.has(&room, &self.bot.user_id).await.then_some(()))
            .await;
        room
    }

    /// Waits for something.
    pub(crate) async fn until<T>(&self, what: &str, find: impl AsyncFn() -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = find().await {
                return found;
            }
            assert!(Instant::now() < until, "{what} never came\n{}", self.log());
            sleep(GLANCE).await;
        }
    }

    /// What the bot shows in a room, oldest first; see [`MatrixPerson::shown`] for the fields.
    pub(crate) async fn shown(&self, person: &impl Someone, room: &str) -> Vec<Value> {
        person.sees(room, &self.bot.user_id).await
    }

    /// Waits until the bot shows a text with this in it; gives the first such message.
    pub(crate) async fn hears(&self, person: &impl Someone, room: &str, part: &str) -> Value {
        let what = format!("{part:?} in {room}");
        let find = async || {
            let shown = self.shown(person, room).await;
            shown.into_iter().find(|shown| has(shown, part))
        };
        self.until(&what, find).await
    }

    /// The same, and nothing more with this in it has come by the time that the bot answered the next question.
    pub(crate) async fn hears_once(&self, person: &impl Someone, room: &str, part: &str) -> Value {
        self.hears_in_order(person, room, &[part]).await;
        self.hears(person, room, part).await
    }

    /// Waits until the bot shows a text with each of these in it, which are no parts of each other, and answered one more question
    /// after that. Each came once, in this order.
    pub(crate) async fn hears_in_order<T: AsRef<str>>(&self, person: &impl Someone, room: &str, parts: &[T]) {
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        for part in parts.last().into_iter().chain(&parts) {
            self.hears(person, room, part).await;
        }
        self.is_done(person, room).await;
        let shown = self.shown(person, room).await;
        let which = |shown: &Value| {
            parts
                .iter()
                .copied()
                .filter(|part| has(shown, part))
                .collect::<Vec<_>>()
        };
        let found: Vec<&str> = shown.iter().flat_map(which).collect();
        assert_eq!(found, parts, "{shown:#?}\n{}", self.log());
    }

    /// One more question that mentions the bot is answered, so that everything in the room's main line before it is.
    pub(crate) async fn is_done(&self, person: &impl Someone, room: &str) {
        let word = format!("enough-{}", unique());
        let saying = Saying::new(&word).mention(&self.bot.user_id);
        person.says(room, &saying).await;
        self.hears(person, room, &word).await;
    }

    /// No log of any life has a secret in it.
    #[track_caller]
    fn check_log(&self) {
        let log = self.log();
        for secret in [&self.bot.password, &self.bot.access_token] {
            let line = log.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(line, None, "a secret is in the log");
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let whole = std::env::var_os("TERTULIA_WHOLE_LOG").is_some();
        if std::thread::panicking() || whole {
            let log = self.log();
            let skipped = if whole { 0 } else { log.len().saturating_sub(8000) };
            let end = log.get(skipped..).unwrap_or(&log);
            let told = format!("the end of the log of {}:\n{end}\n", self.bot.user_id);
            let _ = std::io::stderr().write_all(told.as_bytes());
        }
        if !std::thread::panicking() {
            self.check_log();
        }
    }
}

/// A number that nobody else has.
pub(crate) fn unique() -> usize {
    SCENES.fetch_add(1, Ordering::Relaxed)
}

/// A name that nobody else has.
pub(crate) fn named(name: &str, scene: usize) -> String {
    format!("{name}-{scene}")
}

fn has(shown: &Value, part: &str) -> bool {
    shown["body"].as_str().is_some_and(|body| body.contains(part))
}

/// The server that is left alone.
pub(crate) async fn shared(tools: &MatrixTools) -> &'static Synapse {
    let start = || async { Synapse::start(tools, &Settings::default()).await.unwrap() };
    SHARED.get_or_init(start).await
}
