//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::failure::Failure;
use crate::{chat, check_config, path_command, run};

/// A chat bot as a daemon: one memory, many doors.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  tertulia run                 start; without any configuration a built-in demo answers
  tertulia chat                talk to it from a terminal
  tertulia check-config        see what would run, and where each setting comes from
  tertulia help run            more about a command"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the daemon
    #[command(after_help = "\
Examples:
  tertulia run
  tertulia run --config ./bot.toml
  TERTULIA__LOG__LEVEL=debug tertulia run --port 0
  OPENAI_API_KEY=... OPENAI_MODEL=... tertulia run

Without --config, /etc/tertulia/bot.toml is read if it is there. A variable TERTULIA__SECTION__KEY outranks the file.
It ends with 78 if the configuration is wrong, with 75 if the port or the state directory is taken.")]
    Run(Run),
    /// Print what would run, and where each setting comes from
    #[command(after_help = "\
Examples:
  tertulia check-config
  tertulia check-config --config ./bot.toml && systemctl restart tertulia")]
    CheckConfig(CheckConfig),
    /// Take interface paths apart, build them, check them
    #[command(after_help = "\
Examples:
  tertulia path parse telegram_bot/-1001234567890/987
  tertulia path build matrix '!room:example.org' '$ev/ent'
  tertulia path check ollama_serve/my-chat")]
    Path {
        #[command(subcommand)]
        what: path_command::What,
    },
    /// Talk to the running daemon from a terminal
    #[command(after_help = "\
Examples:
  tertulia chat
  tertulia chat --conversation holiday
  echo 'what did I say' | tertulia chat --conversation holiday
  tertulia chat --url http://bot.example:11435 --token-file ./token

A line is a message; /quit or the end of the input ends it. The daemon remembers a conversation by its name.")]
    Chat(chat::Options),
}

#[derive(Debug, Args)]
struct Run {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The port to serve on; 0 takes a free one
    #[arg(long, allow_negative_numbers = true)]
    port: Option<u16>,
}

#[derive(Debug, Args)]
struct CheckConfig {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Cli {
    /// Does what was asked for.
    pub(crate) fn execute(self) -> Result<(), Failure> {
        match self.command {
            Command::Run(Run { config, port }) => run::run(config, port),
            Command::CheckConfig(CheckConfig { config }) => check_config::run(config),
            Command::Path { what } => path_command::run(what),
            Command::Chat(options) => chat::run(&options),
        }
    }
}
