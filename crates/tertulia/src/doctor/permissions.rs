//! Who may read and write what is ours.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use tertulia_store::DATABASE;

use super::report::Report;
use crate::config::Configuration;
#[cfg(feature = "matrix")]
use crate::config::{Platform, PlatformKind};

const GROUP_OR_OTHERS: u32 = 0o077;
const OTHERS: u32 = 0o007;
const WRITE_BY_OTHERS: u32 = 0o002;

pub(super) fn look(configuration: &Configuration, report: &mut Report) {
    directory(&configuration.directory, report);
    file(
        &configuration.directory.join(DATABASE),
        GROUP_OR_OTHERS,
        "others may read the database: `chmod 600` it",
        report,
    );
    #[cfg(feature = "matrix")]
    for directory in configuration.platforms.values().filter_map(matrix_directory) {
        let advice = "others may read the keys of the account: `chmod 700` it";
        file(directory, GROUP_OR_OTHERS, advice, report);
    }
    for secret in configuration.settings.secret_files() {
        file(
            &secret,
            OTHERS,
            "everybody may read this secret: `chmod 600` it",
            report,
        );
    }
    if let Some(config) = configuration.settings.file() {
        let advice = "everybody may change the configuration: `chmod o-w` it";
        file(config, WRITE_BY_OTHERS, advice, report);
    }
}

/// Where session and keys of a Matrix account lie.
#[cfg(feature = "matrix")]
fn matrix_directory(platform: &Platform) -> Option<&Path> {
    match &platform.kind {
        PlatformKind::Matrix(account) => Some(&account.directory),
        _ => None,
    }
}

fn directory(directory: &Path, report: &mut Report) {
    let what = format!("permissions of {}", directory.display());
    let metadata = match directory.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return report.ok(&what, "not there yet; the first start makes it");
        }
        Err(error) => {
            let advice = "run the doctor as root, or as the user of the daemon";
            return report.fail(&what, error.to_string(), advice);
        }
    };
    let (owner, us) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != us && us != 0 {
        let finding = format!("it belongs to the user {owner}, and this is the user {us}");
        return report.fail(
            &what,
            finding,
            "run the doctor and the daemon as its owner, or `chown -R` it",
        );
    }
    if let Err(error) = rustix::fs::access(directory, rustix::fs::Access::WRITE_OK) {
        let advice = "nothing can be stored there: mount it writable, or set another store.directory";
        return report.fail(&what, format!("it cannot be written to: {error}"), advice);
    }
    judge(
        &what,
        &metadata,
        GROUP_OR_OTHERS,
        "others may look into it: `chmod 700` it",
        report,
    );
}

/// What is not there has no permissions.
fn file(file: &Path, forbidden: u32, advice: &str, report: &mut Report) {
    if let Ok(metadata) = file.metadata() {
        judge(
            &format!("permissions of {}", file.display()),
            &metadata,
            forbidden,
            advice,
            report,
        );
    }
}

fn judge(what: &str, metadata: &Metadata, forbidden: u32, advice: &str, report: &mut Report) {
    let mode = metadata.mode() & 0o7777;
    if mode & forbidden == 0 {
        report.ok(what, format!("{mode:04o}"));
    } else {
        report.fail(what, format!("{mode:04o}"), advice);
    }
}
