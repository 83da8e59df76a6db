//! The figures that are promised, measured from outside on the real binary and printed as one table.
//!
//! `./check-long bench` builds it optimised and runs it. Nothing here fails because a figure is missed.
#![expect(clippy::print_stdout, reason = "this program's purpose is to print")]

mod commands;
mod daemon;
mod machine;
mod many;
mod start;
mod table;
mod turn;

use anyhow::Result;
use tokio::runtime::Builder;

use machine::Place;
use table::Table;

fn main() -> Result<()> {
    // what cargo passes to every bench, and what it does when only testing
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return Ok(());
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure())
}

async fn measure() -> Result<()> {
    println!("{}", machine::describe()?);
    let mut table = Table::default();
    start::measure(&mut table).await?;
    for place in Place::all() {
        turn::measure(&place, &mut table).await?;
    }
    for place in Place::all() {
        many::rate(&place, "hidden", &mut table).await?;
        many::rate(&place, "edit", &mut table).await?;
    }
    for place in Place::all() {
        commands::measure(&place, &mut table).await?;
    }
    many::stored(&mut table).await?;
    println!("\n{table}");
    println!("load average after: {}", machine::load()?);
    Ok(())
}
