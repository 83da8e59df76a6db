//! Telegram with its people, and the daemon as its bot.

use std::time::Duration;

use tertulia_testkit::telegram_double::{Settings, Shown, TelegramDouble};
use tokio::time::{Instant, sleep};

use crate::control::told;
use crate::daemon::{Daemon, Home};

/// How long an answer may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// The demo, which answers at once.
pub(crate) const DEMO: &str = "[providers.demo]\n";
/// The interface that everything here is about.
pub(crate) const BOT: &str = "telegram_bot";

/// A Telegram and its bot. The bot is killed when this is dropped.
pub(crate) struct Scene {
    pub(crate) telegram: TelegramDouble,
    daemon: Option<Daemon>,
    config: String,
    token: String,
}

impl Scene {
    /// A bot that hears everything in groups, with this configuration beside its token.
    pub(crate) async fn start(config: &str) -> Self {
        let settings = Settings {
            privacy: false,
            ..Settings::default()
        };
        Self::with(settings, config).await
    }

    /// A bot of this sort.
    pub(crate) async fn with(settings: Settings, config: &str) -> Self {
        let telegram = TelegramDouble::start(settings).await.unwrap();
        let token = telegram.token().to_owned();
        Self::with_token(telegram, token, config)
    }

    /// A daemon with any token.
    pub(crate) fn with_token(telegram: TelegramDouble, token: String, config: &str) -> Self {
        let mut scene = Self {
            telegram,
            daemon: None,
            config: config.to_owned(),
            token,
        };
        scene.start_again(Home::new());
        scene
    }

    fn start_again(&mut self, home: Home) {
        self.telegram.bot_restarted();
        let address = self.telegram.base_url();
        let environment = [
            ("TELEGRAM_TOKEN", self.token.as_str()),
            ("TERTULIA__INTERFACES__TELEGRAM_BOT__BASE_URL", &address),
            // nobody else's Ollama answers here
            ("OLLAMA_HOST", "127.0.0.1:9"),
        ];
        self.daemon = Some(tokio::task::block_in_place(|| home.start(&self.config, &environment)));
    }

    /// A power cut, and another start.
    pub(crate) fn kill_and_start(&mut self) {
        let home = self.daemon.take().unwrap().kill();
        self.start_again(home);
    }

    /// A stop as systemd asks for it, and another start. Gives the log of the life that ended.
    pub(crate) fn stop_and_start(&mut self) -> String {
        let daemon = self.daemon.take().unwrap();
        let (status, log, home) = tokio::task::block_in_place(|| daemon.stop());
        assert!(status.success(), "{log}");
        self.start_again(home);
        log
    }

    /// The same with another configuration.
    pub(crate) fn started_with(mut self, config: &str) -> Self {
        config.clone_into(&mut self.config);
        self.stop_and_start();
        self
    }

    /// The running daemon.
    pub(crate) fn daemon(&self) -> &Daemon {
        self.daemon.as_ref().unwrap()
    }

    /// Ends it softly; gives its log and its home.
    pub(crate) fn stop(mut self) -> (String, Home) {
        let daemon = self.daemon.take().unwrap();
        let (status, log, home) = tokio::task::block_in_place(|| daemon.stop());
        assert!(status.success(), "{log}");
        (log, home)
    }

    /// Gives the daemon a command from the shell.
    pub(crate) fn told(&self, words: &[&str]) -> String {
        tokio::task::block_in_place(|| told(self.daemon(), words))
    }

    /// A person who is let in.
    pub(crate) fn guest(&self, name: &str) -> i64 {
        let person = self.telegram.person(name);
        self.told(&["allow", "person", &format!("{BOT}/{person}")]);
        person
    }

    /// Lets everybody in a chat in.
    pub(crate) fn let_in(&self, chat: i64) {
        self.told(&["allow", "chat", &format!("{BOT}/{chat}")]);
    }

    /// The code with which the first admin proves to be the operator.
    pub(crate) fn claim_code(&self) -> String {
        tokio::task::block_in_place(|| self.daemon().until_logged(|line| line.contains("/claim ")));
        let log = self.daemon().log();
        let (_, after) = log.split_once("/claim ").unwrap();
        after.lines().next().unwrap().to_owned()
    }

    /// Waits for something.
    pub(crate) async fn until<T>(&self, what: &str, find: impl Fn(&TelegramDouble) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = find(&self.telegram) {
                return found;
            }
            let calls = self.telegram.accepted();
            let last = &calls[calls.len().saturating_sub(20)..];
            assert!(
                Instant::now() < until,
                "{what} never came; the last calls: {last:#?}\n{}",
                self.daemon().log()
            );
            sleep(GLANCE).await;
        }
    }

    /// Waits until the bot shows a text with this in it; gives that message.
    pub(crate) async fn hears(&self, at: impl Into<tertulia_testkit::telegram_double::At>, part: &str) -> Shown {
        let at = at.into();
        self.until(&format!("{part:?} in {at}"), |telegram| {
            let mut shown = telegram.shown(at).into_iter();
            shown.find(|shown| shown.author.is_none() && shown.text.contains(part))
        })
        .await
    }

    /// The bot has done nothing that Telegram's rules forbid.
    #[track_caller]
    pub(crate) fn behaved(&self) {
        let violations = self.telegram.violations();
        assert!(violations.is_empty(), "{violations:#?}");
    }
}
