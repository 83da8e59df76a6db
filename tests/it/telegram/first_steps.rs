//! From a token to the first answer, and what happens when the token is wrong.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use tertulia_testkit::telegram_double::{Settings, TelegramDouble};

use super::scene::{BOT, DEMO, Scene};
use crate::daemon::Home;
use crate::ollama::Ollama;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_all_that_is_needed() {
    let scene = Scene::start("").await;
    let code = scene.claim_code();
    let (ann, eve) = (scene.telegram.person("Ann"), scene.telegram.person("Eve"));
    scene.telegram.say(eve, eve, "/claim AAAA-AAAA");
    scene.telegram.say(ann, ann, "hello");
    // whoever was not let in is told what to ask for, with the own id
    scene.hears(ann, &format!("{BOT}/{ann}")).await;
    scene.telegram.say(ann, ann, &format!("/claim {code}"));
    scene.hears(ann, "admin").await;
    scene.telegram.say(ann, ann, "apple pie");
    scene.hears(ann, "You said: apple pie").await;
    scene.telegram.say(ann, ann, &format!("/allow person {BOT}/{eve}"));
    scene.hears(ann, "user").await;
    scene.telegram.say(eve, eve, "banana bread");
    scene.hears(eve, "You said: banana bread").await;
    scene.behaved();
    let (log, _home) = scene.stop();
    assert_eq!(log.matches(&code).count(), 1, "{log}");
}

#[test]
fn the_start_says_that_the_bot_is_there() {
    let home = Home::new();
    let mut program = home.program();
    program
        .args(["run", "--port", "0"])
        .env("TELEGRAM_TOKEN", "7000001:nobody-of-this-name");
    // nothing of this leaves the machine
    program
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env("OLLAMA_HOST", "127.0.0.1:9");
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let said: Vec<String> = lines.take_while(|line| !line.starts_with("Try:")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let line = "TELEGRAM_TOKEN is set: a Telegram bot is the interface telegram_bot.";
    assert!(said.iter().any(|said| said == line), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_ends_the_interface_and_nothing_else() {
    let telegram = TelegramDouble::start(Settings::default()).await.unwrap();
    let scene = Scene::with_token(telegram, "7000000001:another-canary-token".to_owned(), DEMO);
    scene
        .daemon()
        .until_logged(|line| line.contains("ERROR") && line.contains(BOT));
    let reply = Ollama::of(scene.daemon()).say("mine", "hello").await;
    assert!(reply.is_whole(), "{reply:?}");
    let (log, _home) = scene.stop();
    let is_loud = |line: &&str| (line.contains("ERROR") || line.contains("WARN")) && line.contains(BOT);
    let lines: Vec<&str> = log.lines().filter(is_loud).collect();
    let [line] = lines[..] else { panic!("{log}") };
    assert!(line.contains("token") && line.contains("@BotFather"), "{line}");
    assert!(!log.contains("canary"), "{log}");
}
