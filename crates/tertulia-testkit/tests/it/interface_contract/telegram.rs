//! The contract, kept by the Telegram client over the double of Telegram.

use std::sync::Arc;

use tertulia_interface::Interface;
use tertulia_message::{Addressed, RateScope, Secret, What};
use tertulia_telegram::{Config, Telegram};
use tertulia_testkit::chat_double::Kind;
use tertulia_testkit::interface_contract::{Mishap, People, Scene, Stage, Tally, Told, Truth, interface_contract};
use tertulia_testkit::telegram_double::{Fault, Faults, Said, Settings, Standing, TelegramDouble};

const NAME: &str = "telegram_bot";

/// A group with Ann in it, and a supergroup for what moves nowhere.
struct OverTelegram {
    double: TelegramDouble,
    ann: i64,
    group: i64,
    /// Where the group is to be after it has moved; ids are given in order.
    moved: i64,
}

async fn over_telegram(_: Kind) -> Box<dyn Stage> {
    let double = TelegramDouble::start(Settings::default()).await;
    let double = double.expect("a free port on loopback");
    let ann = double.person("Ann");
    let group = double.group("Friends");
    Box::new(OverTelegram {
        double,
        ann,
        group,
        moved: -1_000_000_000_000 + group - 1,
    })
}

impl OverTelegram {
    fn path(chat: i64) -> String {
        format!("{NAME}/{chat}")
    }

    fn next_post(&self, faults: Vec<Fault>) -> bool {
        let plan = |plan: Faults, fault| plan.next("sendMessage", fault);
        self.double.plan(faults.into_iter().fold(Faults::none(), plan));
        true
    }

    fn fault(mishap: Mishap) -> Option<Fault> {
        let refuse = |words: &str| Some(Fault::Refuse(400, format!("Bad Request: {words}")));
        match mishap {
            Mishap::UnsureExecuted => Some(Fault::CutAfter),
            Mishap::UnsureNotExecuted => Some(Fault::CutBefore),
            Mishap::TooLong => refuse("message is too long"),
            Mishap::Malformed => refuse("can't parse entities"),
            Mishap::RateLimited(RateScope::Path) => Some(Fault::Wait(1)),
            // Telegram does not say whom a wait holds for, and nothing that it answers is known to be lost
            _ => None,
        }
    }
}

impl Stage for OverTelegram {
    fn interface(&self) -> Arc<dyn Interface> {
        self.double.bot_restarted();
        let mut config = Config::official(Secret::new(self.double.token()));
        config.base_url = self.double.base_url();
        Arc::new(Telegram::new(NAME, config).expect("the double's own address is a good one"))
    }

    fn scene(&self) -> Scene {
        let here = Self::path(self.group);
        Scene {
            // a group that moves has no topics
            thread: here.clone(),
            moved: Self::path(self.moved),
            unknown: Self::path(5),
            foreign: vec!["foreign/1".to_owned(), format!("{NAME}/ann"), format!("{here}/1/2")],
            here,
        }
    }

    fn people(&self) -> &dyn People {
        self
    }

    fn truth(&self) -> &dyn Truth {
        self
    }

    fn plan(&self, mishaps: &[Mishap]) -> bool {
        match mishaps {
            [Mishap::Gone] => self.double.set_standing_quietly(self.group, Standing::Kicked),
            [Mishap::Refused] => self.double.set_standing_quietly(self.group, Standing::Muted),
            [Mishap::Moved] => assert_eq!(self.double.migrate_quietly(self.group), self.moved),
            mishaps => {
                let faults: Option<Vec<Fault>> = mishaps.iter().map(|mishap| Self::fault(*mishap)).collect();
                return faults.is_some_and(|faults| self.next_post(faults));
            }
        }
        true
    }
}

impl People for OverTelegram {
    fn ask(&self) -> String {
        let id = self.double.say(self.ann, self.group, "@double_bot hello");
        format!("{}/{id}", self.group)
    }

    /// Bots are not told of deletions.
    fn act_out(&self) -> Vec<Told> {
        let forum = self.double.forum("Many");
        let topic = self.double.topic(forum, self.ann, "Games");
        let said = Said::text("@double_bot hello");
        let id = format!("{forum}/{}", self.double.send(self.ann, (forum, topic), said));
        let number = id.rsplit('/').next().and_then(|number| number.parse().ok());
        self.double
            .change(forum, number.expect("a number"), "@double_bot hello again");
        let to = self.double.migrate(self.group);
        let told = |path: String, what, sender, said| Told {
            path,
            what,
            sender: format!("{NAME}/{sender}"),
            said,
        };
        let in_topic = format!("{NAME}/{forum}/{topic}");
        let text = "hello".to_owned();
        let edit = What::Edit {
            of: id.clone(),
            text: "hello again".to_owned(),
        };
        let to = Self::path(to).parse().expect("a path");
        vec![
            told(
                in_topic.clone(),
                What::Message { text },
                self.ann,
                Some((id, Addressed::Mention)),
            ),
            told(in_topic, edit, self.ann, None),
            told(Self::path(self.group), What::Moved { to }, self.group, None),
        ]
    }

    fn open(&self) {
        self.double.set_standing_quietly(self.group, Standing::Member);
    }
}

impl Truth for OverTelegram {
    fn identity(&self) -> String {
        self.double.bot_id().to_string()
    }

    fn shown(&self) -> Vec<String> {
        self.double.bot_shows(self.group)
    }

    fn answered(&self) -> Option<String> {
        let shown = self.double.shown(self.group);
        let latest = shown.iter().rfind(|shown| shown.author.is_none())?;
        Some(format!("{}/{}", self.group, latest.reply_to?))
    }

    fn unconfirmed(&self) -> usize {
        self.double.unconfirmed()
    }

    fn violations(&self) -> Vec<String> {
        let violations = self.double.violations();
        violations.iter().map(ToString::to_string).collect()
    }

    fn tally(&self) -> Tally {
        Tally {
            unchanged_edits: self.double.counts().unchanged_edits,
            // after a restart Telegram is asked without an offset, since its numbers may have begun anew
            redelivered: None,
        }
    }
}

#[tokio::test]
async fn the_telegram_client_keeps_the_contract() {
    interface_contract(&[Kind::Blind], over_telegram).await;
}
