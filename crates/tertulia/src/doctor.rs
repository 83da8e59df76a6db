//! `tertulia doctor`: looks for what is wrong, and says what to do about it. It changes nothing.

mod clock;
mod daemon;
mod database;
mod disk;
mod interfaces;
mod permissions;
mod providers;
mod report;
mod service;

use std::path::PathBuf;

use clap::Args;

use crate::config::{Configuration, Sources};
use crate::control::client::Whereabouts;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::lock::{self, Holder};
use report::Report;

/// What the command line says.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON array instead of lines
    #[arg(long)]
    json: bool,
}

/// Looks at everything, and prints what was found.
///
/// # Errors
/// The configuration is wrong, or something else is.
pub(crate) fn run(options: Options) -> Result<(), Failure> {
    let environment = Environment::of_process();
    let whereabouts = Whereabouts {
        socket: None,
        config: options.config.clone(),
    };
    let sources = Sources {
        file: options.config,
        port: None,
    };
    let mut report = Report::new(options.json);
    let configuration = match Configuration::read(&sources, &environment) {
        Ok(configuration) => configuration,
        Err(error) => {
            let advice = "mend it; `tertulia check-config` reads it as `tertulia run` does";
            report.fail("configuration", error.to_string(), advice);
            report.finish()?;
            return Err(Failure::config(
                "the configuration is wrong; nothing else was looked at",
            ));
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::broken(format!("the runtime could not be started: {error}")))?;
    runtime.block_on(look(&configuration, (&whereabouts, &environment), &mut report));
    match report.finish()? {
        0 => Ok(()),
        1 => Err(Failure::invalid("1 thing is wrong")),
        many => Err(Failure::invalid(format!("{many} things are wrong"))),
    }
}

async fn look(
    configuration: &Configuration,
    (whereabouts, environment): (&Whereabouts, &Environment),
    report: &mut Report,
) {
    match configuration.settings.file() {
        Some(file) => report.ok("configuration", format!("read from {}", file.display())),
        None => report.ok("configuration", "no file; what is not set is as usual"),
    }
    permissions::look(configuration, report);
    // by value, so that a lock is held no longer than the database is looked at: a daemon may start meanwhile
    let holder = lock::look(&configuration.directory);
    let is_running = matches!(holder, Ok(Holder::Daemon));
    let newest = match holder {
        Ok(Holder::Nobody { _lock }) => database::look(configuration, report),
        Ok(Holder::Daemon) => {
            // two programs must not have it open; whoever has it answers for it
            daemon::look(whereabouts, environment, report);
            None
        }
        Err(error) => {
            let finding = format!("whether a daemon runs cannot be told: {error}");
            let advice = "run the doctor as root, or as the user of the daemon";
            report.fail("database", finding, advice);
            None
        }
    };
    clock::look(newest, report);
    disk::look(&configuration.directory, report);
    providers::look(configuration, report).await;
    interfaces::look(configuration, is_running, report).await;
    service::look(environment, report);
}
