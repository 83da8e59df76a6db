//! A bot and the double that it writes to.
#![expect(clippy::unwrap_used, reason = "test code")]

use tertulia_interface::Interface;
use tertulia_message::{Act, Attachment, DeliverError, Markup, Outbound, Post, ReplyRef, Secret};
use tertulia_telegram::{Config, Telegram};
use tertulia_testkit::telegram_double::{At, Settings, TelegramDouble};

pub(super) struct Scene {
    pub(super) telegram: TelegramDouble,
    pub(super) bot: Telegram,
}

pub(super) fn text(text: &str) -> Post {
    Post::of(Markup::text(text))
}

impl Scene {
    pub(super) async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    pub(super) async fn with(settings: Settings) -> Self {
        let telegram = TelegramDouble::start(settings).await.unwrap();
        let config = Config {
            base_url: telegram.base_url(),
            ..Config::official(Secret::new(telegram.token()))
        };
        let bot = Telegram::new("telegram_bot", config).unwrap();
        Self { telegram, bot }
    }

    /// Somebody who has opened the bot's chat.
    pub(super) fn person(&self) -> i64 {
        let ann = self.telegram.person("Ann");
        self.telegram.open(ann);
        ann
    }

    pub(super) async fn post(&self, at: impl Into<At>, post: &Post) -> Result<String, DeliverError> {
        self.deliver(at, None, Act::Post(post.clone()), Vec::new()).await
    }

    pub(super) async fn answer(&self, at: impl Into<At>, re: &str, post: &Post) -> Result<String, DeliverError> {
        self.deliver(at, Some(re), Act::Post(post.clone()), Vec::new()).await
    }

    pub(super) async fn post_files(
        &self,
        at: impl Into<At>,
        post: &Post,
        files: Vec<Attachment>,
    ) -> Result<String, DeliverError> {
        self.deliver(at, None, Act::Post(post.clone()), files).await
    }

    pub(super) async fn edit(&self, at: impl Into<At>, id: &str, post: &Post) -> Result<String, DeliverError> {
        let (id, post) = (id.to_owned(), post.clone());
        self.deliver(at, None, Act::Edit { id, post }, Vec::new()).await
    }

    pub(super) async fn delete(&self, at: impl Into<At>, id: &str) -> Result<String, DeliverError> {
        self.deliver(at, None, Act::Delete { id: id.to_owned() }, Vec::new())
            .await
    }

    async fn deliver(
        &self,
        at: impl Into<At>,
        re: Option<&str>,
        act: Act,
        files: Vec<Attachment>,
    ) -> Result<String, DeliverError> {
        let outbound = Outbound {
            path: format!("telegram_bot/{}", at.into()).parse().unwrap(),
            key: "a-1".to_owned(),
            re: re.map(|id| ReplyRef {
                id: id.to_owned(),
                token: None,
            }),
            act,
            files,
        };
        self.bot.deliver(&outbound).await.map(|receipt| receipt.id)
    }

    #[track_caller]
    pub(super) fn is_well_behaved(&self) {
        assert_eq!(self.telegram.violations(), []);
        assert_eq!(self.telegram.counts().early, 0);
    }
}
