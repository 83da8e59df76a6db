//! The platform that only tests use.

use anyhow::Result;
use tertulia_core::courier::RESENT_MARK;
use tertulia_message::Addressed;
use tertulia_testkit::chat_double::{Expected, Judge, Kind, Question, Rules, Said, Spot, Summary};
use tertulia_testkit::loopback_server::LoopbackServer;

use super::super::scene::Setting;
use super::{NOTICES, answer, words};

pub(in super::super) struct Loopback {
    pub(super) server: LoopbackServer,
}

impl Loopback {
    pub(super) async fn start(kind: Kind, setting: Setting) -> Result<Self> {
        let mut rules = Rules::of(kind);
        rules.twice_percent = setting.twice_percent;
        let server = LoopbackServer::start(rules).await?;
        Ok(Self { server })
    }

    pub(super) fn config(&self, setting: Setting) -> String {
        let (base_url, progress) = (self.server.base_url(), setting.progress);
        format!(
            "[interfaces.loopback]\nkind = \"loopback\"\nbase_url = \"{base_url}\"\nprogress = \"{progress}\"\n\
             [access.interfaces]\nloopback = \"user\"\n"
        )
    }

    pub(super) fn say(&self, nth: usize, setting: Setting) {
        let (chat, round) = (nth % setting.chats, nth / setting.chats);
        let name = format!("c{chat}");
        let (spot, addressed) = if round % 2 == 1 {
            (Spot::thread(name, "t"), Addressed::Mention)
        } else {
            (Spot::chat(name), Addressed::Direct)
        };
        let words = words(nth);
        let addressed = if words == "/path" {
            Addressed::Command
        } else {
            addressed
        };
        let person = format!("p{}", nth % 7);
        self.server.say(Said::at(spot, person, words, addressed));
    }

    pub(super) fn progress(&self) -> (usize, bool) {
        let double = self.server.double();
        let is_read = double.waiting(Some(double.confirmed())) == 0;
        (double.records().len(), is_read)
    }

    pub(super) fn verdict(&self) -> Result<Summary, Vec<String>> {
        let expected =
            |question: &Question| Expected::Contains(answer(&question.text, &format!("loopback/{}", question.spot)));
        self.server.verdict(&Judge {
            resent_mark: RESENT_MARK,
            notices: NOTICES,
            expected: &expected,
        })
    }
}
