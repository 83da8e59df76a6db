//! What `tertulia doctor` finds, and that it changes nothing.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;

use rusqlite::Connection;
use serde_json::Value;

use crate::config::output;
use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

const DEMO: &str = "[server]\nport = 0\n[providers.demo]\n";

/// Runs the doctor; gives back how it ended and what it printed.
#[track_caller]
pub(crate) fn doctor(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut program = home.program();
    program.args(["doctor", "--config", "bot.toml"]).args(arguments);
    program.envs(environment.iter().copied());
    let output = output(program);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// It ends with 1, and has a FAIL line that begins so, with these parts in it or in the advice below it.
#[track_caller]
pub(crate) fn check_failing(home: &Home, what: &str, parts: &[&str]) {
    let (code, text) = doctor(home, &[], &[]);
    assert_eq!(code, Some(1), "{text}");
    let mut lines = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("FAIL  {what}")));
    let finding = lines.next().unwrap_or_else(|| panic!("{what} does not fail:\n{text}"));
    let advice = lines.next().unwrap_or_default();
    assert!(advice.starts_with("      "), "{text}");
    for part in parts {
        assert!(
            finding.contains(part) || advice.contains(part),
            "{part:?} is not in\n{finding}\n{advice}"
        );
    }
}

/// A home that a daemon has run in, with this configuration from then on.
#[track_caller]
fn used(config: &str) -> Home {
    let (status, log, home) = Daemon::start("[providers.demo]\n").stop();
    assert!(status.success(), "{log}");
    home.write("bot.toml", config);
    home
}

fn change_mode(file: &Path, mode: u32) {
    fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
}

fn change_database(home: &Home, sql: &str) {
    Connection::open(home.state().join("tertulia.db"))
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

#[test]
fn a_healthy_one_is_told_so_before_and_after_its_first_start() {
    let fresh = Home::new();
    fresh.write("bot.toml", DEMO);
    for home in [fresh, used(DEMO)] {
        let is_there = home.state().exists();
        let (code, text) = doctor(&home, &[], &[]);
        assert_eq!(code, Some(0), "{text}");
        for what in [
            "configuration",
            "permissions",
            "database",
            "clock",
            "disk",
            "provider demo",
            "interface ollama_serve",
        ] {
            assert!(
                text.lines().any(
                    |line| line.starts_with(&format!("ok    {what}")) || line.starts_with(&format!("warn  {what}"))
                ),
                "{what}:\n{text}"
            );
        }
        assert_eq!(home.state().exists(), is_there, "something was made");
    }
}

#[test]
fn as_json_it_says_the_same() {
    let home = used(DEMO);
    let (code, text) = doctor(&home, &["--json"], &[]);
    assert_eq!(code, Some(0), "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    let found = found.as_array().unwrap();
    assert!(
        found
            .iter()
            .any(|finding| finding["what"] == "database" && finding["grade"] == "ok"),
        "{text}"
    );
}

#[test]
fn a_wrong_configuration_ends_it() {
    let home = Home::new();
    home.write("bot.toml", "[sever]\n");
    let (code, text) = doctor(&home, &[], &[]);
    assert_eq!(code, Some(78), "{text}");
    assert!(
        text.starts_with("FAIL  configuration: ") && text.contains("the nearest is server"),
        "{text}"
    );
}

#[test]
fn what_others_may_read_or_change_is_found() {
    let home = used("[server]\nport = 0\ntoken_file = \"token\"\n[providers.demo]\n");
    let token = home.write("token", "canary-of-the-token\n");
    change_mode(&token, 0o600);
    assert_eq!(doctor(&home, &[], &[]).0, Some(0));
    for (file, good, bad, advice) in [
        (token.clone(), 0o600, 0o644, "chmod 600"),
        (token.with_file_name("bot.toml"), 0o644, 0o666, "chmod o-w"),
        (home.state(), 0o700, 0o755, "chmod 700"),
        (home.state().join("tertulia.db"), 0o600, 0o640, "chmod 600"),
    ] {
        change_mode(&file, bad);
        let name = file.file_name().unwrap().to_str().unwrap();
        check_failing(&home, "permissions of ", &[name, &format!("{bad:04o}"), advice]);
        change_mode(&file, good);
    }
    let (code, text) = doctor(&home, &[], &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn a_database_of_another_version_is_found_by_doctor_and_start() {
    let home = used(DEMO);
    change_database(
        &home,
        "INSERT INTO refinery_schema_history(version, name, applied_on, checksum) VALUES(9999, 'later', '', '0'); \
         UPDATE meta SET value='9999' WHERE key='min_reader'",
    );
    check_failing(&home, "database: ", &["9999", "install that version again"]);
    let mut program = home.program();
    program.args(["run", "--port", "0"]).env("TERTULIA__LOG__LEVEL", "off");
    let ended = output(program);
    assert_eq!(ended.status.code(), Some(78), "{ended:?}");
    let sentence = String::from_utf8(ended.stderr).unwrap();
    assert!(
        sentence.contains("has schema 9999, this version knows") && sentence.contains("store.directory"),
        "{sentence}"
    );
}

#[test]
fn a_damaged_database_is_found() {
    let home = used(DEMO);
    fs::write(
        home.state().join("tertulia.db"),
        "this is no database at all, and never was one",
    )
    .unwrap();
    check_failing(&home, "database: ", &["damaged", "backup"]);
}

#[tokio::test]
async fn a_clock_before_the_newest_message_is_found() {
    let daemon = Daemon::start("[providers.demo]\n");
    assert_eq!(Ollama::of(&daemon).say("mine", "hello").await.status, 200);
    let (_, _, home) = daemon.stop();
    home.write("bot.toml", DEMO);
    // the year 3000
    change_database(&home, "UPDATE inbox SET accepted_at = 32503680000000");
    check_failing(&home, "clock: ", &["before the newest stored message", "set the clock"]);
}

/// A server that answers every request so.
pub(crate) fn server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

#[test]
fn each_way_in_which_a_provider_fails_has_its_advice() {
    let refused = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let unknown = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 31\r\nconnection: close\r\n\r\n\
        {\"error\":\"model 'm' not found\"}";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
    let moved = "HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 4\r\nconnection: close\r\n\r\nmove";
    let nobody = "http://127.0.0.1:9".to_owned();
    for (kind, address, parts) in [
        (
            "openai",
            server(refused),
            ["the key is not accepted", "providers.a.api_key_file"],
        ),
        ("openai", nobody.clone(), ["cannot be reached", "providers.a.base_url"]),
        ("ollama", nobody, ["cannot be reached", "providers.a.base_url"]),
        ("ollama", server(unknown), ["no such model", "providers.a.model"]),
        ("openai", server(page), ["a page of HTML", "providers.a.base_url"]),
        ("anthropic", server(page), ["a page of HTML", "providers.a.base_url"]),
        (
            "openai",
            server(moved),
            ["a redirect, which is not followed", "providers.a.base_url"],
        ),
    ] {
        let home = Home::new();
        let config =
            format!("[server]\nport = 0\n[providers.a]\nkind = {kind:?}\nmodel = \"m\"\nbase_url = {address:?}\n");
        home.write("bot.toml", &config);
        check_failing(&home, "provider a: ", &parts);
    }
    let home = Home::new();
    home.write(
        "bot.toml",
        "[server]\nport = 0\n[providers.a]\nkind = \"openai\"\nmodel = \"m\"\n",
    );
    check_failing(&home, "provider a: ", &["is missing", "api_key"]);
    for kind in [
        "anthropic",
        "google",
        "deepseek",
        "openrouter",
        "huggingface",
        "replicate",
    ] {
        let home = Home::new();
        home.write(
            "bot.toml",
            &format!("[server]\nport = 0\n[providers.{kind}]\nmodel = \"a/m\"\n"),
        );
        let setting = format!("providers.{kind}.api_key_file");
        check_failing(&home, &format!("provider {kind}: "), &["is missing", &setting]);
    }
}

#[test]
fn a_key_that_goes_over_the_wire_in_the_clear_is_warned_of() {
    let home = Home::new();
    home.write("key", "canary-of-the-key\n");
    // it is this machine, but does not look so
    home.write(
        "bot.toml",
        "[server]\nport = 0\n[providers.a]\nkind = \"anthropic\"\nmodel = \"m\"\nbase_url = \"http://0.0.0.0:9\"\n\
         api_key_file = \"key\"\n",
    );
    let (_, text) = doctor(&home, &[], &[]);
    let warning = "warn  provider a: its key goes to 0.0.0.0 by plain http";
    assert!(text.contains(warning) && !text.contains("canary"), "{text}");
}

#[test]
fn a_daemon_that_runs_is_asked_and_its_database_left_alone() {
    let daemon = Daemon::start("[providers.demo]\n");
    let port = daemon.url().rsplit_once(':').unwrap().1;
    let (code, text) = doctor(daemon.home(), &[], &[("TERTULIA__SERVER__PORT", port)]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("ok    daemon: runs, and has the database: the daemon is alive"),
        "{text}"
    );
    assert!(!text.contains("\nok    database"), "{text}");
    assert!(text.contains("the daemon is ready"), "{text}");
}

#[test]
fn what_a_server_says_steers_no_terminal() {
    let steering = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 47\r\nconnection: close\r\n\r\n\
        {\"error\":{\"message\":\"no \\u001b[2J\\nok    all\"}}";
    let home = Home::new();
    let address = server(steering);
    home.write(
        "bot.toml",
        &format!("[server]\nport = 0\n[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"{address}\"\n"),
    );
    check_failing(&home, "provider a: ", &["no [2J ok    all"]);
}

/// A provider may take long to answer; whoever starts the daemon meanwhile must not be turned away.
#[test]
fn a_doctor_who_waits_keeps_no_daemon_from_starting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let home = used(&format!(
        "[server]\nport = 0\n[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"http://{address}\"\n"
    ));
    let mut program = home.program();
    program.args(["doctor", "--config", "bot.toml"]).stdout(Stdio::null());
    let mut doctor = program.spawn().unwrap();
    let _asked = listener.accept().unwrap();
    let lock = fs::File::open(home.state().join("lock")).unwrap();
    assert!(lock.try_lock().is_ok());
    doctor.kill().unwrap();
    doctor.wait().unwrap();
}

/// Just then a doctor is called.
#[test]
fn a_daemon_that_hangs_is_found() {
    let home = used(DEMO);
    let lock = fs::File::open(home.state().join("lock")).unwrap();
    lock.try_lock().unwrap();
    let _silent = UnixListener::bind(home.state().join("control.sock")).unwrap();
    check_failing(&home, "daemon: ", &["the daemon did not answer in time", "it hangs"]);
}

#[test]
fn a_port_that_somebody_else_has_is_found() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = Home::new();
    home.write("bot.toml", &format!("[server]\nport = {port}\n[providers.demo]\n"));
    check_failing(&home, "interface ollama_serve: ", &["in use", "server.port"]);
}
