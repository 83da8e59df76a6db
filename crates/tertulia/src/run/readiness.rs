//! Whether the daemon can do its work: what `/readyz` tells, and the line that systemd shows.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use tertulia_engine::{Handle, InterfaceState};
use tertulia_server::{Readiness, Trouble};

use super::{EngineCell, now};

/// How long each part may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the engine how it is, and remembers since when it has not been well.
pub(super) struct EngineReadiness {
    engine: EngineCell,
    since: Mutex<BTreeMap<(String, String), Timestamp>>,
}

impl EngineReadiness {
    /// The engine may be there later: as long as it is not, it is starting.
    pub(super) fn new(engine: EngineCell) -> Self {
        Self {
            engine,
            since: Mutex::default(),
        }
    }

    /// The same as before with when each began. What is over is forgotten.
    fn date(&self, found: Vec<(String, String)>) -> Vec<Trouble> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.retain(|trouble, _| found.contains(trouble));
        let date = |trouble: (String, String)| {
            let began = *since.entry(trouble.clone()).or_insert_with(now);
            let (part, problem) = trouble;
            Trouble {
                part,
                problem,
                since: Some(began),
            }
        };
        found.into_iter().map(date).collect()
    }
}

#[async_trait]
impl Readiness for EngineReadiness {
    async fn troubles(&self) -> Vec<Trouble> {
        let found = match self.engine.get() {
            Some(engine) => found(engine).await,
            None => vec![trouble("daemon", "is starting")],
        };
        self.date(found)
    }
}

async fn found(engine: &Handle) -> Vec<(String, String)> {
    let dead = engine.is_alive(PATIENCE).await.err();
    let down = engine.interfaces().into_iter().filter_map(|(name, state)| match state {
        InterfaceState::Listening => None,
        InterfaceState::Trying(why) | InterfaceState::Down(why) => Some((name, format!("is down: {why}"))),
    });
    dead.map(|dead| part_of(&dead)).into_iter().chain(down).collect()
}

/// Which part it is that does not answer. Of the store's own words nothing is told: they may name files.
fn part_of(dead: &str) -> (String, String) {
    if let Some(problem) = dead.strip_prefix("the event loop ") {
        return trouble("event loop", problem);
    }
    if let Some((name, problem)) = dead
        .strip_prefix("the interface ")
        .and_then(|rest| rest.split_once(' '))
    {
        return trouble(name, problem);
    }
    match dead.strip_prefix("the store's writer ") {
        Some(problem) => trouble("store", problem),
        None => trouble("store", "is broken"),
    }
}

fn trouble(part: &str, problem: &str) -> (String, String) {
    (part.to_owned(), problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dead: &str, part: &str, problem: &str) {
        assert_eq!(part_of(dead), trouble(part, problem));
    }

    #[test]
    fn the_part_is_named_and_the_store_says_nothing_of_its_files() {
        check("the event loop does not answer", "event loop", "does not answer");
        check("the store's writer does not answer", "store", "does not answer");
        check("the interface my_bot has ended", "my_bot", "has ended");
        check("cannot write /var/lib/x/tertulia.db", "store", "is broken");
    }

    #[tokio::test]
    async fn a_trouble_has_a_beginning_until_it_is_over() {
        let readiness = EngineReadiness::new(EngineCell::default());
        let first = readiness.troubles().await;
        assert_eq!(first.first().map(|trouble| trouble.part.as_str()), Some("daemon"));
        assert_eq!(readiness.troubles().await, first);
        assert_eq!(readiness.date(Vec::new()), []);
        assert!(readiness.since.lock().unwrap().is_empty());
    }
}
