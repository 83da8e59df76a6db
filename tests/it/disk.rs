//! A disk that is full or read-only, as the operator sees it. Only root can mount one for it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::config::output;
use crate::daemon::Home;
use crate::ollama::Ollama;

/// A small disk in memory, gone when it is dropped.
struct Disk(TempDir);

impl Disk {
    /// Says that the test is skipped where none can be had.
    fn of(size: &str) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size},mode=0700"), "tmpfs"])
            .arg(place.path())
            .output();
        if mount.is_ok_and(|mount| mount.status.success()) {
            return Some(Self(place));
        }
        let _ = writeln!(std::io::stderr(), "skipped: a disk cannot be mounted here");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, how: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{how}")]).arg(self.path());
        assert!(mount.status().unwrap().success());
    }

    /// Fills it to the last byte.
    fn fill(&self) {
        let mut file = fs::File::create(self.path().join("filler")).unwrap();
        for size in [1 << 16, 1 << 8, 1] {
            while file.write_all(&vec![7; size]).is_ok() {}
        }
    }

    fn empty(&self) {
        fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // it may be busy for a moment; without a mount the directory would be removed all the same
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// What `doctor` and `run` say about a state directory.
#[track_caller]
fn check(state: &Path, doctor_says: &str, code: i32, run_says: &str) {
    let home = Home::new();
    let file = home.write("bot.toml", "[server]\nport = 0\n[providers.demo]\n");
    let state = state.to_str().unwrap();
    let of = |command: &str| {
        let mut program = home.program();
        program.arg(command).arg("--config").arg(&file);
        program
            .env("TERTULIA__STORE__DIRECTORY", state)
            .env("TERTULIA__LOG__LEVEL", "off");
        output(program)
    };
    let doctor = of("doctor");
    let text = String::from_utf8(doctor.stdout).unwrap();
    assert_eq!(doctor.status.code(), Some(1), "{text}");
    assert!(
        text.lines()
            .any(|line| line.starts_with("FAIL") && line.contains(doctor_says)),
        "{text}"
    );
    let run = of("run");
    let sentence = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(code), "{sentence}");
    for part in [run_says, state, "store.directory"] {
        assert!(sentence.contains(part), "{part:?} is not in {sentence:?}");
    }
}

#[test]
fn a_read_only_disk_is_named_at_the_start() {
    let Some(disk) = Disk::of("8m") else { return };
    disk.remount("ro");
    check(disk.path(), "Read-only file system", 78, "Read-only file system");
}

#[test]
fn a_full_disk_is_named_at_the_start() {
    let Some(disk) = Disk::of("8m") else { return };
    disk.fill();
    check(disk.path(), "0 MiB are free", 1, "full");
}

#[tokio::test]
async fn a_disk_that_fills_up_refuses_messages_until_there_is_room() {
    let Some(disk) = Disk::of("16m") else { return };
    let home = Home::within(disk.path());
    let daemon = home.start("[providers.demo]\n", &[]);
    let door = Ollama::of(&daemon);
    assert_eq!(door.say("mine", "hello").await.status, 200);
    disk.fill();
    let refused = loop {
        // what room SQLite has set aside may do for some
        let reply = door.say("mine", "hello").await;
        if !reply.is_whole() {
            break reply;
        }
    };
    assert!(refused.status == 503 || refused.status == 200, "{refused:?}");
    assert!(!refused.error().is_empty(), "{refused:?}");
    daemon.until_logged(|line| line.contains("full"));
    assert_eq!(door.get("/healthz").await.status(), 200);
    disk.empty();
    loop {
        if door.say("mine", "hello again").await.is_whole() {
            break;
        }
    }
    let (status, log, _home) = daemon.stop();
    assert!(status.success(), "{log}");
}
