//! Whether there is room.

use std::path::Path;

use rustix::fs::{StatVfsMountFlags, statvfs};

use super::report::Report;

const MIB: u64 = 1 << 20;

/// With less the daemon may stop storing at any moment, in bytes.
const TOO_LITTLE: u64 = 100 * MIB;

/// With less somebody should look after it, in bytes.
const LITTLE: u64 = 1024 * MIB;

/// With fewer files left somebody should look after it.
const FEW_FILES: u64 = 1000;

pub(super) fn look(directory: &Path, report: &mut Report) {
    // what is not there yet will be where the next directory above is
    let Some(place) = directory.ancestors().find(|place| place.exists()) else {
        let advice = "set store.directory to a place that is there";
        return report.fail("disk", format!("{} cannot be looked at", directory.display()), advice);
    };
    let stat = match statvfs(place) {
        Ok(stat) => stat,
        Err(error) => {
            let advice = "set store.directory to a place that can be used";
            return report.fail("disk", format!("{}: {error}", place.display()), advice);
        }
    };
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let finding = format!("{} MiB are free for {}", free / MIB, place.display());
    if stat.f_flag.contains(StatVfsMountFlags::RDONLY) {
        let advice = "nothing can be stored there: mount it writable, or set another store.directory";
        report.fail("disk", format!("{} is read-only", place.display()), advice);
    } else if free < TOO_LITTLE {
        report.fail(
            "disk",
            finding,
            "make room: a daemon that cannot store takes no messages",
        );
    } else if free < LITTLE {
        report.warn("disk", finding, "make room before it is less than 100 MiB");
    } else {
        report.ok("disk", finding);
    }
    // some file systems do not count them
    if stat.f_files > 0 && stat.f_favail < FEW_FILES {
        let finding = format!("only {} more files can be made at {}", stat.f_favail, place.display());
        report.warn("disk", finding, "remove files that nobody needs (`df -i` counts them)");
    }
}
