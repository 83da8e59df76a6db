//! Wrong configurations end the program before anything starts, in one sentence that says where to look.

mod matrix;
mod providers;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

/// How long a program may take to end: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a program to its end; one that does not end by itself is told to.
pub(crate) fn output(mut program: Command) -> Output {
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id().to_string();
    let (ended, wait) = sync_channel::<()>(0);
    let watchdog = std::thread::spawn(move || {
        if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            Command::new("kill").arg(id).status().unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(ended);
    watchdog.join().unwrap();
    output
}

/// `run` ends with this code and exactly one line, which has all of these in it.
#[track_caller]
fn check_ending(program: Command, code: i32, parts: &[&str]) {
    let output = output(program);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
    for part in parts {
        assert!(sentence.contains(part), "{part:?} is not in {sentence:?}");
    }
    assert!(output.stdout.is_empty());
}

#[track_caller]
pub(crate) fn check_both(home: &Home, arguments: &[&str], environment: &[(&str, &str)], parts: &[&str]) {
    for command in ["run", "check-config"] {
        let mut program = home.program();
        program.arg(command).args(arguments).envs(environment.iter().copied());
        check_ending(program, 78, parts);
    }
    assert!(!home.state().exists(), "something was started");
}

/// A file that is wrong; the sentence names it.
#[track_caller]
pub(crate) fn check_file(text: &str, parts: &[&str]) {
    let home = Home::new();
    let file = home.write("bot.toml", text);
    home.write("empty", " \n");
    home.write("short", "too-short\n");
    home.write("lines", "canary\nof two lines\n");
    let file = file.to_str().unwrap();
    let parts: Vec<&str> = parts.iter().copied().chain([file]).collect();
    check_both(&home, &["--config", file], &[], &parts);
}

/// A variable that is wrong; the sentence names it.
#[track_caller]
fn check_variable(name: &str, value: &str, parts: &[&str]) {
    let parts: Vec<&str> = parts.iter().copied().chain([name]).collect();
    check_both(&Home::new(), &[], &[(name, value)], &parts);
}

#[test]
fn unknown_keys_are_answered_with_the_nearest_one() {
    for (text, key, nearest) in [
        ("[server]\nprot = 1\n", "server.prot", "server.port"),
        ("[server]\nBind = \"::1\"\n", "server.Bind", "server.bind"),
        ("[sever]\nport = 1\n", "sever is", "is server"),
        ("port = 1\n", "port is", "is server.port"),
        ("[log]\nlevle = \"info\"\n", "log.levle", "log.level"),
        (
            "[providers.a]\nkind = \"demo\"\napi_key_fil = \"x\"\n",
            "providers.a.api_key_fil",
            "providers.a.api_key_file",
        ),
        (
            "[providers.a.timeouts]\ntotl = 1\n",
            "providers.a.timeouts.totl",
            "providers.a.timeouts.total",
        ),
        (
            "[providers.a.models.\"m.1\"]\nsupports_tools = true\n",
            "\"m.1\".supports_tools",
            "\"m.1\".supports_tool_calls",
        ),
        (
            "[interfaces.ollama_serve]\nknd = \"ollama_serve\"\n",
            "ollama_serve.knd",
            "ollama_serve.kind",
        ),
        ("[access]\nadmin = []\n", "access.admin ", "access.admins"),
        ("[limits]\nrouns = 1\n", "limits.rouns", "limits.rounds"),
    ] {
        check_file(text, &[key, "is not a known key; the nearest is", nearest]);
    }
}

#[test]
fn wrong_types_and_values_are_named() {
    for (text, parts) in [
        (
            "[server]\nport = \"11435\"\n",
            ["server.port", "a whole number from 0 to 65535, not a text"],
        ),
        (
            "[server]\nport = 70000\n",
            ["server.port", "must be a whole number from 0 to 65535"],
        ),
        (
            "[server]\nport = -1\n",
            ["server.port", "must be a whole number from 0 to 65535"],
        ),
        (
            "[server]\nport = 1.5\n",
            ["server.port", "not a number with a fraction"],
        ),
        (
            "[server]\nbind = \"127.0.0.1:80\"\n",
            ["server.bind", "must be an IP address"],
        ),
        (
            "[server]\nhosts = \"chat.example\"\n",
            ["server.hosts", "must be a list of texts, not a text"],
        ),
        (
            "[server]\nhosts = [\"https://chat.example\"]\n",
            ["server.hosts", "host names such as"],
        ),
        (
            "[server]\norigins = [\"chat.example\"]\n",
            ["server.origins", "origins such as"],
        ),
        ("server = 1\n", ["server", "is a section, not a key"]),
        ("[log.level]\na = 1\n", ["log.level", "must be a text, not a section"]),
        ("[log]\nformat = \"jsn\"\n", ["log.format", "the nearest is json"]),
        ("[log]\nlevel = \"a=b=c\"\n", ["log.level", "is no filter"]),
        ("[log]\nlevel = \"inof\"\n", ["log.level", "the nearest is info"]),
        ("[limits]\nrounds = 0\n", ["limits.rounds", "from 1 to 100"]),
        (
            "[interfaces.ollama_serve]\nenabled = \"no\"\n",
            ["interfaces.ollama_serve.enabled", "must be true or false"],
        ),
        (
            "[tools]\nenabled = [\"message_ollama_serve\"]\n",
            ["tools.enabled", "which is no tool"],
        ),
        (
            "[tools]\nenabled = [\"nwo\"]\n",
            ["tools.enabled", "the nearest is now"],
        ),
        ("[server]\n\nport = \n", ["line 3", "is not valid TOML"]),
        (
            "[server]\ntoken = \"a-secret-in-the-file\"\n",
            ["server.token", "is a secret"],
        ),
    ] {
        check_file(text, &parts);
    }
}

#[test]
fn providers_interfaces_and_personas_must_fit_together() {
    for (text, parts) in [
        ("[providers.a]\nmodel = \"m\"\n", ["providers.a.kind", "is missing"]),
        (
            "[providers.a]\nkind = \"opnai\"\n",
            ["providers.a.kind", "the nearest is openai"],
        ),
        (
            "[providers.a]\nkind = \"googel\"\n",
            [
                "providers.a.kind",
                "the nearest is google; kinds are openai, anthropic, google",
            ],
        ),
        (
            "[providers.a]\nkind = \"demo\"\nbase_url = \"http://a\"\n",
            ["providers.a.base_url", "not a key of the kind demo"],
        ),
        (
            "[providers.a]\nkind = \"demo\"\nnum_ctx = 4096\n",
            ["providers.a.num_ctx", "not a key of the kind demo"],
        ),
        (
            "[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nkeep_alive = \"5m\"\n",
            ["providers.a.keep_alive", "not a key of the kind openai"],
        ),
        (
            "[providers.a]\nkind = \"ollama\"\nmodel = \"m\"\nnum_ctx = 5\n",
            ["providers.a.num_ctx", "256"],
        ),
        (
            "[providers.a]\nkind = \"ollama\"\nmodel = \"m\"\nkeep_alive = \"for ever\"\n",
            ["providers.a.keep_alive", "\"5m\""],
        ),
        ("[providers.ollama]\n", ["providers.ollama.model", "is missing"]),
        (
            "[providers.a]\nkind = \"openai\"\nbase_url = \"a:80\"\n",
            ["providers.a.base_url", "http or https address"],
        ),
        (
            "[providers.demo]\n[personas.default]\nprovider = \"dmo\"\n",
            ["personas.default.provider", "the nearest is demo"],
        ),
        (
            "[providers.a]\nkind = \"openai\"\n",
            ["providers.a.model", "is missing"],
        ),
        (
            "[providers.demo]\n[personas.poet]\nprovider = \"dmo\"\n",
            ["personas.poet.provider", "the nearest is demo"],
        ),
        (
            "[personas.Poet]\nsystem = \"Rhyme.\"\n",
            ["personas.Poet", "lower-case letters"],
        ),
        (
            "[personas.latest]\nmodel = \"m\"\n",
            ["personas.latest", "cannot be the name"],
        ),
        (
            "[providers.a]\nkind = \"openai\"\n[providers.demo]\n\
             [personas.default]\nprovider = \"demo\"\n[personas.poet]\nprovider = \"a\"\n",
            ["providers.a.model", "personas.poet.model"],
        ),
        (
            "[interfaces.bot]\nkind = \"discord\"\n",
            ["interfaces.bot.kind", "not in this version yet"],
        ),
        (
            "[interfaces.bot]\nkind = \"olama_serve\"\n",
            ["interfaces.bot.kind", "the nearest is ollama_serve"],
        ),
        (
            "[interfaces.My-Door]\nkind = \"ollama_serve\"\n",
            ["interfaces.My-Door", "is no name of an interface"],
        ),
        (
            "[interfaces.a]\nkind=\"ollama_serve\"\n[interfaces.b]\nkind=\"ollama_serve\"\n",
            ["interfaces.b", "second"],
        ),
        (
            "[interfaces.ollama_serve]\nenabled = false\n",
            ["interfaces", "are all switched off"],
        ),
        ("[mcp.files]\ncommand = \"x\"\n", ["mcp", "not in this version yet"]),
    ] {
        check_file(text, &parts);
    }
}

#[test]
fn files_with_secrets_must_be_there_and_good() {
    for (text, parts) in [
        (
            "[server]\ntoken_file = \"absent\"\n",
            ["server.token_file", "absent, which is not there"],
        ),
        (
            "[server]\ntoken_file = \"empty\"\n",
            ["server.token_file", "empty, which is empty"],
        ),
        (
            "[server]\ntoken_file = \".\"\n",
            ["server.token_file", "which is a directory"],
        ),
        ("[server]\ntoken_file = \"\"\n", ["server.token_file", "is empty"]),
        (
            "[server]\ntoken_file = \"/dev/zero\"\n",
            ["server.token_file", "is larger than 65536 bytes"],
        ),
        (
            "[server]\ntoken_file = \"short\"\n",
            ["server.token_file", "fewer than 16 characters"],
        ),
        (
            "[server]\nbind = \"0.0.0.0\"\n",
            ["server.bind", "server.token_file must be set"],
        ),
        (
            "[providers.a]\nkind = \"openai\"\napi_key_file = \"absent\"\n",
            ["providers.a.api_key_file", "is not there"],
        ),
        (
            "[providers.a]\nkind = \"openai\"\nmodel = \"m\"\napi_key_file = \"lines\"\n",
            ["providers.a.api_key_file", "lines, which has more than one line"],
        ),
        (
            "[store]\ndirectory = \"empty\"\n",
            ["store.directory", "which is not a directory"],
        ),
    ] {
        check_file(text, &parts);
    }
}

#[test]
fn people_are_never_given_by_name() {
    for (text, parts) in [
        (
            "[access]\nadmins = [\"alice\"]\n",
            ["access.admins", "names can change hands"],
        ),
        (
            "[access]\nusers = [\"ollama_serve/@alice\"]\n",
            ["access.users", "names can change hands"],
        ),
        (
            "[access]\ntrusted = [\"ollama_srve/1\"]\n",
            ["access.trusted", "the nearest is ollama_serve"],
        ),
        (
            "[access.chats]\n\"ollama_serve\" = \"user\"\n",
            ["access.chats.ollama_serve", "is no interface path"],
        ),
        (
            "[access.chats]\n\"ollama_serve/1\" = \"boss\"\n",
            ["ollama_serve/1", "guest, user, trusted or admin"],
        ),
        (
            "[access.interfaces]\nollama_serve = \"admin\"\n",
            ["access.interfaces.ollama_serve", "server.token_file"],
        ),
        (
            "[access.interfaces]\nollama = \"user\"\n",
            ["access.interfaces.ollama", "the nearest is ollama_serve"],
        ),
    ] {
        check_file(text, &parts);
    }
}

#[tokio::test]
async fn an_empty_allow_list_means_nobody() {
    let lists = "[access]\nadmins = []\ntrusted = []\nusers = []\n[access.interfaces]\nollama_serve = \"guest\"\n";
    let daemon = Daemon::start(&format!("[providers.demo]\n{lists}"));
    let reply = Ollama::of(&daemon).say("mine", "hello").await;
    assert_eq!(reply.status, 403, "{reply:?}");
    assert!(!reply.error().is_empty());
}

#[test]
fn variables_are_named_as_they_are_written() {
    check_variable("TERTULIA__SERVER__PROT", "1", &["server.prot", "server.port"]);
    check_variable("TERTULIA__SERVER__PORT", "many", &["server.port", "a whole number"]);
    check_variable("TERTULIA__SERVER", "1", &["server is a section"]);
    check_variable(
        "TERTULIA__SERVER__TOKEN",
        "short",
        &["server.token", "fewer than 16 characters"],
    );
    check_variable("TERTULIA__PROVIDERS__A__KIND", "opnai", &["providers.a.kind", "openai"]);
    check_variable(
        "TERTULIA__SERVER__TOKEN_FILE",
        "absent",
        &["server.token_file", "is not there"],
    );
}

#[test]
fn a_file_that_is_named_must_be_there() {
    check_both(
        &Home::new(),
        &["--config", "absent.toml"],
        &[],
        &["absent.toml", "--config"],
    );
    check_both(&Home::new(), &["--config", "."], &[], &["cannot be read"]);
    let endless = ["--config", "/dev/zero"];
    check_both(&Home::new(), &endless, &[], &["/dev/zero", "is larger than"]);
}

#[test]
fn an_address_of_the_environment_must_be_one() {
    let home = Home::new();
    let mut program = home.program();
    program.args(["run", "--port", "0"]).env("OPENAI_BASE_URL", "nonsense");
    program.env("TERTULIA__LOG__LEVEL", "off");
    check_ending(program, 78, &["OPENAI_BASE_URL must be an http or https address"]);
    let mut program = home.program();
    program
        .args(["run", "--port", "0"])
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    program.env("TERTULIA__LOG__LEVEL", "off");
    check_ending(program, 78, &["OPENAI_BASE_URL", "set OPENAI_MODEL"]);
    for (variable, key, part) in [
        ("OPENAI_API_KEY", "canary\nof two lines", "which has more than one line"),
        (
            "ANTHROPIC_API_KEY",
            "canary\u{e4}",
            "which has characters that no key has",
        ),
    ] {
        let mut program = home.program();
        program.args(["run", "--port", "0"]).env(variable, key);
        program.env("TERTULIA__LOG__LEVEL", "off");
        check_ending(program, 78, &[&format!("{variable}: has a key, "), part]);
    }
    let mut program = home.program();
    program
        .arg("check-config")
        .env_remove("HOME")
        .env_remove("XDG_STATE_HOME");
    let homeless = output(program);
    assert_eq!(homeless.status.code(), Some(78), "{homeless:?}");
    let sentence = String::from_utf8(homeless.stderr).unwrap();
    assert!(
        sentence.starts_with("tertulia: store.directory is not set"),
        "{sentence}"
    );
}

#[test]
fn a_credential_that_is_there_must_be_good() {
    for name in ["server_token", "secrets_server_token"] {
        let home = Home::new();
        let credential = home.write(name, "\n");
        let directory = credential.parent().unwrap().to_str().unwrap();
        let environment = [("CREDENTIALS_DIRECTORY", directory)];
        let parts = ["CREDENTIALS_DIRECTORY", "server.token_file", name, "which is empty"];
        check_both(&home, &[], &environment, &parts);
    }
}

#[test]
fn a_taken_port_and_a_taken_directory_are_named() {
    let home = Home::new();
    let directory = home.state();
    let directory = directory.to_str().unwrap();
    let daemon = Daemon::start(&format!("[providers.demo]\n[store]\ndirectory = {directory:?}\n"));
    let port = daemon.url().rsplit_once(':').unwrap().1;
    for (port, directory, parts) in [
        (port, "elsewhere", [port, "server.port", "in use"]),
        ("0", directory, ["another instance", directory, "store.directory"]),
    ] {
        let mut program = home.program();
        program.args(["run", "--port", port]).env("TERTULIA__LOG__LEVEL", "off");
        program.env("TERTULIA__STORE__DIRECTORY", directory);
        check_ending(program, 75, &parts);
    }
}

#[test]
fn a_port_of_another_program_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let home = Home::new();
    let mut program = home.program();
    program
        .args(["run", "--port", &port])
        .env("TERTULIA__LOG__LEVEL", "off");
    check_ending(program, 75, &[&format!("127.0.0.1:{port}"), "in use"]);
}

#[test]
fn the_example_can_be_run_as_it_is() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bot.toml.example");
    let home = Home::new();
    let mut program = home.program();
    program.args(["check-config", "--config"]).arg(example);
    let output = output(program);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("server.port = 11435"), "{text}");
}
