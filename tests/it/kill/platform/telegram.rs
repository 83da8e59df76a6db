//! Telegram: private chats, and forums with a topic beside General.
//!
//! The bot's messages tell what they answer only in groups, by being replies. So that the judge can tell it everywhere, each
//! message in private is of another person.

use anyhow::Result;
use tertulia_core::courier::RESENT_MARK;
use tertulia_testkit::chat_double::{Expected, Judge, Question, Summary};
use tertulia_testkit::telegram_double::{At, Settings, TelegramDouble};

use super::super::scene::Setting;
use super::{NOTICES, answer, words};

const MENTION: &str = "@double_bot";

pub(in super::super) struct Telegram {
    pub(super) double: TelegramDouble,
    chats: Vec<Chat>,
}

enum Chat {
    /// With one person, who says one thing.
    Private,
    /// With everybody, and with a topic.
    Forum { chat: i64, topic: i64, people: [i64; 3] },
}

impl Telegram {
    pub(super) async fn start(setting: Setting) -> Result<Self> {
        let settings = Settings {
            twice_percent: setting.twice_percent,
            ..Settings::default()
        };
        let double = TelegramDouble::start(settings).await?;
        let chats = (0..setting.chats).map(|nth| Chat::new(&double, nth)).collect();
        Ok(Self { double, chats })
    }

    pub(super) fn config(&self, setting: Setting) -> String {
        let stream = match setting.progress {
            "hidden" => "off",
            shown => shown,
        };
        let base_url = self.double.base_url();
        format!(
            "[interfaces.telegram_bot]\nbase_url = \"{base_url}\"\nstream = \"{stream}\"\n\
             [access.interfaces]\ntelegram_bot = \"user\"\n"
        )
    }

    pub(super) fn variable(&self) -> (&'static str, String) {
        ("TELEGRAM_TOKEN", self.double.token().to_owned())
    }

    pub(super) fn say(&self, nth: usize, setting: Setting) {
        let (chat, round) = (nth % setting.chats, nth / setting.chats);
        let words = words(nth);
        match self.chats[chat] {
            Chat::Private => {
                let person = self.double.person(&format!("Person {nth}"));
                self.double.say(person, person, &words)
            }
            Chat::Forum { chat, topic, people } => {
                let topic = (round % 2 == 1).then_some(topic);
                let text = match words.as_str() {
                    command @ "/path" => format!("{command}{MENTION}"),
                    words => format!("{MENTION} {words}"),
                };
                self.double.say(people[nth % people.len()], At { chat, topic }, &text)
            }
        };
    }

    pub(super) fn progress(&self) -> (usize, bool) {
        (self.double.accepted().len(), self.double.unconfirmed() == 0)
    }

    pub(super) fn verdict(&self) -> Result<Summary, Vec<String>> {
        let judge = Judge {
            resent_mark: RESENT_MARK,
            notices: NOTICES,
            expected: &|question| Expected::Contains(expected(question)),
        };
        let claims = |question: &Question, text: &str| {
            let is_private = !question.spot.chat.starts_with('-');
            is_private || text.contains(&expected(question))
        };
        self.double.verdict(&judge, &claims)
    }
}

impl Chat {
    fn new(double: &TelegramDouble, nth: usize) -> Self {
        if nth.is_multiple_of(2) {
            return Self::Private;
        }
        let people = ["Ann", "Bob", "Cid"].map(|name| double.person(name));
        let chat = double.forum(&format!("Forum {nth}"));
        // the first number is General's
        double.say(people[0], chat, "Welcome.");
        let topic = double.topic(chat, people[0], "Topic");
        Self::Forum { chat, topic, people }
    }
}

fn expected(question: &Question) -> String {
    let bare = question.text.replace(MENTION, "");
    answer(bare.trim(), &format!("telegram_bot/{}", question.spot))
}
