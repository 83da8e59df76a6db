//! `tertulia providers`: who could be asked, and whether they answer.

use serde_json::{Value, json};
use tertulia_testkit::model_double::{ModelDouble, Script, Strictness};

use crate::config::output;
use crate::daemon::Home;

/// Runs it with a configuration; gives back how it ended, what it printed, and what it complained of.
fn providers(config: &str, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let home = Home::new();
    home.write("key", "canary-of-the-key\n");
    let mut program = home.program();
    program
        .arg("providers")
        .args(arguments)
        .envs(environment.iter().copied());
    if !config.is_empty() {
        home.write("bot.toml", config);
        program.args(["--config", "bot.toml"]);
    }
    let output = tokio::task::block_in_place(|| output(program));
    assert!(!home.state().exists(), "it has started something");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!out.contains("canary") && !err.contains("canary"), "{out}{err}");
    (output.status.code(), out, err)
}

const THREE: &str = "[providers.a]\nkind = \"anthropic\"\nmodel = \"claude-x\"\napi_key_file = \"key\"\n\
    base_url = \"http://user:canary@127.0.0.1:9\"\nfallback = [\"c\", \"b\"]\nat_once = 3\n\
    [providers.a.models.claude-x]\nprice_input = 3\nprice_output = 15\nprice_cache_read = 0.3\nsupports_vision = true\n\
    [providers.b]\nkind = \"openai\"\nmodel = \"m\"\n\
    [providers.b.capabilities]\nsupports_tool_calls = false\n\
    [providers.c]\nkind = \"demo\"\n\
    [personas.default]\nprovider = \"b\"\n";

#[tokio::test(flavor = "multi_thread")]
async fn everything_about_them_is_shown_and_no_secret() {
    let (code, text, _) = providers(THREE, &[], &[]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "a: anthropic at http://127.0.0.1:9, claude-x\n",
        "can        conversations, system messages, tools, pictures\n",
        "costs      $3 to read, $15 to write, $0.3 from its cache, for a million tokens\n",
        "fallback   c, then b\n",
        "at once    3 questions\n",
        "b (answers): openai at https://api.openai.com/v1, m\n  missing    providers.b.api_key_file\n",
        "tools as text",
        "\nc: demo",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let (_, text, _) = providers(THREE, &["--json"], &[]);
    let shown: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&Value> = shown.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(shown[2]["model"], "demo");
    let a = &shown[0];
    assert_eq!((&a["kind"], &a["answers"]), (&json!("anthropic"), &json!(false)));
    assert_eq!((&a["fallback"], &a["probe"]), (&json!(["c", "b"]), &Value::Null));
    assert_eq!(a["capabilities"]["supports_vision"], true);
    assert_eq!(
        a["prices"],
        json!({"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_written": null})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_is_asked_and_what_came_of_it_is_told() {
    let double = ModelDouble::start().await.unwrap();
    double.push(Script::text("Hello.\u{1b}[2J"));
    let config = format!(
        "[providers.there]\nkind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"\n\
         [providers.gone]\nkind = \"google\"\nmodel = \"g\"\nbase_url = \"http://127.0.0.1:9\"\napi_key_file = \"key\"\n",
        ModelDouble::MODEL,
        double.base_url()
    );
    let (code, text, complaint) = providers(&config, &["--probe"], &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(complaint.contains("1 of 2 providers did not answer"), "{complaint}");
    let of = |name| {
        let mut lines = text.lines().skip_while(move |line| !line.starts_with(name));
        lines
            .find(|line| line.starts_with("  answered") || line.starts_with("  FAILED"))
            .unwrap()
    };
    let answered = of("there");
    assert!(
        answered.contains("Hello.") && answered.contains("first sign after"),
        "{answered}"
    );
    assert!(answered.contains("11 tokens read, 7 tokens written"), "{answered}");
    assert!(of("gone").contains("cannot be reached"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let asked = double.requests();
    assert_eq!((asked.len(), double.refusals()), (1, Vec::new()), "{asked:?}");

    double.push(Script::status(401));
    let (code, text, _) = providers(&config, &["--probe", "--json"], &[]);
    assert_eq!(code, Some(1), "{text}");
    let shown: Value = serde_json::from_str(&text).unwrap();
    let error = shown[1]["probe"]["error"].as_str().unwrap();
    assert!(error.contains("the key is not accepted"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_configuration_what_is_found_is_shown() {
    let found = [("ANTHROPIC_API_KEY", "canary-key"), ("OLLAMA_HOST", "127.0.0.1:9")];
    let (code, text, _) = providers("", &[], &found);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("ANTHROPIC_API_KEY is set: the model "), "{text}");
    assert!(
        text.contains("\nanthropic (answers): anthropic at https://api.anthropic.com"),
        "{text}"
    );
    let (code, _, complaint) = providers("[providers.a]\nkind = \"gogle\"\n", &[], &[]);
    assert_eq!(code, Some(78), "{complaint}");
    assert!(complaint.contains("the nearest is google"), "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_variables_of_a_services_own_clients_are_for_the_service_alone() {
    for (kind, variable) in [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("deepseek", "DEEPSEEK_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("huggingface", "HF_TOKEN"),
        ("replicate", "REPLICATE_API_TOKEN"),
    ] {
        let config = format!("[providers.a]\nkind = \"{kind}\"\nmodel = \"a/m\"\n");
        let missing = |environment: &[(&str, &str)]| {
            let (code, text, complaint) = providers(&config, &["--json"], environment);
            assert_eq!(code, Some(0), "{complaint}");
            serde_json::from_str::<Value>(&text).unwrap()[0]["missing"].clone()
        };
        assert_eq!(missing(&[]), "providers.a.api_key_file", "{kind}");
        assert_eq!(missing(&[(variable, "canary")]), Value::Null, "{variable}");
    }
    let strictness = Strictness {
        key: Some("canary".to_owned()),
        ..Strictness::default()
    };
    let double = ModelDouble::start_strict(strictness).await.unwrap();
    let section = format!(
        "[providers.a]\nkind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"\n",
        ModelDouble::MODEL,
        double.base_url()
    );
    let (code, text, _) = providers(&section, &["--probe"], &[("OPENAI_API_KEY", "canary")]);
    assert!(code == Some(1) && text.contains("the key is not accepted"), "{text}");
    let own = [("TERTULIA__PROVIDERS__A__API_KEY", "canary")];
    assert_eq!(providers(&section, &["--probe"], &own).0, Some(0));
}

/// Asks prompts; gives back how it ended, the lines, and what it complained of.
fn batch(config: &str, arguments: &[&str], prompts: &str) -> (Option<i32>, Vec<Value>, String) {
    let home = Home::new();
    home.write("bot.toml", config);
    let input = home.write("prompts", prompts);
    let mut program = home.program();
    program.args(["batch", "--config", "bot.toml"]).args(arguments);
    program.stdin(std::fs::File::open(input).unwrap());
    let output = tokio::task::block_in_place(|| output(program));
    assert!(!home.state().exists(), "it has started something");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), lines, String::from_utf8(output.stderr).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn many_prompts_are_asked_and_answered_in_their_order() {
    let double = ModelDouble::start().await.unwrap();
    let config = format!(
        "[providers.there]\nkind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"\nat_once = 1\n[providers.rules]\nkind = \"demo\"\n",
        ModelDouble::MODEL,
        double.base_url()
    );
    double.push(Script::text("one"));
    double.push(Script::status(400));
    let arguments = ["--provider", "there"];
    let (code, lines, complaint) = batch(&config, &arguments, "first\n\n\"sec\\nond\"\nthird\n");
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("1 of 3 prompts were not answered"), "{complaint}");
    let [first, second, third] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert_eq!((&first["index"], &first["text"]), (&json!(0), &json!("one")));
    assert_eq!((&first["tokens_in"], &first["tokens_out"]), (&json!(11), &json!(7)));
    assert!(
        second["error"].as_str().unwrap().contains("the request is refused"),
        "{second}"
    );
    assert_eq!(
        (&third["index"], &third["text"]),
        (&json!(2), &json!(ModelDouble::DEFAULT_ANSWER))
    );
    let asked: Vec<Value> = double
        .requests()
        .iter()
        .map(|body| body["messages"][0]["content"].clone())
        .collect();
    assert_eq!(asked, ["first", "sec\nond", "third"]);
    assert_eq!(double.refusals(), Vec::<String>::new());

    let (code, lines, complaint) = batch(&config, &[], "hello\n");
    assert_eq!((code, lines.len()), (Some(0), 1), "{complaint}");
    assert!(lines[0]["text"].as_str().unwrap().contains("demo"), "{lines:?}");
    let (code, _, complaint) = batch(&config, &["--provider", "ther"], "hello\n");
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("the nearest is there"), "{complaint}");
}
