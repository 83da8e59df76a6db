//! The line that systemd shows: what runs.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use tertulia_engine::{Handle, InterfaceState};
use tertulia_ports::{ConversationQuery, Store};

use super::supervisor;
use crate::control;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(30);

/// Of so many conversations, the latest, it is told how many are at work.
const LATEST: u32 = 100;

/// The line, and what it is made of.
pub(super) struct Status<'a> {
    pub(super) handle: &'a Handle,
    pub(super) store: &'a dyn Store,
    pub(super) address: Option<SocketAddr>,
}

impl Status<'_> {
    /// The line at the start: every interface is about to listen.
    pub(super) fn first(&self) -> String {
        let starting = self.interfaces().into_iter();
        let starting: Vec<_> = starting.map(|(name, _)| (name, InterfaceState::Listening)).collect();
        line(self.address, &starting, Some(0))
    }

    /// How those are that people speak through: the console is always there.
    fn interfaces(&self) -> Vec<(String, InterfaceState)> {
        let mut interfaces = self.handle.interfaces();
        interfaces.retain(|(name, _)| name != control::NAME);
        interfaces
    }

    /// Keeps the line true, if there is anybody to show it to. It never ends; dropping it does.
    pub(super) async fn keep(&self) -> Infallible {
        let mut last = self.first();
        loop {
            tokio::time::sleep(EVERY).await;
            if !supervisor::is_there() {
                continue;
            }
            let latest = self.store.conversations(&ConversationQuery::Latest(LATEST)).await;
            let running = latest.map(|latest| latest.iter().filter(|facts| facts.running).count());
            let now = line(self.address, &self.interfaces(), running.ok());
            if last != now {
                supervisor::status(&now);
                last = now;
            }
        }
    }
}

/// `ready, listening on a; up: b, c; down: d; 2 conversations at work`
fn line(address: Option<SocketAddr>, states: &[(String, InterfaceState)], running: Option<usize>) -> String {
    let listening = address.map(|address| format!("ready, listening on {address}"));
    let (up, down): (Vec<_>, Vec<_>) = states
        .iter()
        .partition(|(_, state)| *state == InterfaceState::Listening);
    let running = match running {
        Some(1) => "1 conversation at work".to_owned(),
        Some(running) => format!("{running} conversations at work"),
        None => "the database does not answer".to_owned(),
    };
    let parts = [
        Some(listening.unwrap_or_else(|| "ready".to_owned())),
        named("up", &up),
        named("down", &down),
        Some(running),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn named(word: &str, states: &[&(String, InterfaceState)]) -> Option<String> {
    let names: Vec<&str> = states.iter().map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| format!("{word}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_told_by_how_they_are() {
        let states = [
            ("a".to_owned(), InterfaceState::Listening),
            ("b".to_owned(), InterfaceState::Down("refused".to_owned())),
            ("c".to_owned(), InterfaceState::Listening),
        ];
        let shown = line("127.0.0.1:1".parse().ok(), &states, Some(1));
        assert_eq!(
            shown,
            "ready, listening on 127.0.0.1:1; up: a, c; down: b; 1 conversation at work"
        );
        assert_eq!(line(None, &[], None), "ready; the database does not answer");
    }
}
