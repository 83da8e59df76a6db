//! `tertulia providers`: who could be asked, what they can do, and whether they answer.

mod overview;
mod probe;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use crate::askable::{Read, runtime};
use crate::failure::Failure;
use crate::terminal::one_line;
use overview::Overview;

/// What the command line says.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Ask each one a short question, all at once, and show what comes of it
    #[arg(long)]
    probe: bool,
    /// Print one JSON array instead of lines
    #[arg(long)]
    json: bool,
}

/// Shows them.
///
/// # Errors
/// The configuration is wrong, or one that was asked does not answer.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let read = Read::from(options.config.clone())?;
    let runtime = runtime()?;
    let (overviews, found) = runtime.block_on(look(&read, options.probe))?;
    let text = if options.json {
        let all: Vec<Value> = overviews.iter().map(Overview::json).collect();
        format!("{:#}\n", Value::Array(all))
    } else {
        let found: Vec<String> = found.iter().map(|sentence| one_line(sentence) + "\n").collect();
        let texts: Vec<String> = overviews.iter().map(Overview::text).collect();
        [found.concat(), texts.join("\n")].concat()
    };
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))?;
    let failed = overviews.iter().filter(|overview| overview.has_failed()).count();
    match (failed, overviews.len()) {
        (0, _) => Ok(()),
        (failed, all) => Err(Failure::invalid(format!("{failed} of {all} providers did not answer"))),
    }
}

/// All of them by name, and what was found, in sentences.
async fn look(read: &Read, asks: bool) -> Result<(Vec<Overview>, Vec<String>), Failure> {
    let askable = read.set_up().await?;
    askable.learn().await;
    let mut outcomes = if asks {
        probe::all(&askable).await
    } else {
        BTreeMap::new()
    };
    let overviews = askable.parts.iter().filter_map(|(name, part)| {
        let settings = askable.chosen.settings.get(name)?;
        let mut overview = Overview::new(name, settings, part, askable.models.get(name)?);
        overview.answers = *name == askable.chosen.name;
        overview.probe = outcomes.remove(name);
        Some(overview)
    });
    Ok((overviews.collect(), askable.chosen.found.clone().unwrap_or_default()))
}
