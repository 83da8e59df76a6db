//! Logs for people or as JSON, on standard error, without secrets; panics are logged like everything else.

mod redact;

use std::backtrace::Backtrace;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt, registry, reload};

use crate::config::{Known, LogSettings};
use redact::Redacting;

/// What is shown of the library for Matrix where nobody asks for more.
const QUIET_MATRIX: &str = "matrix_sdk=warn,matrix_sdk::http_client=off,matrix_sdk_base=warn,matrix_sdk_crypto=warn,";

/// The logs of this process. What they show, and what they hide, can be changed.
pub(crate) struct Logging {
    writer: Redacting,
    filter: reload::Handle<EnvFilter, Registry>,
}

/// Starts logging for the rest of the process.
pub(crate) fn start(settings: &LogSettings, secrets: &Known) -> Logging {
    let writer = Redacting::new(secrets.iter());
    let (layer, filter) = reload::Layer::new(filter(settings));
    let filtered = registry().with(layer);
    let lines = fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(writer.clone());
    if settings.json {
        filtered.with(lines.json()).init();
    } else {
        filtered.with(lines).init();
    }
    std::panic::set_hook(Box::new(log_panic));
    Logging { writer, filter }
}

impl Logging {
    /// From now on these are not shown either.
    pub(crate) fn redact(&self, secrets: &Known) {
        self.writer.add(secrets.iter());
    }

    /// From now on this much is logged.
    pub(crate) fn set_level(&self, settings: &LogSettings) {
        if let Err(error) = self.filter.reload(filter(settings)) {
            tracing::error!(%error, "the level of the log stays as it was");
        }
    }
}

/// Migrations chat a lot, and the store tells what matters. The library for Matrix calls every refusal an error, also those that are
/// looked for; the interface tells those that matter. Whoever wants either can ask for it.
fn filter(settings: &LogSettings) -> EnvFilter {
    let level = &settings.level;
    let is_talkative = ["debug", "trace"].iter().any(|word| level.contains(word));
    let matrix = if is_talkative { "" } else { QUIET_MATRIX };
    EnvFilter::new(format!("refinery_core=warn,{matrix}{level}"))
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("without a message");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let backtrace = Backtrace::capture();
    tracing::error!(message, place, thread, %backtrace, "a panic");
}
