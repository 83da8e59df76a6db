//! How fast streams are read: figures to be printed, measured on optimised code by `./check-long bench`.

#![expect(clippy::cast_precision_loss, reason = "figures are read by people")]

#[path = "../../../tests/bench/table.rs"]
mod table;

mod arguments;
mod recorded;
mod token;

use std::time::{Duration, Instant};

use table::Table;

/// So long is measured at least.
const LONG_ENOUGH: Duration = Duration::from_millis(500);

#[test]
#[ignore = "figures of optimised code; ./check-long bench prints them"]
fn figures() {
    let mut table = Table::default();
    recorded::measure(&mut table);
    arguments::measure(&mut table);
    token::measure(&mut table);
    println!("\n{table}");
}

/// The shortest time of several runs: what else the machine does makes a run longer, never shorter.
fn best(mut run: impl FnMut()) -> Duration {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    while begun.elapsed() < LONG_ENOUGH || best == Duration::MAX {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

fn megabytes_a_second(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}
