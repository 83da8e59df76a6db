//! `tertulia import-history`: takes over what an older bot remembers, through the running daemon or into its database.

mod convert;
mod moment;
mod report;
mod sink;
mod source;

use std::path::PathBuf;

use clap::Args;

use crate::config::{Configuration, Sources};
use crate::control::client::Whereabouts;
use crate::environment::Environment;
use crate::failure::Failure;
use convert::{Converter, Names};
use report::Report;
use sink::Sink;
use source::Source;

/// What to take over, and how.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The older bot's SQLite file; it is only read
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The table; without it, the one that has the columns
    #[arg(long)]
    table: Option<String>,
    /// The column that says who spoke; without it, one with a usual name
    #[arg(long, value_name = "COLUMN")]
    sender_column: Option<String>,
    /// A sender that is the bot itself, beside bot and assistant
    #[arg(long, value_name = "NAME")]
    bot_name: Vec<String>,
    /// New names for interfaces
    #[arg(long, value_name = "OLD=NEW", num_args = 1..)]
    interface_map: Vec<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// A file to write the rows to that cannot be converted, as lines of JSON
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,
    #[command(flatten)]
    whereabouts: Whereabouts,
}

/// Takes it over.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let environment = Environment::of_process();
    let names = Names::new(&options.bot_name, &options.interface_map)?;
    let source = Source::open(&options.from)?;
    let table = source.table(options.table.as_deref(), options.sender_column.as_deref())?;
    let mut report = Report::new(&table, &options.from, options.rejected.as_deref())?;
    let mut converter = Converter::new(names);
    let mut lines = Vec::new();
    source.read(&table, |row| {
        report.read += 1;
        match converter.convert(&row) {
            Ok(line) => {
                report.convertible(&line);
                lines.push(line);
                Ok(())
            }
            Err(reason) => report.reject(&row, reason),
        }
    })?;
    // the order in which it was said is not always the order in which it was written
    lines.sort_by_key(|line| line.at);
    if !options.dry_run {
        let sink = Sink::open(&options.whereabouts, &environment)?;
        sink.import(lines, &mut report)?;
    }
    report.finish(options.dry_run, configured(options, &environment).as_deref())
}

/// The interfaces of the configuration; none if it cannot be read, which then is no matter.
fn configured(options: &Options, environment: &Environment) -> Option<Vec<String>> {
    let sources = Sources {
        file: options.whereabouts.config.clone(),
        port: None,
    };
    let glance = Configuration::glance(&sources, environment).ok()?;
    Some(glance.interfaces)
}
