//! The command line.

mod governing;

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;
use crate::{batch, chat, check_config, doctor, import, path_command, providers_command, run};

/// The words that start a daemon or talk to one, in the order in which help shows them.
const RUNNING: [&str; 2] = ["run", "chat"];

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
  tertulia claim               become the admin of a daemon that runs
  tertulia allow person telegram_bot/123456789
  tertulia at telegram_bot/-1001234567890/5 status
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
    /// Look for what is wrong, and say what to do about it
    #[command(after_help = "\
Examples:
  tertulia doctor
  tertulia doctor --config ./bot.toml
  sudo -u tertulia tertulia doctor --json

It looks at the configuration, permissions, the clock, the disk, the database, and asks every provider and interface.
It changes nothing. It ends with 1 if something is wrong, with 78 if the configuration is.")]
    Doctor(doctor::Options),
    /// Show who could be asked for answers, what they can, and whether they answer
    #[command(after_help = "\
Examples:
  tertulia providers
  tertulia providers --probe
  tertulia providers --config ./bot.toml --probe --json

It reads the configuration as `tertulia run` does, and needs no daemon. With --probe, each provider is really asked one
short question, which hosted ones charge for, and has a minute to answer it. It ends with 1 if one does not answer.")]
    Providers(providers_command::Options),
    /// Ask many prompts at once, and print what comes back as JSON
    #[command(after_help = "\
Examples:
  tertulia batch < prompts.txt > answers.jsonl
  tertulia batch --provider main --model my-model < prompts.txt
  printf '%s\\n' '\"two\\nlines\"' hello | tertulia batch

Each line of standard input is a prompt, or, in quotation marks, a JSON string with one. Each gets one line, in the order of
the prompts: index, text or error, tokens. As many are asked at once as providers.<name>.at_once says, 64 at most; no daemon is needed.
It ends with 2 if some were not answered.")]
    Batch(batch::Options),
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
    /// Take over what an older bot remembers
    #[command(after_help = "\
Examples:
  tertulia import-history --from old.db --dry-run
  tertulia import-history --from old.db --interface-map telegram=telegram_bot --bot-name my_bot
  tertulia import-history --from old.db --table messages --sender-column author --rejected rejected.jsonl

It reads an SQLite table with the columns interface, chat_id, thread_id, message_text, timestamp and one for the sender.
A running daemon takes the lines in while it works; where none runs, they are written to the database of the
configuration. It may run as often as you like, also after it was interrupted: no line is added twice.
It ends with 2 if some rows could not be converted; all others are taken over.")]
    ImportHistory(import::Options),
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

/// Reads the command line and does what it asks for.
pub(crate) fn execute() -> Result<(), Failure> {
    let matches = command().get_matches();
    if let Some(done) = governing::execute(&matches) {
        return done;
    }
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli.execute(),
        Err(error) => error.exit(),
    }
}

/// The whole command line.
fn command() -> clap::Command {
    let own = Cli::command();
    let tools: Vec<String> = own
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .filter(|name| !RUNNING.contains(&name.as_str()))
        .collect();
    let governing: Vec<String> = governing::commands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let command = own.subcommands(governing::commands());
    let groups = [
        ("Running", RUNNING.map(str::to_owned).to_vec()),
        ("Governing the daemon that runs", governing),
        ("Tools", tools),
    ];
    let groups: Vec<String> = groups
        .iter()
        .map(|(title, names)| group(&command, title, names))
        .collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n\nOptions:\n{{options}}{{after-help}}",
        groups.join("\n\n")
    );
    command.help_template(template)
}

/// Commands under a title, one a line.
fn group(command: &clap::Command, title: &str, names: &[String]) -> String {
    let lines = names.iter().filter_map(|name| {
        let about = command.find_subcommand(name)?.get_about()?;
        Some(format!("\n  {name:16}{about}"))
    });
    format!("{title}:{}", lines.collect::<String>())
}

impl Cli {
    /// Does what was asked for.
    fn execute(self) -> Result<(), Failure> {
        match self.command {
            Command::Run(Run { config, port }) => run::run(config, port),
            Command::CheckConfig(CheckConfig { config }) => check_config::run(config),
            Command::Doctor(options) => doctor::run(options),
            Command::Providers(options) => providers_command::run(&options),
            Command::Batch(options) => batch::run(&options),
            Command::Path { what } => path_command::run(what),
            Command::Chat(options) => chat::run(&options),
            Command::ImportHistory(options) => import::run(&options),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_no_two_words_are_the_same() {
        command().debug_assert();
        let own = Cli::command();
        let own = own.get_subcommands().map(|command| command.get_name().to_owned());
        let governing = governing::commands().map(|command| command.get_name().to_owned());
        let all: Vec<String> = own.chain(governing).chain(["help".to_owned()]).collect();
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
    }

    #[test]
    fn help_shows_every_word_in_its_group() {
        let help = command().render_help().to_string();
        for name in command().get_subcommands().map(clap::Command::get_name) {
            assert!(help.contains(&format!("\n  {name} ")), "{name}:\n{help}");
        }
        let places = [
            "\n  run ",
            "\nGoverning",
            "\n  status ",
            "\n  claim ",
            "\nTools:",
            "\n  check-config ",
        ];
        let places: Vec<Option<usize>> = places.iter().map(|part| help.find(part)).collect();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{places:?}\n{help}"
        );
    }
}
