//! The personas of the configuration: models of the door, each with what it says and who answers.

use serde_json::{Value, json};
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaServer};

use crate::config::output;
use crate::daemon::{Daemon, Home};
use crate::ollama::{Ollama, Reply};

const CONFIG: &str = "[providers.near]\nkind = \"demo\"\n[providers.other]\nkind = \"demo\"\nmodel = \"other-model\"\n\
    [personas.poet]\nsystem = \"Rhyme.\"\nprovider = \"other\"\n[personas.sage_2]\nmodel = \"demo\"\n";

#[tokio::test]
async fn each_is_a_model_of_the_door() {
    let daemon = Daemon::start(CONFIG);
    let door = Ollama::of(&daemon);
    let tags: Value = door.get("/api/tags").await.json().await.unwrap();
    let names: Vec<&Value> = tags["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| &model["name"])
        .collect();
    assert_eq!(names, ["tertulia:latest", "tertulia:poet", "tertulia:sage_2"]);
    for (model, status) in [
        ("tertulia", 200),
        ("tertulia:latest", 200),
        ("tertulia:poet", 200),
        ("tertulia:default", 404),
        ("tertulia:nobody", 404),
    ] {
        let body = json!({"model": model, "prompt": "hello"}).to_string();
        let reply = Reply::of(door.post("/api/generate", None, body).await).await;
        assert_eq!(reply.status, status, "{model}: {reply:?}");
        if status == 404 {
            let error = reply.error();
            let expected =
                format!("model '{model}' not found; there is tertulia:latest, tertulia:poet, tertulia:sage_2");
            assert_eq!(error, expected);
        }
    }
}

/// What the door tells about a model.
async fn shown(door: &Ollama, model: &str) -> (Value, Value) {
    let body = json!({"model": model}).to_string();
    let shown: Value = door.post("/api/show", None, body).await.json().await.unwrap();
    (
        shown["capabilities"].clone(),
        shown["model_info"]["tertulia.context_length"].clone(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_tells_what_the_model_behind_it_can_from_the_first_moment_on() {
    let double = OllamaDouble::start(OllamaServer::default()).await.unwrap();
    let near = format!(
        "[providers.near]\nkind = \"ollama\"\nbase_url = \"{}\"\nmodel = \"{}\"\n",
        double.base_url(),
        OllamaDouble::MODEL
    );
    let able = (json!(["completion", "tools", "vision", "thinking"]), json!(16_384));
    let config = format!("{near}[providers.other]\nkind = \"demo\"\n[personas.rules]\nprovider = \"other\"\n");
    let daemon = tokio::task::block_in_place(|| Daemon::start(&config));
    let door = Ollama::of(&daemon);
    assert_eq!(shown(&door, "tertulia").await, able);
    let rules = shown(&door, "tertulia:rules").await;
    assert_ne!(rules, able);

    let swapped = config.replace(
        "[personas.rules]\n",
        "[personas.default]\nprovider = \"other\"\n[personas.poet]\n",
    );
    let swapped = swapped.replace(
        "[personas.poet]\nprovider = \"other\"",
        "[personas.poet]\nprovider = \"near\"",
    );
    let daemon = tokio::task::block_in_place(|| {
        let daemon = Home::new().start("[providers.demo]\n", &[]);
        daemon.write("bot.toml", &swapped);
        daemon.reload();
        daemon
    });
    let door = Ollama::of(&daemon);
    assert_eq!(shown(&door, "tertulia").await, rules);
    assert_eq!(shown(&door, "tertulia:poet").await, able);
}

#[test]
fn check_config_lists_them() {
    let home = Home::new();
    home.write("bot.toml", CONFIG);
    let mut program = home.program();
    program.args(["check-config", "--config", "bot.toml"]);
    let text = String::from_utf8(output(program).stdout).unwrap();
    for line in [
        "persona poet: asks other, has a system prompt of its own\n",
        "persona sage_2: with the model demo\n",
        "personas.poet.system = \"Rhyme.\"  (bot.toml)\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}
