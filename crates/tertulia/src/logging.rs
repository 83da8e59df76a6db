//! Logs for people or as JSON, on standard error, without secrets; panics are logged like everything else.

mod redact;

use std::backtrace::Backtrace;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use tracing_subscriber::EnvFilter;

use crate::config::{Known, LogSettings};
use redact::Redacting;

/// Starts logging for the rest of the process.
pub(crate) fn start(settings: &LogSettings, secrets: &Known) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(settings))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(Redacting::new(secrets.iter()));
    if settings.json {
        builder.json().init();
    } else {
        builder.init();
    }
    std::panic::set_hook(Box::new(log_panic));
}

/// Migrations chat a lot, and the store tells what matters; whoever wants it can ask for it.
fn filter(settings: &LogSettings) -> EnvFilter {
    EnvFilter::new(format!("refinery_core=warn,{}", settings.level))
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("without a message");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let backtrace = Backtrace::capture();
    tracing::error!(message, place, thread, %backtrace, "a panic");
}
