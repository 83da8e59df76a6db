//! Buttons below an answer: what a press means, and whose turn it is about.
//!
//! What holds for every button, and for every act that is still to come (an approval is one):
//!
//! * **The token is a name, not a right.** At most 64 bytes (the least that a platform grants), ASCII, and its form stays: it is
//!   stored in messages of platforms for years. It names the act and the inbox row that it is about, and nothing that has to
//!   be believed: anybody can send any token.
//! * **Who may press is looked up at the row**, when the press is done and not when it arrives: whoever caused the row, or an
//!   admin, in the row's own conversation. So a conversation that moved needs nothing, for rows keep their numbers.
//! * **It acts once.** A press is a row of its own, known by the platform's id of the event, so that one that is delivered twice
//!   is done once, and one that a crash left over is done by the next start. What it is about must have a state that the act
//!   itself ends, committed together with the press's row (a turn that runs, the last turn): a second press finds it ended
//!   and is refused. So does a press on an old message whose button could not be taken away.
//! * **Its outcome is for the presser's eyes** ([`Signal::Pressed`](tertulia_message::Signal::Pressed)), empty if what was asked
//!   for simply happened; never a message of its own.
//! * **A button stands only as long as its act makes sense**: who shows it takes it away with the next wish of the same slot.

use tertulia_message::Button;

use crate::record::InboxId;

/// A press of one of our buttons. Its token names the turn; whether the presser is the one who asked is looked up there, so
/// that a token that was made up does nothing more than its maker could do by a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// What is to be done.
    pub act: PressAct,
    /// The row that triggered the turn below whose answer the button stands.
    pub turn: InboxId,
}

/// What a button does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressAct {
    /// Ends the answer that is being written.
    Stop,
    /// Answers the same message again.
    Retry,
}

impl PressAct {
    /// The command that it gives; the word in tokens.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Retry => "retry",
        }
    }

    /// What the button says.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Retry => "Try again",
        }
    }
}

impl Press {
    /// The button itself.
    #[must_use]
    pub fn button(self) -> Button {
        Button {
            label: self.act.label().to_owned(),
            token: self.token(),
        }
    }

    /// The token of the button; at most 30 bytes. Stored in messages of platforms, so its form stays.
    #[must_use]
    pub fn token(self) -> String {
        format!("{}.{}", self.act.as_str(), self.turn.0)
    }

    /// Reads what [`Press::token`] gives.
    #[must_use]
    pub fn parse(token: &str) -> Option<Self> {
        let (act, turn) = token.split_once('.')?;
        let act = [PressAct::Stop, PressAct::Retry]
            .into_iter()
            .find(|known| known.as_str() == act)?;
        let turn = InboxId(turn.parse().ok().filter(|turn| *turn > 0)?);
        let press = Self { act, turn };
        (press.token() == token).then_some(press)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back_and_nothing_else_is() {
        for act in [PressAct::Stop, PressAct::Retry] {
            for turn in [1, 7, i64::MAX] {
                let press = Press {
                    act,
                    turn: InboxId(turn),
                };
                assert!(press.token().len() <= 64);
                assert_eq!(Press::parse(&press.token()), Some(press));
            }
        }
        for odd in [
            "", "stop", "stop.", "stop.0", "stop.-1", "stop.+1", "stop.01", "stop.1.2", "go.1", "STOP.1",
        ] {
            assert_eq!(Press::parse(odd), None, "{odd}");
        }
    }
}
