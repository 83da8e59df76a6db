//! Whether the clock can be right.

use jiff::{SignedDuration, Timestamp};

use super::report::Report;
use crate::run::now;

/// So much may a clock be set back without harm.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// Written by systemd's own time service, as long as it is in step.
const IN_STEP: &str = "/run/systemd/timesync/synchronized";

pub(super) fn look(newest: Option<Timestamp>, report: &mut Report) {
    let program = std::env::current_exe().and_then(|file| file.metadata()?.modified());
    let program = program.ok().and_then(|time| Timestamp::try_from(time).ok());
    let now = now();
    let advice = "set the clock, and let it be kept in step: `timedatectl set-ntp true`";
    for (then, what) in [
        (program, "the program's own file"),
        (newest, "the newest stored message"),
    ] {
        if let Some(then) = then.filter(|then| now.duration_since(*then) < -TOLERANCE) {
            let finding = format!("it is {now}, which is before {what} ({then})");
            return report.fail("clock", finding, advice);
        }
    }
    let compared = if newest.is_some() {
        "the program's own file and the newest stored message"
    } else {
        "the program's own file"
    };
    let in_step = if std::path::Path::new(IN_STEP).exists() {
        "kept in step by systemd-timesyncd"
    } else {
        "who keeps it in step is not known"
    };
    report.ok("clock", format!("{now:.0}, later than {compared}; {in_step}"));
}
