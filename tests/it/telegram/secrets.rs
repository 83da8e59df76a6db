//! The token is a part of every address that the daemon calls, and stands nowhere that anybody reads.

use std::path::Path;

use tertulia_testkit::telegram_double::{Fault, Faults, Said, Settings, TelegramDouble};

use super::scene::{BOT, DEMO, Scene};

const TOKEN: &str = "7000000001:AAcanary-token_of_nobody-0123456789";
/// What of it must not be seen: all of it, and what makes it secret.
const CANARIES: [&str; 2] = [TOKEN, "AAcanary-token_of_nobody-0123456789"];

fn check(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for canary in CANARIES {
        let line = text.lines().find(|line| line.contains(canary));
        assert_eq!(line, None, "{place} shows it");
    }
}

fn check_files(directory: &Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check_files(&path);
        } else if path.is_file() {
            check(&path.display().to_string(), &std::fs::read(&path).unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_answer_or_file_shows_the_token() {
    for format in ["text", "json"] {
        let settings = Settings {
            token: TOKEN.to_owned(),
            ..Settings::default()
        };
        let config = format!("{DEMO}[log]\nlevel = \"trace\"\nformat = \"{format}\"\n[interfaces.{BOT}]\n");
        let scene = Scene::with(settings, &config).await;
        let ann = scene.guest("Ann");
        everything_goes_wrong(&scene, ann).await;
        let shell = [scene.told(&["status"]), scene.told(&["deadletters"])].concat();
        check("the shell", shell.as_bytes());
        for text in scene.telegram.bot_shows(ann) {
            check("an answer", text.as_bytes());
        }
        let (log, home) = scene.stop();
        check("the log", log.as_bytes());
        assert!(log.contains("TRACE"), "{log}");
        check_files(&home.state());
        let mut program = home.program();
        program
            .args(["check-config", "--config", "bot.toml"])
            .env("TELEGRAM_TOKEN", TOKEN);
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        check("check-config", &[output.stdout, output.stderr].concat());
    }
}

async fn everything_goes_wrong(scene: &Scene, ann: i64) {
    let telegram: &TelegramDouble = &scene.telegram;
    let cut = |method: &'static str, fault: Fault| Faults::none().next(method, fault);
    for (nth, plan) in [
        cut("sendMessage", Fault::CutBefore),
        cut("sendMessage", Fault::BadGateway { done: false }),
        cut("sendMessage", Fault::InvalidJson),
        cut("getUpdates", Fault::CutAfter),
    ]
    .into_iter()
    .enumerate()
    {
        telegram.plan(plan);
        let word = format!("fruit-{nth}");
        telegram.say(ann, ann, &word);
        scene.hears(ann, &word).await;
    }
    telegram.plan(Faults::none());
    let file = Said::document("a.txt", "text/plain", b"some text".to_vec()).caption("the file");
    telegram.send(ann, ann, file);
    scene.hears(ann, "the file").await;
    telegram.lock_out(true);
    // so that the call for updates that is open ends, and the next one is refused
    telegram.say(ann, ann, "the last");
    scene
        .daemon()
        .until_logged(|line| line.contains("ERROR") && line.contains(BOT));
    telegram.lock_out(false);
}
