//! The daemon: reads `bot.toml`, assembles the parts, runs.

mod askable;
mod batch;
mod chat;
mod check_config;
mod cli;
mod config;
mod control;
mod doctor;
mod environment;
mod failure;
mod import;
mod lock;
mod logging;
mod path_command;
mod providers_command;
mod run;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // where standard error is closed, the exit code has to do
            let _ = writeln!(
                std::io::stderr().lock(),
                "tertulia: {}",
                terminal::harmless(&failure.to_string())
            );
            failure.code().into()
        }
    }
}
