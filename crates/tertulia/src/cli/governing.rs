//! The words of the shell that the running daemon answers: made from the table of commands, so that a new command is
//! here by itself.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::control::client::{self, Whereabouts};
use crate::control::{SHELL_WORDS, of_shell};
use crate::failure::Failure;

/// The argument that holds what stands behind a command's name.
const WORDS: &str = "words";

/// How such a word ends, for the help of each.
const ENDINGS: &str = "\
It ends with 1 if the daemon refuses, with 69 if no daemon answers, with 77 if only root and the daemon's own user may
ask it.";

/// All of them.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    let of_table = of_shell().map(|spec| {
        let words = Arg::new(WORDS)
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_name("ARGUMENTS")
            .help("What stands behind the command in a chat");
        let usage = format!("tertulia {} [OPTIONS] {}", spec.name, spec.arguments);
        let command = asking(spec.name, spec.help).override_usage(usage.trim_end().to_owned());
        if spec.arguments.is_empty() {
            command
        } else {
            command.arg(words)
        }
    });
    let own = SHELL_WORDS.into_iter().map(|(name, help)| asking(name, help));
    of_table.chain(own)
}

fn asking(name: &'static str, help: &'static str) -> Command {
    let mut letters = help.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let about: String = first.into_iter().chain(letters).collect();
    // last, since the arguments bring a text of their own along
    Whereabouts::augment_args(Command::new(name))
        .about(about)
        .after_help(ENDINGS)
}

/// Whether a word is one of our options: behind other words it would be said to a daemon, and maybe to another than was
/// meant.
fn is_option(word: &str) -> bool {
    let name = word.split('=').next();
    matches!(name, Some("--socket" | "--config"))
}

/// Does the word, if it is one of these.
pub(super) fn execute(matches: &ArgMatches) -> Option<Result<(), Failure>> {
    let (name, matches) = matches.subcommand()?;
    let of_table = of_shell().find(|spec| spec.name == name);
    if of_table.is_none() && !SHELL_WORDS.iter().any(|(word, _)| *word == name) {
        return None;
    }
    let whereabouts = match Whereabouts::from_arg_matches(matches) {
        Ok(whereabouts) => whereabouts,
        Err(error) => error.exit(),
    };
    Some(match of_table {
        Some(spec) => {
            let words = matches.try_get_many::<String>(WORDS).ok().flatten();
            let words: Vec<String> = words.into_iter().flatten().cloned().collect();
            match words.iter().find(|word| is_option(word)) {
                Some(option) => Err(Failure::invalid(format!(
                    "{option} stands behind what is said: options come first, as in `tertulia {} --config FILE {}`",
                    spec.name, spec.arguments
                ))),
                None => client::command(&whereabouts, spec.name, &words),
            }
        }
        None => client::shell_word(&whereabouts, name),
    })
}
