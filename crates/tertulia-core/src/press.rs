//! Buttons below an answer: what a press means, and whose turn it is about.

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
