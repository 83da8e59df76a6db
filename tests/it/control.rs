//! The door for whoever owns the machine: the socket, who may use it, what it survives, and `tertulia <command>`.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;

use crate::config::output;
use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

const DEMO: &str = "[providers.demo]\nkind = \"demo\"\n";

/// How long an answer may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Gives the daemon a command by the program.
pub(crate) fn tell(daemon: &Daemon, words: &[&str]) -> Output {
    let mut program = daemon.program();
    program.args(words);
    output(program)
}

/// What the daemon answers to a command that it does.
#[track_caller]
pub(crate) fn told(daemon: &Daemon, words: &[&str]) -> String {
    let output = tell(daemon, words);
    assert!(output.status.success(), "{words:?}: {output:?}\n{}", daemon.log());
    text(&output.stdout)
}

fn socket(daemon: &Daemon) -> PathBuf {
    daemon.state().join("control.sock")
}

fn connect(file: &Path) -> UnixStream {
    let stream = UnixStream::connect(file).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The lines that come back until the daemon closes, or until the end of an answer.
fn answered(stream: &UnixStream) -> Vec<Value> {
    let mut lines = Vec::new();
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        let line: Value = serde_json::from_str(&line).unwrap();
        let is_end = line.get("done").is_some() || line.get("error").is_some();
        lines.push(line);
        if is_end {
            break;
        }
    }
    lines
}

fn asks(file: &Path, request: &str) -> Vec<Value> {
    let mut stream = connect(file);
    writeln!(stream, "{request}").unwrap();
    answered(&stream)
}

#[track_caller]
fn error_of(lines: &[Value]) -> String {
    let last = lines.last().and_then(|line| line["error"].as_str());
    last.unwrap_or_else(|| panic!("no error: {lines:?}")).to_owned()
}

#[test]
fn the_socket_is_its_owners_alone_and_goes_with_the_daemon() {
    let daemon = Daemon::start(DEMO);
    let file = socket(&daemon);
    let found = fs::metadata(&file).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(daemon.state()).unwrap().mode() & 0o777, 0o700);
    assert!(told(&daemon, &["whoami"]).contains("admin"));
    let (status, log, home) = daemon.stop();
    assert!(status.success(), "{log}");
    assert!(!home.state().join("control.sock").exists());
}

#[test]
fn commands_are_done_refused_and_explained() {
    let daemon = Daemon::start(DEMO);
    let status = told(&daemon, &["status"]);
    assert!(
        status.contains("demo") && !status.contains('`') && status.ends_with('\n'),
        "{status}"
    );
    for (words, part) in [
        (&["allow"][..], "Usage: /allow"),
        (&["allow", "person", "somebody"], "interface/id"),
        (&["at", "ollama_serve/nowhere", "status"], "ollama_serve/nowhere"),
        (&["deadletters", "retry", "all of them"], "Usage: /deadletters"),
    ] {
        let output = tell(&daemon, words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(text(&output.stderr).contains(part), "{words:?}: {output:?}");
    }
    // what the shell has no word for is not done under another one
    let output = tell(&daemon, &["stop"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(told(&daemon, &["health"]).contains("alive"));
    // nobody could claim a bot that has no chat platform
    let output = tell(&daemon, &["claim"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_setting_from_the_shell_holds_in_the_next_answer() {
    let daemon = Daemon::start(DEMO);
    assert!(told(&daemon, &["model", "--all", "another"]).contains("another"));
    assert!(told(&daemon, &["status"]).contains("another"));
    told(&daemon, &["model", "--all", "default"]);
    assert!(!told(&daemon, &["status"]).contains("another"));
}

#[test]
fn a_socket_that_a_dead_daemon_left_is_replaced() {
    let home = Daemon::start(DEMO).kill();
    assert!(home.state().join("control.sock").exists());
    let mut program = home.program();
    program.arg("status");
    let output = output(program);
    assert_eq!(output.status.code(), Some(69), "{output:?}");
    let daemon = home.start(DEMO, &[]);
    assert!(told(&daemon, &["status"]).contains("demo"));
}

#[test]
fn a_second_daemon_leaves_the_first_one_its_socket() {
    let daemon = Daemon::start(DEMO);
    let mut second = daemon.program();
    second.args(["run", "--port", "0", "--config", "bot.toml"]);
    let output = output(second);
    assert_eq!(output.status.code(), Some(75), "{output:?}");
    assert!(told(&daemon, &["status"]).contains("demo"));
}

#[test]
fn two_daemons_in_one_runtime_directory_do_not_share_a_socket() {
    let runtime = Home::new();
    let directory = runtime.state();
    let environment = [("RUNTIME_DIRECTORY", directory.to_str().unwrap())];
    let first = Home::new().start(DEMO, &environment);
    let second = Home::new();
    second.write("bot.toml", DEMO);
    let mut program = second.program();
    program
        .args(["run", "--port", "0", "--config", "bot.toml"])
        .envs(environment);
    let output = output(program);
    assert_eq!(output.status.code(), Some(75), "{output:?}");
    let file = directory.join("control.sock");
    assert!(told(&first, &["whoami", "--socket", file.to_str().unwrap()]).contains("console/"));
}

#[test]
fn daemon_and_client_find_the_same_place() {
    let runtime = Home::new();
    fs::create_dir_all(runtime.state()).unwrap();
    let directory = runtime.state();
    let environment = [("XDG_RUNTIME_DIR", directory.to_str().unwrap())];
    let daemon = Home::new().start(DEMO, &environment);
    assert!(!socket(&daemon).exists());
    assert_eq!(fs::metadata(directory.join("tertulia")).unwrap().mode() & 0o777, 0o700);
    let mut program = daemon.program();
    program.args(["status", "--config", "bot.toml"]).envs(environment);
    let output = output(program);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn without_a_daemon_one_reads_where_it_was_looked_for() {
    let home = Home::new();
    let mut program = home.program();
    program.arg("status");
    let found = output(program);
    assert_eq!(found.status.code(), Some(69), "{found:?}");
    let said = text(&found.stderr);
    let looked = home.state().join("control.sock");
    assert!(
        said.contains(looked.to_str().unwrap()) && said.contains("tertulia run"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let mut program = home.program();
    program.args(["status", "--config", "missing.toml"]);
    assert_eq!(output(program).status.code(), Some(78));
}

#[test]
fn a_path_too_long_for_a_socket_is_told() {
    let home = Home::new();
    let long = "d".repeat(120);
    home.write("bot.toml", &format!("{DEMO}[store]\ndirectory = \"{long}\"\n"));
    let mut program = home.program();
    program.args(["run", "--port", "0", "--config", "bot.toml"]);
    let found = output(program);
    assert_eq!(found.status.code(), Some(78), "{found:?}");
    assert!(text(&found.stderr).contains("107"), "{found:?}");
}

#[test]
fn the_name_of_the_console_is_taken() {
    let home = Home::new();
    for config in [
        "[interfaces.console]\nkind = \"ollama_serve\"\n",
        "[access.interfaces]\nconsole = \"guest\"\n",
        "[access]\nadmins = [\"console/0\"]\n",
    ] {
        home.write("bot.toml", config);
        let mut program = home.program();
        program.args(["check-config", "--config", "bot.toml"]);
        let found = output(program);
        assert_eq!(found.status.code(), Some(78), "{config}: {found:?}");
        assert!(text(&found.stderr).contains("console"), "{found:?}");
    }
}

#[test]
fn help_lists_what_the_table_has() {
    let home = Home::new();
    let mut program = home.program();
    program.arg("help");
    let help = text(&output(program).stdout);
    for line in [
        "Running:",
        "Governing",
        "Tools:",
        "\n  allow  ",
        "\n  deadletters  ",
        "\n  import-history ",
    ] {
        assert!(help.contains(line), "{line}\n{help}");
    }
    assert!(
        help.contains("Let somebody, or everybody in a chat, speak to the bot"),
        "{help}"
    );
    let mut program = home.program();
    program.args(["help", "at"]);
    let help = text(&output(program).stdout);
    assert!(help.contains("tertulia at [OPTIONS] <path> <command>"), "{help}");
}

/// Behind other words, an option would be said to the daemon of the usual configuration.
#[test]
fn an_option_behind_what_is_said_is_refused() {
    let daemon = Daemon::start(DEMO);
    for option in ["--config", "--config=bot.toml", "--socket"] {
        let refused = tell(&daemon, &["system", "be", "kind", option, "bot.toml"]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(text(&refused.stderr).contains("options come first"), "{refused:?}");
    }
    assert!(!daemon.log().contains("a command came in"), "{}", daemon.log());
    let taken = tell(&daemon, &["system", "--config", "bot.toml", "be", "--kind"]);
    assert!(taken.status.success(), "{taken:?}");
}

/// A foreign user, who reaches the socket because somebody has opened its directory.
#[test]
fn another_user_is_turned_away() {
    let runtime = Home::new();
    let directory = runtime.state();
    fs::create_dir_all(&directory).unwrap();
    if fs::metadata(&directory).unwrap().uid() != 0 {
        println!("skipped: only root can become another user");
        return;
    }
    let daemon = Home::new().start(DEMO, &[("RUNTIME_DIRECTORY", directory.to_str().unwrap())]);
    let file = directory.join("control.sock");
    for opened in [
        directory.parent().unwrap().parent().unwrap(),
        directory.parent().unwrap(),
        &directory,
    ] {
        fs::set_permissions(opened, Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    // what was asked is never read, which resets the connection once the answer is
    let script = "import os, socket, sys\nos.setgid(65534)\nos.setuid(65534)\ns = socket.socket(socket.AF_UNIX)\n\
        s.connect(sys.argv[1])\ntry:\n    s.sendall(b'{\"command\":\"whoami\"}\\n')\nexcept BrokenPipeError:\n    pass\n\
        said = b''\ntry:\n    while more := s.recv(4096):\n        said += more\nexcept ConnectionResetError:\n    pass\n\
        print(said.decode())\n";
    let ran = Command::new("python3").args(["-c", script]).arg(&file).output();
    let Ok(ran) = ran else {
        println!("skipped: there is no python3");
        return;
    };
    let said = text(&ran.stdout);
    assert!(said.contains("user 65534 may not govern this daemon"), "{ran:?}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    daemon.until_logged(|line| line.contains("turned away") && line.contains("65534"));
    assert!(!daemon.log().contains("a command came in"));
}

#[test]
fn hostile_input_is_refused_and_the_next_command_is_answered() {
    let daemon = Daemon::start(DEMO);
    let file = socket(&daemon);
    for garbage in [
        "",
        "hello",
        "{\"command\":",
        "[1,2]",
        "{\"command\":\"a\",\"x\":1}",
        "\u{1b}[2J",
    ] {
        assert!(error_of(&asks(&file, garbage)).contains("no request"), "{garbage}");
    }
    for name in ["", "Status", "status all", "../status", &"a".repeat(100)] {
        let request = serde_json::json!({"command": name}).to_string();
        assert!(error_of(&asks(&file, &request)).contains("name of a command"), "{name}");
    }
    let unknown = error_of(&asks(&file, "{\"command\":\"nosuch\"}"));
    assert!(unknown.contains("nosuch"), "{unknown}");
    let path = error_of(&asks(
        &file,
        "{\"import\":[{\"key\":\"k\",\"path\":\"Not A Path\",\"text\":\"t\",\"at\":1}]}",
    ));
    assert!(path.contains("Not A Path"), "{path}");
    too_long(&file);
    // half a line, and nobody who waits for the answer
    connect(&file).write_all(b"{\"command\":\"sta").unwrap();
    for _ in 0..20 {
        connect(&file).write_all(b"{\"command\":\"status\"}\n").unwrap();
    }
    assert!(told(&daemon, &["status"]).contains("demo"));
    let quiet = daemon.log();
    assert!(!quiet.contains("panic"), "{quiet}");
}

/// A line that never ends is refused as soon as it is too long.
fn too_long(file: &Path) {
    let mut stream = connect(file);
    let piece = vec![b'a'; 64 << 10];
    for _ in 0..64 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    let mut said = Vec::new();
    // the daemon closes a connection with unread bytes, which may take its last word away
    let _ = stream.read_to_end(&mut said);
    assert!(said.is_empty() || text(&said).contains("too long"), "{}", text(&said));
}

#[test]
fn connections_have_a_bound_and_idle_ones_an_end() {
    let daemon = Daemon::start(DEMO);
    let file = socket(&daemon);
    let crowd: Vec<UnixStream> = (0..200).map(|_| connect(&file)).collect();
    // those beyond the bound are told so at once, the others when they have said nothing for a while
    let ends: Vec<String> = crowd.iter().map(|stream| error_of(&answered(stream))).collect();
    let of = |part: &str| ends.iter().filter(|end| end.contains(part)).count();
    assert_eq!((of("too many"), of("no request came")), (136, 64), "{ends:?}");
    assert!(told(&daemon, &["status"]).contains("demo"));
}

#[test]
fn several_requests_share_a_connection() {
    let daemon = Daemon::start(DEMO);
    let mut stream = connect(&socket(&daemon));
    for _ in 0..3 {
        stream
            .write_all(b"{\"command\":\"whoami\",\"arguments\":\"\"}\n")
            .unwrap();
        let lines = answered(&stream);
        assert_eq!(lines.last().unwrap()["done"], true, "{lines:?}");
        assert!(lines[0]["text"].as_str().unwrap().contains("console/"), "{lines:?}");
    }
}

#[test]
fn a_file_in_the_place_of_the_socket_is_left_alone() {
    let home = Home::new();
    home.write("bot.toml", DEMO);
    fs::create_dir_all(home.state()).unwrap();
    fs::write(home.state().join("control.sock"), "mine").unwrap();
    let mut program = home.program();
    program.args(["run", "--port", "0", "--config", "bot.toml"]);
    let found = output(program);
    assert_eq!(found.status.code(), Some(78), "{found:?}");
    assert_eq!(fs::read_to_string(home.state().join("control.sock")).unwrap(), "mine");
}

#[test]
fn a_daemon_that_breaks_off_is_an_error_and_no_panic() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    let listener = UnixListener::bind(home.state().join("control.sock")).unwrap();
    for said in ["", "{\"text\":\"half", "no json\n", "{\"text\":\"a\"}\n"] {
        let mut program = home.program();
        program.arg("status");
        let client = std::thread::spawn(move || output(program));
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = String::new();
        BufReader::new(&stream).read_line(&mut request).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        drop(stream);
        let found = client.join().unwrap();
        assert_eq!(found.status.code(), Some(1), "{found:?}");
        assert!(
            text(&found.stderr).contains("the connection to the daemon broke"),
            "{found:?}"
        );
    }
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    let daemon = Daemon::start(DEMO);
    let mut program = daemon.program();
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    program.arg("status").stdout(write);
    let found = program.output().unwrap();
    assert!(found.status.success() && found.stderr.is_empty(), "{found:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_answered_while_fifty_turns_stream() {
    let daemon = Daemon::start("[providers.demo]\nkind = \"demo\"\npause_ms = 200\n");
    let client = Ollama::of(&daemon);
    let mut open = Vec::new();
    for nth in 0..50 {
        open.push(
            client
                .begin(&format!("c{nth}"), "one two three four five six seven eight nine ten")
                .await,
        );
    }
    let status = tokio::task::block_in_place(|| told(&daemon, &["at", "ollama_serve/c7", "status"]));
    assert!(status.contains("demo"), "{status}");
    let mut still = 0;
    for mut response in open {
        still += usize::from(response.chunk().await.unwrap().is_some());
    }
    assert!(still > 0, "the turns were over before the command came");
}
