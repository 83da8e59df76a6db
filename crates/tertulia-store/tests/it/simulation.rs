//! The crash simulation on real SQLite: the process dies at every effect, and the database is opened again.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tempfile::TempDir;
use tertulia_ports::Store;
use tertulia_store::SqliteStore;
use tertulia_testkit::simulation::{Disk, Transcript, sweep, transcripts};

const LIVES: &str = include_str!("../../../tertulia-testkit/transcripts/lives.txt");

/// Transcripts are played side by side: a run mostly waits for the writer.
const SIDE_BY_SIDE: usize = 4;

/// A database that outlives the process that used it.
struct OnDisk {
    directory: TempDir,
}

#[async_trait]
impl Disk for OnDisk {
    async fn open(&mut self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.directory.path(), crate::bench::options()).unwrap())
    }
}

/// A copy of an empty database: making one anew takes longer than a whole run.
fn fresh(template: &Path) -> Box<dyn Disk> {
    let directory = crate::bench::directory();
    for file in std::fs::read_dir(template).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), directory.path().join(file.file_name())).unwrap();
        }
    }
    Box::new(OnDisk { directory })
}

fn play(transcript: &Transcript, template: &Path) -> Result<usize, Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let swept = runtime.block_on(sweep(transcript, 11, 1, async || fresh(template)))?;
    Ok(swept.runs)
}

#[test]
fn every_effect_of_every_transcript_survives_a_crash_on_sqlite() {
    let template = crate::bench::directory();
    drop(SqliteStore::open(template.path(), crate::bench::options()).unwrap());
    let template = template.path().to_owned();
    // The store in memory plays all kinds of platform; here one kind of each transcript is enough, the one that
    // commits most, unless everything is asked for.
    let everything = std::env::var_os("TERTULIA_LONG").is_some();
    let lives = transcripts(LIVES).unwrap().into_iter().map(|mut transcript| {
        if !everything {
            transcript.kinds = transcript.kinds.split_off(transcript.kinds.len() - 1);
        }
        transcript
    });
    let lives = std::sync::Mutex::new(lives.collect::<Vec<_>>());
    let played = std::thread::scope(|scope| {
        let players: Vec<_> = (0..SIDE_BY_SIDE)
            .map(|_| {
                scope.spawn(|| {
                    let mut results = Vec::new();
                    loop {
                        let next = lives.lock().unwrap().pop();
                        let Some(transcript) = next else { return results };
                        results.push(play(&transcript, &template));
                    }
                })
            })
            .collect();
        players
            .into_iter()
            .flat_map(|player| player.join().unwrap())
            .collect::<Vec<_>>()
    });
    let faults: Vec<String> = played
        .iter()
        .filter_map(|result| result.as_ref().err())
        .flatten()
        .cloned()
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let runs: usize = played.iter().filter_map(|result| result.as_ref().ok()).sum();
    assert!(runs > 1000, "only {runs} runs: the transcripts were not played");
}
