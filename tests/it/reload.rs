//! The configuration, read again while the daemon runs.

use serde_json::Value;

use crate::daemon::{Daemon, Home};
use crate::ollama::{Ollama, Reply};

const OLD: &str = "a-token-that-was-good";
const NEW: &str = "a-token-that-is-good";

/// The last line of a log that says what became of a reload.
#[track_caller]
pub(crate) fn outcome(log: &str) -> &str {
    let is_end = |line: &&str| line.contains("the configuration was read again") || line.contains("the old one stays");
    log.lines().rfind(is_end).unwrap()
}

async fn models(door: &Ollama) -> Vec<String> {
    let tags: Value = door.get("/api/tags").await.json().await.unwrap();
    let models = tags["models"].as_array().unwrap();
    models
        .iter()
        .map(|model| model["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_rotated_token_is_refused_at_once_and_its_streams_end() {
    let home = Home::new();
    home.write("token", OLD);
    // so slow that the answer does not end by itself
    let config = "[server]\ntoken_file = \"token\"\n[providers.demo]\npause_ms = 1000\n";
    let daemon = home.start(config, &[]);
    let (old, new) = (Ollama::of(&daemon).with_token(OLD), Ollama::of(&daemon).with_token(NEW));
    let mut open = old
        .begin("held", "tell me something long, please, with many words in it")
        .await;
    assert_eq!(open.status(), 200);
    assert_eq!(new.get("/api/tags").await.status(), 401);

    daemon.write("token", NEW);
    daemon.reload();
    assert_eq!(old.get("/api/tags").await.status(), 401);
    assert_eq!(new.get("/api/tags").await.status(), 200);
    let mut rest = String::new();
    let broke_off = loop {
        match open.chunk().await {
            Ok(Some(chunk)) => rest.push_str(std::str::from_utf8(&chunk).unwrap()),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(broke_off && !rest.contains("\"done\":true"), "{rest}");
    let log = daemon.log();
    assert!(!log.contains(OLD) && !log.contains(NEW), "{log}");
}

#[tokio::test]
async fn what_is_new_holds_at_once() {
    let daemon = Daemon::start("[providers.demo]\n");
    let door = Ollama::of(&daemon);
    assert_eq!(models(&door).await, ["tertulia:latest"]);
    daemon.write("bot.toml", "[providers.demo]\n[personas.poet]\nsystem = \"Rhyme.\"\n");
    daemon.reload();
    assert_eq!(models(&door).await, ["tertulia:latest", "tertulia:poet"]);
    assert_eq!(door.say("mine", "hello").await.status, 200);
    daemon.write(
        "bot.toml",
        "[providers.other]\nkind = \"demo\"\n[access.interfaces]\nollama_serve = \"guest\"\n",
    );
    daemon.reload();
    assert_eq!(models(&door).await, ["tertulia:latest"]);
    assert_eq!(door.say("mine", "hello").await.status, 403);
    // it stays open until the next start, and so does what it offers
    daemon.write(
        "bot.toml",
        "[providers.demo]\n[personas.poet]\nsystem = \"Rhyme.\"\n[interfaces.other]\nkind = \"ollama_serve\"\n",
    );
    daemon.reload();
    assert_eq!(models(&door).await, ["tertulia:latest", "tertulia:poet"]);
    assert_eq!(door.say("mine", "hello").await.status, 200);
}

#[tokio::test]
async fn a_wrong_one_changes_nothing_and_is_explained() {
    let good = "[providers.demo]\n[personas.poet]\n system = \"Rhyme.\"\n";
    let daemon = Daemon::start(good);
    let door = Ollama::of(&daemon);
    for (wrong, parts) in [
        ("[sever]\nport = 1\n", ["bot.toml", "the nearest is server"]),
        (
            "[providers.demo]\n[personas.po",
            ["bot.toml", "line 2 is not valid TOML"],
        ),
        ("", ["bot.toml", "the file is empty"]),
        (
            "[providers.a]\nkind = \"openai\"\n",
            ["providers.a.model", "is missing"],
        ),
        (
            "[providers.demo]\n[server]\ntoken_file = \"absent\"\n",
            ["server.token_file", "is not there"],
        ),
    ] {
        daemon.write("bot.toml", wrong);
        daemon.reload();
        let log = daemon.log();
        let line = outcome(&log);
        assert!(
            line.contains("ERROR") && line.contains("the configuration is wrong; the old one stays"),
            "{line}"
        );
        for part in parts {
            assert!(line.contains(part), "{part:?} is not in {line:?}");
        }
        assert_eq!(models(&door).await, ["tertulia:latest", "tertulia:poet"]);
        let reply = door.say("mine", "hello").await;
        assert!(reply.is_whole(), "{reply:?}");
    }
    daemon.write("bot.toml", good);
    daemon.reload();
    assert!(outcome(&daemon.log()).contains("INFO"), "{}", daemon.log());
}

#[tokio::test]
async fn what_waits_for_the_next_start_is_said() {
    let daemon = Daemon::start("[providers.demo]\n");
    let changed = "[server]\nmax_connections = 7\n[log]\nformat = \"json\"\n[store]\ndirectory = \"elsewhere\"\n\
        [interfaces.other]\nkind = \"ollama_serve\"\n[providers.demo]\n";
    daemon.write("bot.toml", changed);
    daemon.reload();
    let log = daemon.log();
    let line = outcome(&log);
    for key in [
        "server.max_connections",
        "log.format",
        "store.directory",
        "interfaces.other.kind",
    ] {
        let note = format!("{key} has changed; that takes effect at the next start.");
        assert!(line.contains(&note), "{note:?} is not in {line}");
    }
    assert!(!line.contains("server.port"), "{line}");
}

#[tokio::test]
async fn the_level_of_the_log_and_new_secrets_are_taken_in() {
    let daemon = Daemon::start("[providers.demo]\n");
    let door = Ollama::of(&daemon);
    let requests = |log: &str| log.lines().filter(|line| line.contains("a request came in")).count();
    assert_eq!(door.say("mine", "hello").await.status, 200);
    assert_eq!(requests(&daemon.log()), 1);
    daemon.write("key", "canary-of-the-key\n");
    // a model that is called like the key: what is logged about the provider would show it
    let config = "[log]\nlevel = \"info,tertulia_server=warn\"\n[providers.demo]\n[providers.hosted]\nkind = \"openai\"\n\
        base_url = \"http://127.0.0.1:9/v1\"\nmodel = \"canary-of-the-key\"\napi_key_file = \"key\"\n";
    daemon.write("bot.toml", config);
    daemon.reload();
    assert_eq!(door.say("mine", "hello").await.status, 200);
    let (_, log, _home) = daemon.stop();
    assert_eq!(requests(&log), 1, "{log}");
    assert!(
        log.contains("127.0.0.1:9/v1, [secret]") && !log.contains("canary"),
        "{log}"
    );
}

#[tokio::test]
async fn what_was_found_at_the_start_stays() {
    let home = Home::new();
    let daemon = home.start("", &[("OLLAMA_HOST", "127.0.0.1:9")]);
    let door = Ollama::of(&daemon);
    let before = door.say("mine", "hello").await.text();
    daemon.reload();
    assert!(outcome(&daemon.log()).contains("was read again"), "{}", daemon.log());
    assert_eq!(door.say("yours", "hello").await.text(), before);
    let reply = Reply::of(door.get("/readyz").await).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "{\"ready\":true}"));
}
