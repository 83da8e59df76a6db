//! The crash simulation on the store in memory: every effect of every transcript.

use std::sync::Arc;

use async_trait::async_trait;
use tertulia_ports::Store;
use tertulia_testkit::fake_store::FakeStore;
use tertulia_testkit::simulation::{Disk, Sweep, sweep, transcripts};

const LIVES: &str = include_str!("../../transcripts/lives.txt");

/// A store in memory outlives the process that used it.
struct Memory(Arc<FakeStore>);

#[async_trait]
impl Disk for Memory {
    async fn open(&mut self) -> Arc<dyn Store> {
        Arc::clone(&self.0) as Arc<dyn Store>
    }
}

#[tokio::test(start_paused = true)]
async fn every_effect_of_every_transcript_survives_a_crash() {
    let mut total = Sweep::default();
    let mut faults = Vec::new();
    for transcript in transcripts(LIVES).unwrap() {
        let disk = async || Box::new(Memory(Arc::new(FakeStore::new()))) as Box<dyn Disk>;
        match sweep(&transcript, 7, 1, disk).await {
            Ok(swept) => {
                println!("{:<45} {swept:?}", transcript.name);
                let name = &transcript.name;
                if transcript.takes_away() && swept.reposted == 0 {
                    faults.push(format!("{name}: nothing was posted anew"));
                }
                if transcript.presses() && swept.presses == 0 {
                    faults.push(format!("{name}: nothing was pressed"));
                }
                total.runs += swept.runs;
                total.effects += swept.effects;
            }
            Err(found) => faults.extend(found),
        }
    }
    println!("in all: {total:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
