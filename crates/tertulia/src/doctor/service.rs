//! What systemd gives to its service, if this is one.

use super::report::Report;
use crate::environment::Environment;

pub(super) fn look(environment: &Environment, report: &mut Report) {
    if let Some(directory) = environment.path("CREDENTIALS_DIRECTORY") {
        match std::fs::read_dir(&directory) {
            Ok(files) => report.ok("credentials", format!("{} in {}", files.count(), directory.display())),
            Err(error) => {
                let advice = "look at LoadCredential= of the unit";
                report.fail("credentials", format!("{}: {error}", directory.display()), advice);
            }
        }
    }
    if let Some(micros) = environment.get("WATCHDOG_USEC") {
        match micros.parse::<u64>() {
            Ok(micros) => report.ok("watchdog", format!("a meal is due every {} s", micros / 1_000_000)),
            Err(_) => report.warn(
                "watchdog",
                "WATCHDOG_USEC is no number",
                "look at WatchdogSec= of the unit",
            ),
        }
    }
}
