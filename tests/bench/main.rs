//! The figures that are promised, measured from outside on the real binary and printed as one table.
//!
//! `./check-long bench` builds it optimised and runs it. Nothing here fails because a figure is missed.
#![expect(clippy::print_stdout, reason = "this program's purpose is to print")]

mod commands;
mod daemon;
mod machine;
mod many;
#[cfg(feature = "matrix")]
mod matrix;
mod start;
mod table;
mod telegram;
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

/// Everything, or only the part that is named: `cargo bench .. -- commands`.
async fn measure() -> Result<()> {
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    println!("{}", machine::describe()?);
    let mut table = Table::default();
    if wanted("start") {
        start::measure(&mut table).await?;
    }
    for place in Place::all().iter().filter(|_| wanted("turn")) {
        turn::measure(place, &mut table).await?;
    }
    for place in Place::all().iter().filter(|_| wanted("many")) {
        many::rate(place, "hidden", &mut table).await?;
        many::rate(place, "edit", &mut table).await?;
    }
    for place in Place::all().iter().filter(|_| wanted("commands")) {
        commands::measure(place, &mut table).await?;
    }
    for place in Place::all().iter().filter(|_| wanted("telegram")) {
        telegram::measure(place, &mut table).await?;
    }
    #[cfg(feature = "matrix")]
    for place in Place::all().iter().filter(|_| wanted("matrix")) {
        matrix::measure(place, &mut table).await?;
    }
    if wanted("stored") {
        many::stored(&mut table).await?;
    }
    println!("\n{table}");
    println!("load average after: {}", machine::load()?);
    Ok(())
}
