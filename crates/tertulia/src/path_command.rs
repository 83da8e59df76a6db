//! `tertulia path`: does what the library does, for people who debug a route.

use std::io::{self, Write};

use clap::Subcommand;
use tertulia_message::path::InterfacePath;

use crate::failure::Failure;

/// What to do with a path.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// Take a path apart
    Parse {
        /// The path, as it stands in logs and in the configuration
        path: String,
    },
    /// Build a path from an interface and the ids of a platform
    Build {
        /// The configured name of the interface
        interface: String,
        /// The ids, not encoded: chat, and perhaps thread
        #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
        levels: Vec<String>,
    },
    /// Say whether a path is valid
    Check {
        /// The path
        path: String,
    },
}

/// Does it.
pub(crate) fn run(what: What) -> Result<(), Failure> {
    let text = match what {
        What::Parse { path } => parts(&parse(&path)?),
        What::Build { interface, levels } => {
            let built = InterfacePath::build(&interface, levels);
            format!("{}\n", built.map_err(|error| Failure::invalid(error.to_string()))?)
        }
        What::Check { path } => format!("{} is valid\n", parse(&path)?),
    };
    let written = io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))
}

fn parse(path: &str) -> Result<InterfacePath, Failure> {
    InterfacePath::parse(path).map_err(|error| Failure::invalid(format!("{path:?} is not valid: {error}")))
}

/// One line for each part that is there; ids are shown decoded.
fn parts(path: &InterfacePath) -> String {
    let mut lines = vec![
        format!("interface: {}", path.interface()),
        format!("target: {}", path.target()),
    ];
    lines.extend(path.thread().map(|thread| format!("thread: {thread}")));
    lines.extend(path.parent().map(|parent| format!("parent: {parent}")));
    let levels = path.levels().enumerate();
    lines.extend(levels.map(|(place, level)| format!("level {place}: {level}")));
    lines.join("\n") + "\n"
}
