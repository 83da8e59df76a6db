//! The code with which the first admin proves to be the operator, as the operator sees it.

use crate::daemon::Daemon;

const PLATFORM: &str = "[interfaces.lb]\nkind = \"loopback\"\nbase_url = \"http://127.0.0.1:9\"\n";

/// The codes that the daemon has shown.
fn codes(log: &str) -> Vec<&str> {
    let after = log
        .lines()
        .filter_map(|line| line.strip_prefix("Nobody governs this bot yet. "));
    after
        .filter_map(|rest| rest.split_once("/claim "))
        .map(|(_, code)| code)
        .collect()
}

#[test]
fn without_an_admin_it_is_shown_once_and_to_nobody_else() {
    let daemon = Daemon::start(&format!("{PLATFORM}[providers.demo]\n[log]\nlevel = \"debug\"\n"));
    let (_, log, home) = daemon.stop();
    let [code] = codes(&log)[..] else { panic!("{log}") };
    assert!(code.len() == 9 && code.as_bytes()[4] == b'-', "{code}");
    let bare = code.replace('-', "");
    assert_eq!(log.matches(code).count(), 1, "{log}");
    assert!(!log.contains(&bare), "{log}");
    for file in std::fs::read_dir(home.state()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!bytes.contains(code) && !bytes.contains(&bare), "{}", path.display());
        }
    }
}

#[test]
fn with_an_admin_or_without_a_platform_there_is_none() {
    for config in [
        format!("{PLATFORM}[providers.demo]\n[access]\nadmins = [\"lb/1\"]\n"),
        "[providers.demo]\n".to_owned(),
    ] {
        let (_, log, _home) = Daemon::start(&config).stop();
        assert!(codes(&log).is_empty(), "{log}");
    }
}
