//! The client's end of the console: `tertulia <command>` and whatever else asks the running daemon.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tertulia_core::markdown;

use super::place;
use super::wire::{LONGEST_LINE, Line, Question, Reply, Request, Sums};
use crate::config::{Configuration, Sources};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::terminal::harmless;

/// How long the daemon may take for an answer: more than it allows itself.
const PATIENCE: Duration = Duration::from_mins(11);

/// The same for a question, which it answers soon or not at all.
const QUESTION_PATIENCE: Duration = Duration::from_secs(8);

/// Where the daemon is.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Whereabouts {
    /// The daemon's control socket; without it, it is looked for where the daemon of this configuration makes it
    #[arg(long, value_name = "FILE")]
    pub(crate) socket: Option<PathBuf>,
    /// The daemon's configuration file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// A connection to the running daemon.
pub(crate) struct Client {
    read: BufReader<UnixStream>,
    write: UnixStream,
}

/// What the daemon answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// In Markdown.
    pub(crate) text: String,
    pub(crate) imported: Sums,
    /// Why it is none, in Markdown.
    pub(crate) error: Option<String>,
}

/// Gives the daemon a command and shows the answer.
pub(crate) fn command(whereabouts: &Whereabouts, name: &str, words: &[String]) -> Result<(), Failure> {
    show(
        whereabouts,
        Request::Command {
            name: name.to_owned(),
            arguments: words.join(" "),
        },
    )
}

/// Asks the daemon for what the shell has words of its own for.
pub(crate) fn shell_word(whereabouts: &Whereabouts, name: &str) -> Result<(), Failure> {
    let question = match name {
        "claim" => Question::Claim,
        _ => Question::Health,
    };
    show(whereabouts, Request::Ask(question))
}

fn show(whereabouts: &Whereabouts, request: Request) -> Result<(), Failure> {
    let answer = Client::connect(whereabouts, &Environment::of_process())?.ask(request)?;
    if let Some(problem) = answer.error {
        return Err(Failure::invalid(plain(&problem)));
    }
    let mut text = plain(&answer.text);
    text.push('\n');
    match io::stdout().lock().write_all(text.as_bytes()) {
        // whoever reads it has read enough
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Failure::broken(format!("standard output is closed: {error}"))),
    }
}

/// Markdown as a terminal shows it; what people have said cannot steer it.
pub(crate) fn plain(markdown: &str) -> String {
    harmless(&markdown::parse(markdown).plain())
}

impl Client {
    /// Connects to the running daemon.
    ///
    /// # Errors
    /// None answers, or we may not use it.
    pub(crate) fn connect(whereabouts: &Whereabouts, environment: &Environment) -> Result<Self, Failure> {
        let places = places(whereabouts, environment)?;
        let mut denied = None;
        for file in &places {
            match UnixStream::connect(file) {
                Ok(stream) => return Self::new(stream).map_err(|error| broken(&error)),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => denied = denied.or(Some(file)),
                Err(_) => {}
            }
        }
        if let Some(file) = denied {
            let shown = file.display();
            let sentence = format!("{shown} may be used by root and the daemon's own user only: try again with sudo");
            return Err(Failure::not_permitted(sentence));
        }
        let shown: Vec<String> = places.iter().map(|file| file.display().to_string()).collect();
        Err(Failure::unavailable(format!(
            "no daemon answers at {}: start one with `tertulia run`, or say where it is with --socket or --config",
            shown.join(" or ")
        )))
    }

    fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let write = stream.try_clone()?;
        let read = BufReader::new(stream);
        Ok(Self { read, write })
    }

    /// Hands in lines of an older bot's history.
    ///
    /// # Errors
    /// The daemon could not take them.
    pub(crate) fn import(&mut self, lines: Vec<Line>) -> Result<Sums, Failure> {
        let answer = self.ask(Request::Import(lines))?;
        answer
            .error
            .map_or(Ok(answer.imported), |problem| Err(Failure::broken(problem)))
    }

    /// Asks whether everything is alive; what is not is the answer's error.
    ///
    /// # Errors
    /// The daemon did not answer.
    pub(crate) fn health(&mut self) -> Result<Answer, Failure> {
        self.ask(Request::Ask(Question::Health))
    }

    /// Asks one thing and waits for the whole answer.
    pub(crate) fn ask(&mut self, request: Request) -> Result<Answer, Failure> {
        let patience = match request {
            Request::Ask(_) => QUESTION_PATIENCE,
            Request::Command { .. } | Request::Import(_) => PATIENCE,
        };
        let line = request.write();
        if line.len() > LONGEST_LINE {
            return Err(Failure::invalid("that is more than the daemon takes at once"));
        }
        let stream = self.read.get_ref();
        stream
            .set_read_timeout(Some(patience))
            .map_err(|error| broken(&error))?;
        // a daemon that turns us away has answered before it was asked
        let asked = self.write.write_all(&line);
        let mut answer = Answer::default();
        loop {
            let reply = match self.reply() {
                Ok(reply) => reply,
                Err(error) => return Err(broken(&asked.err().unwrap_or(error))),
            };
            answer.text.push_str(&reply.text.unwrap_or_default());
            answer.imported = reply.imported.unwrap_or(answer.imported);
            if reply.error.is_some() || reply.done == Some(true) {
                answer.error = reply.error;
                return Ok(answer);
            }
        }
    }

    fn reply(&mut self) -> io::Result<Reply> {
        let mut line = Vec::new();
        let most = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
        (&mut self.read).take(most).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                "it ended before the answer did",
            ));
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

fn broken(error: &io::Error) -> Failure {
    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) {
        return Failure::broken("the daemon did not answer in time");
    }
    Failure::broken(format!("the connection to the daemon broke: {error}"))
}

/// Where to look for the socket.
///
/// The service's own place is looked at last, and only for whoever did not ask for another daemon by its configuration.
fn places(whereabouts: &Whereabouts, environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    if let Some(file) = &whereabouts.socket {
        return Ok(vec![file.clone()]);
    }
    let sources = Sources {
        file: whereabouts.config.clone(),
        port: None,
    };
    let mut places = match Configuration::glance(&sources, environment) {
        Ok(glance) => place::of_daemon(&glance.directory, environment),
        // whoever named no file may well look for a daemon whose file only root reads
        Err(_) if whereabouts.config.is_none() => Vec::new(),
        Err(error) => {
            let sentence =
                format!("{error}; a daemon that runs is still found by its socket, which its log names: --socket");
            return Err(Failure::config(sentence));
        }
    };
    let of_service = place::of_service();
    if sources.is_usual() && !places.contains(&of_service) {
        places.push(of_service);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_shown_as_plain_text_that_steers_nothing() {
        assert_eq!(
            plain("**a** `b/c_d` <\u{1b}[31m\u{7}>\n\n- x\n- y"),
            "a b/c_d <[31m>\n\n• x\n• y"
        );
    }

    #[test]
    fn a_named_configuration_never_leads_to_the_service() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("bot.toml");
        std::fs::write(&file, "[store]\ndirectory = \"state\"\n").unwrap();
        let of = |config: Option<PathBuf>| {
            let whereabouts = Whereabouts { socket: None, config };
            places(&whereabouts, &[("HOME", "/no/such/home")].into()).unwrap()
        };
        assert_eq!(of(Some(file)), [home.path().join("state/control.sock")]);
        assert_eq!(of(None).last().unwrap(), &place::of_service());
    }
}
