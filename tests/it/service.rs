//! The daemon as a service: what it tells systemd, and what systemd thinks of its unit.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

use crate::daemon::{Daemon, Home};
use crate::ollama::Ollama;

/// How long a word to systemd may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);

const TOKEN: &str = "a-token-of-the-service";

/// The most that `systemd-analyze security` may find, in tenths of its points.
const EXPOSURE: &str = "12";

/// What systemd is to a service: its directories, its credentials, and a socket that listens.
struct Supervisor {
    directory: TempDir,
    socket: UnixDatagram,
}

impl Supervisor {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["credentials", "state", "run"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        fs::write(directory.path().join("credentials/secrets_server_token"), TOKEN).unwrap();
        let socket = UnixDatagram::bind(directory.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { directory, socket }
    }

    fn place(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }

    /// Starts the daemon as a service, with more in its environment.
    #[track_caller]
    fn start(&self, more: &[(&str, &str)]) -> Daemon {
        let places = [
            ("NOTIFY_SOCKET", self.place("notify")),
            ("CREDENTIALS_DIRECTORY", self.place("credentials")),
            ("STATE_DIRECTORY", self.place("state")),
            ("RUNTIME_DIRECTORY", self.place("run")),
        ];
        let mut environment: Vec<(&str, &str)> = places.iter().map(|(name, place)| (*name, &**place)).collect();
        environment.extend(more);
        Home::new().start("[providers.demo]\n", &environment)
    }

    /// The next thing it is told.
    #[track_caller]
    fn told(&self) -> String {
        let mut datagram = [0; 4096];
        let bytes = self.socket.recv(&mut datagram).unwrap();
        String::from_utf8(datagram[..bytes].to_vec()).unwrap()
    }

    /// Everything it is told until a line comes, with it.
    #[track_caller]
    fn told_until(&self, line: &str) -> String {
        let mut told = String::new();
        while !told.lines().any(|told| told == line) {
            told.push_str(&self.told());
        }
        told
    }

    /// What was said already and not yet heard.
    fn rest(&self) -> String {
        self.socket.set_nonblocking(true).unwrap();
        let mut rest = String::new();
        let mut datagram = [0; 4096];
        loop {
            match self.socket.recv(&mut datagram) {
                Ok(bytes) => rest.push_str(std::str::from_utf8(&datagram[..bytes]).unwrap()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return rest,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[tokio::test]
async fn ready_is_said_when_database_and_door_are() {
    let supervisor = Supervisor::new();
    let daemon = supervisor.start(&[]);
    let told = supervisor.told_until("READY=1");
    // nothing waits for it: what was promised is there
    assert!(PathBuf::from(supervisor.place("state/tertulia.db")).is_file());
    let door = Ollama::of(&daemon);
    assert_eq!(door.say("service", "hello").await.status, 401);
    let reply = door.with_token(TOKEN).say("service", "hello").await;
    assert_eq!(reply.status, 200, "{reply:?}");

    let address = daemon.url().strip_prefix("http://").unwrap();
    let lines: Vec<&str> = told.lines().collect();
    let status = format!("STATUS=ready, listening on {address}; up: ollama_serve; 0 conversations at work");
    assert_eq!(
        lines,
        [
            "STATUS=opening the database",
            "EXTEND_TIMEOUT_USEC=60000000",
            &status,
            "READY=1"
        ]
    );
}

#[test]
fn a_stop_is_announced() {
    let supervisor = Supervisor::new();
    let daemon = supervisor.start(&[]);
    supervisor.told_until("READY=1");
    let (status, log, _home) = daemon.stop();
    assert!(status.success(), "{log}");
    let told = supervisor.rest();
    assert!(told.lines().any(|line| line == "STOPPING=1"), "{told}");
    assert!(told.contains("STATUS=stopping"), "{told}");
}

#[test]
fn a_reload_is_announced_with_what_became_of_it() {
    let supervisor = Supervisor::new();
    let daemon = supervisor.start(&[]);
    supervisor.told_until("READY=1");
    daemon.reload();
    let told = supervisor.told_until("READY=1");
    assert!(told.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{told}");
    assert!(told.contains("STATUS=the configuration was read again\n"), "{told}");
    daemon.write("bot.toml", "[sever]\n");
    daemon.reload();
    let told = supervisor.told_until("READY=1");
    assert!(told.starts_with("RELOADING=1\n"), "{told}");
    let status = "STATUS=the configuration is wrong; the old one stays: ";
    assert!(
        told.contains(status) && told.contains("the nearest is server"),
        "{told}"
    );
}

#[test]
fn the_watchdog_is_fed_again_and_again() {
    let supervisor = Supervisor::new();
    let _daemon = supervisor.start(&[("WATCHDOG_USEC", "30000")]);
    supervisor.told_until("READY=1");
    for _ in 0..5 {
        assert_eq!(supervisor.told(), "WATCHDOG=1\n");
    }
}

#[tokio::test]
async fn a_watchdog_of_somebody_else_is_not_fed() {
    let supervisor = Supervisor::new();
    let watched = [("WATCHDOG_USEC", "3000"), ("WATCHDOG_PID", "1")];
    let daemon = supervisor.start(&watched);
    let door = Ollama::of(&daemon).with_token(TOKEN);
    // long enough for hundreds of meals
    assert_eq!(door.say("service", "hello").await.status, 200);
    daemon.stop();
    let told = supervisor.rest();
    assert!(told.contains("READY=1"), "{told}");
    assert!(!told.contains("WATCHDOG"), "{told}");
}

#[test]
fn an_empty_address_is_as_good_as_none() {
    let supervisor = Supervisor::new();
    let daemon = supervisor.start(&[("NOTIFY_SOCKET", ""), ("WATCHDOG_USEC", "3000")]);
    let (status, log, _home) = daemon.stop();
    assert!(status.success(), "{log}");
    assert!(!log.contains("supervisor"), "{log}");
    assert_eq!(supervisor.rest(), "");
}

fn unit() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy/tertulia.service")
}

/// What `systemd-analyze` says; nothing where there is none that knows the unit's settings.
fn analyze(arguments: &[&str]) -> Option<Output> {
    let version = Command::new("systemd-analyze").arg("--version").output().ok();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let number = version.and_then(|text| text.split_whitespace().nth(1)?.parse::<u32>().ok());
    if number.is_none_or(|number| number < 252) {
        // who cannot read it cannot be told
        let _ = writeln!(
            std::io::stderr(),
            "skipped: there is no systemd-analyze of version 252 or newer"
        );
        return None;
    }
    Some(Command::new("systemd-analyze").args(arguments).output().unwrap())
}

#[test]
fn the_unit_exposes_little() {
    let threshold = format!("--threshold={EXPOSURE}");
    let unit = unit();
    let Some(judged) = analyze(&["security", "--offline=true", &threshold, unit.to_str().unwrap()]) else {
        return;
    };
    let table = String::from_utf8_lossy(&judged.stdout);
    assert!(
        judged.status.success(),
        "{table}{}",
        String::from_utf8_lossy(&judged.stderr)
    );
    // a table without a verdict would be no check
    assert!(table.contains("Overall exposure level for tertulia.service"), "{table}");
}

#[test]
fn systemd_understands_every_line_of_the_unit() {
    let directory = tempfile::tempdir().unwrap();
    // the program is not installed where tests run
    let text = fs::read_to_string(unit()).unwrap();
    let text = text.replace("/usr/bin/tertulia", env!("CARGO_BIN_EXE_tertulia"));
    let copy = directory.path().join("tertulia.service");
    fs::write(&copy, text).unwrap();
    let Some(verified) = analyze(&["verify", copy.to_str().unwrap()]) else {
        return;
    };
    let complaints = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{complaints}");
    let ours: Vec<&str> = complaints
        .lines()
        .filter(|line| line.contains("tertulia.service"))
        .collect();
    assert!(ours.is_empty(), "{complaints}");
}

/// Whether the guide's table has a setting, by its name or by the beginning that stands for several.
fn is_explained(setting: &str, table: &str) -> bool {
    table.split('`').any(|name| match name.strip_suffix('…') {
        Some(beginning) => setting.starts_with(beginning),
        None => name.split('=').next() == Some(setting),
    })
}

#[test]
fn every_line_of_the_unit_has_its_reason_in_the_guide() {
    let guide = fs::read_to_string(unit().with_file_name("README.md")).unwrap();
    let (_, table) = guide.split_once("## What each line of the unit is for").unwrap();
    let unit = fs::read_to_string(unit()).unwrap();
    let lines = unit.lines().filter(|line| !line.starts_with('#'));
    // what a unit is called and what it waits for explains itself
    let plain = [
        "Description",
        "After",
        "Wants",
        "ExecStart",
        "WorkingDirectory",
        "WantedBy",
    ];
    let settings = lines.filter_map(|line| match line.split_once('=')? {
        ("Environment", variable) => Some(variable.split('=').next()?),
        (setting, _) => Some(setting),
    });
    let missing: Vec<&str> = settings
        .filter(|setting| !plain.contains(setting) && !is_explained(setting, table))
        .collect();
    assert!(missing.is_empty(), "not in the table of deploy/README.md: {missing:?}");
}
