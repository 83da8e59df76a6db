//! Interactive verification by emoji, for people who govern the bot: they ask for it by a word or from their client.
//!
//! Clients that shut out devices which nobody has verified accept the bot after that.

mod conversation;
mod desk;
mod words;

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tertulia_interface::Inlet;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Inbound, Level, PersonId, What};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, Encryption};
use crate::matrix::Matrix;
use crate::session::Session;

use conversation::Conversation;
pub(crate) use desk::Desk;
use desk::{Place, Wish};

/// How the command is called, behind its prefix.
const COMMAND: &str = "verify";
/// Verifications at a time; whoever comes then has to come again.
const AT_ONCE: usize = 8;
/// A verification that begins in the second in which another ends is cancelled by the library.
const BREATH: Duration = Duration::from_secs(2);
/// Who was refused is not told again for so long.
const QUIET: Duration = Duration::from_hours(1);
/// So many of those are remembered.
const REFUSED: usize = 256;

/// True if what happened is the wish to verify the bot, and nothing else.
pub(crate) fn is_asked(what: &What, config: &Config) -> bool {
    match what {
        What::Message { text } => is_word(text, config),
        What::Slash { name, arguments } => name.eq_ignore_ascii_case(COMMAND) && arguments.trim().is_empty(),
        _ => false,
    }
}

fn is_word(text: &str, config: &Config) -> bool {
    let text = text.trim();
    let prefixes = [config.command_prefix.as_str(), "/"];
    let word = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    word.is_some_and(|word| word.eq_ignore_ascii_case(COMMAND))
}

/// Takes a message that [`is_asked`]; returns at once.
pub(crate) fn ask(matrix: &Matrix, event: &Inbound) {
    matrix.verifying.put(Wish {
        person: event.sender.id.clone(),
        place: Some(Place {
            path: event.path.clone(),
            event: event.id.clone(),
        }),
        request: None,
    });
}

/// Does what is asked, until it is dropped. To be run once per session, beside the intake.
pub(crate) async fn run(matrix: &Matrix, inlet: &Inlet, session: &Session) -> Infallible {
    let _handlers = match matrix.config.encryption {
        Encryption::On => desk::hear(&matrix.verifying, &session.client),
        Encryption::Off => Vec::new(),
    };
    let mut office = Office {
        matrix,
        inlet,
        session,
        current: HashMap::new(),
        refused: HashMap::new(),
    };
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            wish = matrix.verifying.next() => {
                if running.len() >= AT_ONCE {
                    tracing::warn!(interface = matrix.name, person = wish.person, "too many verifications at once");
                } else if let Some(conversation) = office.begin(wish) {
                    running.push(conversation.hold());
                }
            }
            Some(person) = running.next() => office.end(&person),
        }
    }
}

/// Who is being verified, and who was refused.
struct Office<'a> {
    matrix: &'a Matrix,
    inlet: &'a Inlet,
    session: &'a Session,
    /// The latest of each person, and how many there are: an earlier one ends when a later one begins.
    current: HashMap<String, (CancellationToken, usize)>,
    refused: HashMap<String, Instant>,
}

impl<'a> Office<'a> {
    fn begin(&mut self, wish: Wish) -> Option<Conversation<'a>> {
        let person = PersonId::new(self.matrix.name.as_str(), wish.person.as_str());
        let is_admin = self
            .path(&wish)
            .is_some_and(|path| self.inlet.standing(&person, &path).level == Level::Admin);
        let stop = CancellationToken::new();
        let mut pause = None;
        if is_admin {
            let earlier = self.current.remove(&wish.person);
            let running = earlier.map_or(0, |(earlier, running)| {
                earlier.cancel();
                running
            });
            pause = (running > 0).then_some(BREATH);
            self.current.insert(wish.person.clone(), (stop.clone(), running + 1));
        } else if wish.place.is_some() && !self.may_refuse(&wish.person) {
            return None;
        }
        Some(Conversation {
            matrix: self.matrix,
            session: self.session,
            wish,
            is_admin,
            pause,
            stop,
        })
    }

    fn end(&mut self, person: &str) {
        let is_last = self.current.get_mut(person).is_some_and(|(_, running)| {
            *running = running.saturating_sub(1);
            *running == 0
        });
        if is_last {
            self.current.remove(person);
        }
    }

    /// People govern the bot wherever they are; a request from a device comes from no room.
    fn path(&self, wish: &Wish) -> Option<InterfacePath> {
        match &wish.place {
            Some(place) => Some(place.path.clone()),
            None => InterfacePath::parse(&format!("{}/devices", self.matrix.name)).ok(),
        }
    }

    /// A stranger is told once in a while.
    fn may_refuse(&mut self, person: &str) -> bool {
        let now = Instant::now();
        self.refused.retain(|_, since| now.duration_since(*since) < QUIET);
        if self.refused.contains_key(person) || self.refused.len() >= REFUSED {
            return false;
        }
        self.refused.insert(person.to_owned(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use tertulia_message::Secret;

    use super::*;
    use crate::config::Login;

    #[test]
    fn only_the_word_alone_asks_for_it() {
        let mut config = Config::new("http://h", Login::Token(Secret::new("t")), "state");
        for asked in ["!verify", " !verify\n", "/verify", "!Verify"] {
            assert!(is_word(asked, &config), "{asked}");
        }
        for other in [
            "verify",
            "!verify me",
            "!verified",
            "",
            "!",
            "!!verify",
            "please !verify",
        ] {
            assert!(!is_word(other, &config), "{other}");
        }
        config.command_prefix = "..".into();
        assert!(is_word("..verify", &config) && !is_word("!verify", &config));
    }
}
