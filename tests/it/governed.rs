//! A group that is governed from the shell: strangers are silent until they are let in, and no longer than that.

use std::time::Duration;

use tertulia_message::Addressed;
use tertulia_testkit::chat_double::{Kind, Rules, Said, Spot};
use tertulia_testkit::loopback_server::LoopbackServer;
use tokio::time::{Instant, sleep};

use crate::control::told;
use crate::daemon::{Daemon, Home};

/// How long an answer may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);

struct Scene {
    server: LoopbackServer,
    daemon: Daemon,
}

impl Scene {
    async fn start() -> Self {
        let server = LoopbackServer::start(Rules::of(Kind::Keyed)).await.unwrap();
        let address = server.base_url();
        let config = format!(
            "[interfaces.loopback]\nkind = \"loopback\"\nbase_url = \"{address}\"\n[providers.demo]\nkind = \"demo\"\n"
        );
        let daemon = tokio::task::block_in_place(|| Home::new().start(&config, &[]));
        Self { server, daemon }
    }

    fn told(&self, words: &[&str]) -> String {
        tokio::task::block_in_place(|| told(&self.daemon, words))
    }

    fn says(&self, person: &str, text: &str) {
        let said = Said::at(Spot::chat("g"), person, text, Addressed::Mention);
        self.server.say(said);
    }

    /// Waits until the bot has said this in a chat; gives all that it said there.
    async fn heard(&self, chat: &str, part: &str) -> Vec<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let said: Vec<String> = self.bot_said(chat);
            if said.iter().any(|text| text.contains(part)) {
                return said;
            }
            assert!(
                Instant::now() < until,
                "{part:?} was not said: {said:?}\n{}",
                self.daemon.log()
            );
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn bot_said(&self, chat: &str) -> Vec<String> {
        let transcript = self.server.double().transcript(chat, None);
        let bot = transcript.into_iter().filter(|(person, _)| person.is_none());
        bot.map(|(_, text)| text).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_is_heard_once_she_is_let_in_from_the_shell() {
    let scene = Scene::start().await;
    scene.says("eve", "apple");
    scene.daemon.until_logged(|line| line.contains("was not let in"));
    assert!(
        scene
            .told(&["allow", "person", "loopback/eve"])
            .contains("loopback/eve")
    );
    scene.says("eve", "banana");
    let said = scene.heard("g", "You said: banana").await;
    assert!(said.iter().all(|text| !text.contains("apple")), "{said:?}");
    assert!(scene.told(&["at", "loopback/g", "history"]).contains("banana"));
    assert!(
        scene
            .told(&["say", "loopback/g", "hello", "there"])
            .contains("loopback/g")
    );
    scene.heard("g", "hello there").await;
    scene.told(&["deny", "person", "loopback/eve"]);
    scene.says("eve", "cherry");
    scene.says("eve", "damson");
    scene.told(&["allow", "person", "loopback/bob"]);
    scene.says("bob", "elder");
    let said = scene.heard("g", "You said: elder").await;
    assert!(
        said.iter()
            .all(|text| !text.contains("cherry") && !text.contains("damson")),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_code_of_the_shell_makes_the_first_admin_and_no_second_one() {
    let scene = Scene::start().await;
    let printed = scene.told(&["claim"]);
    let (_, code) = printed.split_once("/claim ").unwrap();
    let claim = format!("/claim {}", code.trim());
    scene.server.say(Said::direct("d", "ann", claim));
    scene.heard("d", "admin").await;
    scene.server.say(Said::direct("d", "ann", "/whoami"));
    scene.heard("d", "the level admin").await;
    let again = tokio::task::block_in_place(|| crate::control::tell(&scene.daemon, &["claim"]));
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(!scene.daemon.log().contains(code.trim()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_platform_that_is_away_is_told() {
    let there = Scene::start().await;
    assert_eq!(ready(&there.daemon, 200).await, "{\"ready\":true}");
    let config = "[interfaces.loopback]\nkind = \"loopback\"\nbase_url = \"http://127.0.0.1:9\"\n[providers.demo]\n";
    let daemon = tokio::task::block_in_place(|| Home::new().start(config, &[]));
    let told_so = ready(&daemon, 503).await;
    assert!(
        told_so.contains("loopback") && told_so.contains("nothing comes from its platform"),
        "{told_so}"
    );
    let status = tokio::task::block_in_place(|| told(&daemon, &["status"]));
    assert!(status.contains("nothing comes from its platform"), "{status}");
}

/// Waits until `/readyz` answers with this status; gives what it says.
async fn ready(daemon: &Daemon, status: u16) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        let url = format!("{}/readyz", daemon.url());
        let answer = reqwest::Client::builder()
            .no_proxy()
            .build()
            .unwrap()
            .get(url)
            .send()
            .await
            .unwrap();
        let (is, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        if is == status {
            return text;
        }
        assert!(Instant::now() < until, "{is}: {text}");
        sleep(Duration::from_millis(20)).await;
    }
}
