//! No secret in any log, database or error, even at the most talkative level; and every line on a message has its path.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use tertulia_testkit::model_double::{ModelDouble, Script, Strictness};

use crate::daemon::Home;
use crate::ollama::{Ollama, Reply};

const API_KEY: &str = "sk-canary-Kd83/\"quoted\"+k2";
const DOOR_TOKEN: &str = "canary-token-8s7f6s8d7f";
const URL_PASSWORD: &str = "canary-password-5h4g3";
const ENVIRONMENT_KEY: &str = "canary-key-of-the-environment-99";
const ELSEWHERE: &str = "canary-for-another-program-77";

/// The secrets, also as somebody could write them who means well.
fn canaries() -> [String; 7] {
    let in_json = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
    let printed = in_json(API_KEY);
    [
        API_KEY.to_owned(),
        in_json(&printed),
        printed,
        DOOR_TOKEN.to_owned(),
        URL_PASSWORD.to_owned(),
        ENVIRONMENT_KEY.to_owned(),
        ELSEWHERE.to_owned(),
    ]
}

fn check(place: &str, bytes: &[u8]) {
    for canary in canaries() {
        let found = bytes
            .windows(canary.len())
            .position(|window| window == canary.as_bytes());
        let around = found.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..at + canary.len()]));
        assert_eq!(around, None, "{place} shows {canary}");
    }
}

/// What is said in a test, and what is left of it.
struct Spoken {
    log: String,
    bodies: Vec<String>,
    home: Home,
}

fn config(home: &Home, base_url: &str, format: &str) -> String {
    home.write("key", &format!("{API_KEY}\n"));
    home.write("token", &format!("{DOOR_TOKEN}\n"));
    format!(
        "[server]\ntoken_file = \"token\"\n\
         [log]\nlevel = \"trace\"\nformat = \"{format}\"\n\
         [providers.answering]\nkind = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{base_url}\"\napi_key_file = \"key\"\n\
         [providers.other]\nkind = \"openai\"\nmodel = \"m\"\n\
         base_url = \"http://somebody:{URL_PASSWORD}@127.0.0.1:9/v1?key={URL_PASSWORD}\"\n",
        model = ModelDouble::MODEL
    )
}

/// Lets everything that can go well or wrong go well and wrong.
async fn speak(format: &str) -> Spoken {
    let strictness = Strictness {
        key: Some(API_KEY.to_owned()),
        models: Vec::new(),
    };
    let double = ModelDouble::start_strict(strictness).await.unwrap();
    let home = Home::new();
    let config = config(&home, &double.base_url(), format);
    let environment = [
        ("TERTULIA__PROVIDERS__OTHER__API_KEY", ENVIRONMENT_KEY),
        ("ELSEWHERE_TOKEN", ELSEWHERE),
    ];
    let daemon = home.start(&config, &environment);
    let ollama = Ollama::of(&daemon).with_token(DOOR_TOKEN);
    assert!(ollama.say("mine", "hello").await.is_whole());
    let mut bodies = Vec::new();
    for (number, script) in failures().into_iter().enumerate() {
        double.push(script);
        let reply = ollama.say(&format!("failing-{number}"), "hello").await;
        reply.error();
        bodies.push(reply.body);
    }
    let strangers = [
        Ollama::of(&daemon),
        Ollama::of(&daemon).with_token("canary-token-of-a-stranger"),
    ];
    for stranger in strangers {
        let refused = stranger.say("mine", "hello").await;
        assert_eq!(refused.status, 401, "{refused:?}");
        bodies.push(refused.body);
    }
    for body in [
        "{",
        r#"{"model": "none", "messages": []}"#,
        r#"{"model": "tertulia", "messages": 1}"#,
    ] {
        let refused = Reply::of(ollama.post("/api/chat", None, body.to_owned()).await).await;
        refused.error();
        bodies.push(refused.body);
    }
    assert_eq!(double.refusals(), Vec::<String>::new());
    let (status, log, home) = daemon.stop();
    assert!(status.success(), "{log}");
    Spoken { log, bodies, home }
}

/// Providers like to quote the key that they refuse.
fn failures() -> [Script; 4] {
    let quoting = format!("Incorrect API key provided: {API_KEY}");
    let fail = |status, message: &str| Script::Fail {
        status,
        retry_after: None,
        code: "scripted".to_owned(),
        message: message.to_owned(),
    };
    let in_stream = Script::ErrorInStream {
        code: API_KEY.to_owned(),
        message: quoting.clone(),
    };
    [fail(401, &quoting), fail(400, &quoting), in_stream, Script::Garbage]
}

impl Spoken {
    fn check(&self) {
        check("the log", self.log.as_bytes());
        for body in &self.bodies {
            check("an answer", body.as_bytes());
        }
        let files = files(&self.home.state());
        assert!(!files.is_empty());
        for (name, bytes) in files {
            check(&name, &bytes);
        }
        let mut program = self.home.program();
        program.args(["check-config", "--config", "bot.toml"]);
        program.env("TERTULIA__PROVIDERS__OTHER__API_KEY", ENVIRONMENT_KEY);
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        check("check-config", &[output.stdout, output.stderr].concat());
    }
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_shown_in_the_log_for_people() {
    let spoken = speak("text").await;
    spoken.check();
    assert!(spoken.log.contains(" TRACE "), "{}", spoken.log);
    for message in ["accepted", "a turn is settled", "the provider failed"] {
        let lines = spoken.log.lines().filter(|line| line.contains(message));
        let without: Vec<&str> = lines.filter(|line| !line.contains("path=ollama_serve/")).collect();
        assert_eq!(without, Vec::<&str>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_shown_in_the_log_for_programs() {
    let spoken = speak("json").await;
    spoken.check();
    let lines: Vec<Value> = spoken
        .log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().any(|line| line["level"] == "TRACE"));
    let about_messages = BTreeSet::from([
        "a request came in",
        "accepted",
        "a turn is settled",
        "the provider failed",
        "an answer failed",
    ]);
    let mut seen = BTreeSet::new();
    for line in &lines {
        let Some(message) = line["fields"]["message"]
            .as_str()
            .and_then(|text| about_messages.get(text))
        else {
            continue;
        };
        let path = line["fields"]["path"].as_str();
        assert!(path.is_some_and(|path| path.starts_with("ollama_serve/")), "{line}");
        seen.insert(*message);
    }
    assert_eq!(seen, about_messages);
}
