//! The commands: paths, `check-config`, `chat`, help, and a start without any configuration.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use tertulia_testkit::ollama_double::{OllamaDouble, OllamaServer};

use crate::config::output;
use crate::daemon::{Daemon, Home};

/// An address at which no Ollama is.
const NO_OLLAMA: (&str, &str) = ("OLLAMA_HOST", "127.0.0.1:9");

/// What a command prints; it must succeed.
#[track_caller]
fn prints(arguments: &[&str]) -> String {
    let home = Home::new();
    let mut program = home.program();
    program.args(arguments);
    let output = output(program);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a command says when it fails with 1.
#[track_caller]
fn fails(arguments: &[&str]) -> String {
    let home = Home::new();
    let mut program = home.program();
    program.args(arguments);
    let output = output(program);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn paths_are_taken_apart_built_and_checked() {
    let parsed = prints(&["path", "parse", "matrix/!room:example.org/$ev%2Fent"]);
    for line in [
        "interface: matrix\n",
        "target: !room:example.org\n",
        "thread: $ev/ent\n",
        "parent: matrix/!room:example.org\n",
    ] {
        assert!(parsed.contains(line), "{parsed}");
    }
    assert!(!prints(&["path", "parse", "ollama_serve/my-chat"]).contains("thread:"));
    assert_eq!(
        prints(&["path", "build", "telegram_bot", "-1001234567890", "987"]),
        "telegram_bot/-1001234567890/987\n"
    );
    assert_eq!(
        prints(&["path", "build", "matrix", "!r:a", "$a/b"]),
        "matrix/!r:a/$a%2Fb\n"
    );
    assert_eq!(
        prints(&["path", "check", "ollama_serve/a"]),
        "ollama_serve/a is valid\n"
    );
}

#[test]
fn paths_that_are_none_fail_with_the_reason() {
    assert!(fails(&["path", "check", "Bad/1"]).contains("lower-case"));
    assert!(fails(&["path", "check", "ollama_serve"]).contains("needs a target"));
    assert!(fails(&["path", "parse", "a/b%2f"]).contains("upper-case hex"));
    assert!(fails(&["path", "build", "a", "b", "", "c"]).contains("empty or blank"));
}

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        &["--help"][..],
        &["run", "--help"],
        &["check-config", "--help"],
        &["path", "--help"],
        &["chat", "--help"],
        &["doctor", "--help"],
        &["providers", "--help"],
        &["batch", "--help"],
    ] {
        let help = prints(command);
        assert!(help.contains("Examples:\n  tertulia "), "{help}");
    }
    assert_eq!(
        prints(&["--version"]),
        format!("tertulia {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn check_config_says_what_would_run_and_where_it_comes_from() {
    let home = Home::new();
    home.write("token", "canary-of-the-token\n");
    let file = home.write(
        "bot.toml",
        "[server]\nport = 80\ntoken_file = \"token\"\n[providers.near]\nkind = \"openai\"\nmodel = \"m\"\n\
         base_url = \"http://user:canary-password@127.0.0.1:1/v1?key=canary-query\"\n[providers.rules]\nkind = \"demo\"\n",
    );
    let mut program = home.program();
    program
        .args(["check-config", "--config", "bot.toml"])
        .env("TERTULIA__SERVER__PORT", "81")
        .env("TERTULIA__PROVIDERS__NEAR__API_KEY", "canary-key")
        .env("TERTULIA__PERSONAS__DEFAULT__PROVIDER", "rules");
    let output = output(program);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for part in [
        "configuration: bot.toml\n",
        "interface ollama_serve: Ollama's API on 127.0.0.1:81, one token\n",
        "provider near: openai at http://127.0.0.1:1/v1, m\n",
        "provider rules (answers): demo",
        "server.port = 81  (TERTULIA__SERVER__PORT)\n",
        "server.bind = \"127.0.0.1\"  (default)\n",
        "server.token_file = \"token\"  (bot.toml)\n",
        "providers.near.api_key = (secret)  (TERTULIA__PROVIDERS__NEAR__API_KEY)\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains("canary"), "{text}");
    assert!(file.exists() && !home.state().exists());
}

#[test]
fn check_config_says_that_there_are_no_tools() {
    let home = Home::new();
    home.write("bot.toml", "[tools]\nenabled = []\n");
    let mut program = home.program();
    program.args(["check-config", "--config", "bot.toml"]);
    let text = String::from_utf8(output(program).stdout).unwrap();
    assert!(text.contains("\ntools: none\n"), "{text}");
}

#[test]
fn a_negative_port_is_a_port_out_of_range() {
    let home = Home::new();
    let mut program = home.program();
    program.args(["run", "--port", "-1"]);
    let output = output(program);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("not in 0..=65535"), "{text}");
}

/// A daemon that was started without any configuration.
struct Bare {
    child: Child,
    greeting: String,
    address: String,
    home: Home,
}

impl Bare {
    #[track_caller]
    fn start(environment: &[(&str, &str)]) -> Self {
        Self::start_at(Home::new(), environment)
    }

    #[track_caller]
    fn start_at(home: Home, environment: &[(&str, &str)]) -> Self {
        let mut program = home.program();
        program.args(["run", "--port", "0"]).envs(environment.iter().copied());
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut greeting = String::new();
        for line in BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
        {
            greeting.push_str(&line);
            greeting.push('\n');
            if line.contains("tertulia chat --url") {
                break;
            }
        }
        let address = greeting.split_once("--url http://").unwrap().1.trim().to_owned();
        Self {
            child,
            greeting,
            address,
            home,
        }
    }

    /// The body of the answer to a request by hand.
    fn post(&self, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "POST /api/chat HTTP/1.0\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.lines().next().unwrap().ends_with("200 OK"), "{answer}");
        answer
    }

    /// Tells it to stop, and gives back its exit code.
    fn stop(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const HELLO: &str = r#"{"model":"tertulia","messages":[{"role":"user","content":"hello"}],"stream":false}"#;

#[test]
fn without_any_configuration_the_demo_answers() {
    let mut daemon = Bare::start(&[
        NO_OLLAMA,
        ("MATRIX_PASSWORD", "canary-of-matrix"),
        ("NOTIFY_SOCKET", ""),
    ]);
    let greeting = daemon.greeting.clone();
    for part in [
        "the built-in demo answers",
        "MATRIX_PASSWORD is set, but not MATRIX_HOMESERVER, the address of the server",
        "curl http://127.0.0.1:",
    ] {
        assert!(greeting.contains(part), "{greeting}");
    }
    assert!(!greeting.contains("canary"), "{greeting}");
    let answer = daemon.post(HELLO);
    assert!(answer.contains("built-in demo"), "{answer}");
    assert_eq!(daemon.stop(), Some(0));
    let mode = std::os::unix::fs::PermissionsExt::mode(&daemon.home.state().metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_that_is_there_is_asked_by_its_own_api() {
    let double = OllamaDouble::start(OllamaServer::default()).await.unwrap();
    let address = double.base_url().replace("http://", "");
    let daemon = Bare::start(&[("OLLAMA_HOST", &address)]);
    let found = format!(": the model {} answers.", OllamaDouble::MODEL);
    assert!(daemon.greeting.contains(&found), "{}", daemon.greeting);
    let answer = daemon.post(HELLO);
    assert!(answer.contains(OllamaDouble::DEFAULT_ANSWER), "{answer}");
    let call = double.calls().remove(0);
    assert_eq!(call.route, "/api/chat");
    assert_eq!(
        (&call.request["options"]["num_ctx"], &call.request["truncate"]),
        (&16_384.into(), &false.into())
    );
    assert!(
        call.request["tools"].is_array() && double.shows() > 0,
        "{}",
        call.request
    );
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[test]
fn variables_of_openai_are_used() {
    let environment = [
        ("OPENAI_API_KEY", "canary-key"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
        ("OPENAI_MODEL", "m"),
    ];
    let daemon = Bare::start(&environment);
    assert!(
        daemon.greeting.contains("OPENAI_BASE_URL is set: the model m answers"),
        "{}",
        daemon.greeting
    );
    assert!(!daemon.greeting.contains("canary"), "{}", daemon.greeting);
}

#[test]
fn a_second_signal_ends_at_once() {
    let home = Home::new();
    let mut program = home.program();
    program.args(["run", "--port", "0"]).stderr(Stdio::piped());
    program.env("TERTULIA__PROVIDERS__DEMO__PAUSE_MS", "10000");
    let mut child = program.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut logged = |wanted: &str| log.find(|line| line.contains(wanted)).unwrap();
    let listening = logged("listening");
    let address = listening.split_once("address=").unwrap().1.to_owned();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nX-Conversation-Id: a\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{HELLO}", HELLO.len()).unwrap();
    logged("accepted");
    let id = child.id().to_string();
    for told in ["stopping", "ending at once"] {
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        logged(told);
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Talks through a pipe: what is said, and what comes out.
fn chat(home: &Home, arguments: &[&str], said: &str) -> (Option<i32>, String, String) {
    let input = home.write("said", said);
    let mut program = home.program();
    program
        .arg("chat")
        .args(arguments)
        .stdin(std::fs::File::open(input).unwrap());
    let output = output(program);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_pipe_can_talk_and_is_remembered() {
    let daemon = Daemon::start("[providers.demo]\n");
    let home = Home::new();
    let url = ["--url", daemon.url()];
    let (code, out, err) = chat(&home, &url, "my cat is Minka\n\nwhat did I say\n/quit\nhello\n");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.ends_with("Before that you said: my cat is Minka\n"), "{out}");
    assert!(!out.contains("Hello!"), "{out}");
    // another process goes on with the conversation, and another name is another conversation
    let (_, out, _) = chat(&home, &url, "what did I say");
    assert_eq!(out, "Before that you said: what did I say\n");
    let (_, out, _) = chat(
        &home,
        &[&url[..], &["--conversation", "other"]].concat(),
        "what did I say",
    );
    assert!(out.starts_with("Nothing before that"), "{out}");
}

#[test]
fn what_does_not_speak_as_a_daemon_is_named() {
    let line = vec![b'x'; 17 << 20];
    for (answer, parts) in [
        (
            &b"no HTTP at all\n\n"[..],
            ["did not answer as a daemon does", "http://127.0.0.1:"],
        ),
        (b"<html>", ["does not speak Ollama's API", "tertulia: "]),
        (&line, ["a line that is too long", "tertulia: "]),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let is_http = !answer.starts_with(b"no HTTP");
        let answer = answer.to_vec();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            if is_http {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            }
            // the client may have gone before it has everything
            let _ = stream.write_all(&answer);
        });
        let (code, out, err) = chat(&Home::new(), &["--url", &url], "hello\n");
        server.join().unwrap();
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        for part in parts {
            assert!(err.contains(part), "{part:?} is not in {err:?}");
        }
        assert!(!err.contains("/api/chat"), "{err}");
    }
}

#[test]
fn a_daemon_that_is_not_there_or_wants_a_token_is_named() {
    let home = Home::new();
    let (code, out, err) = chat(&home, &["--url", "http://127.0.0.1:9"], "hello\n");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("no daemon answers at http://127.0.0.1:9") && err.contains("tertulia run"),
        "{err}"
    );

    let token = home.write("token", "canary-of-the-token\n");
    let token = token.to_str().unwrap();
    let daemon = Daemon::start(&format!("[server]\ntoken_file = {token:?}\n[providers.demo]\n"));
    let (code, _, err) = chat(&home, &["--url", daemon.url()], "hello\n");
    assert_eq!(code, Some(1));
    assert!(err.contains("--token-file"), "{err}");
    let (code, out, _) = chat(&home, &["--url", daemon.url(), "--token-file", token], "hello\n");
    assert_eq!(code, Some(0));
    assert!(out.contains("built-in demo"), "{out}");
}
