//! Thinking that a model writes into its answer, between tags at the beginning, told apart from the answer.
//!
//! Only what stands at the very beginning is thinking: the same letters inside an answer, or in code, are part of it.

mod tag;

use tag::{Found, Tag};

/// An answer that begins with more blanks, in bytes, has no thinking behind them: some models write nothing else, without end.
const MOST_BLANKS: usize = 1000;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// For the reader.
    Text(String),
    /// The model's thinking.
    Thinking(String),
}

/// Reads one answer as it streams in.
#[derive(Debug, Default)]
pub struct Reasoning {
    state: State,
    /// What is held back because it may be, or begin, a tag.
    held: String,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Beginning,
    /// Behind a block of thinking, and nothing but blanks since.
    Between,
    /// In a block of thinking; `true` once something of it was told.
    Inside(bool),
    /// In the answer, which a model has put between tags of its own.
    Wrapped(Tag),
    /// In the answer.
    Answer,
}

impl Reasoning {
    /// Takes in more text; gives what is sure by now.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if matches!(self.state, State::Answer) {
            add(&mut pieces, Piece::Text(text.to_owned()));
            return pieces;
        }
        self.held.push_str(text);
        while self.step(&mut pieces) {}
        pieces
    }

    /// The answer is over, or broken off: gives what was held back. A block that was never closed is thinking to its end.
    pub fn end(&mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        let mut pieces = Vec::new();
        match std::mem::replace(&mut self.state, State::Answer) {
            State::Inside(_) => add(&mut pieces, Piece::Thinking(held)),
            State::Between if held.trim().is_empty() => {}
            State::Beginning | State::Between | State::Wrapped(_) | State::Answer => {
                add(&mut pieces, Piece::Text(held));
            }
        }
        pieces
    }

    /// How much is held back, in bytes.
    #[must_use]
    pub fn held_back(&self) -> usize {
        self.held.len()
    }

    /// One step; false if more text is needed first.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match &self.state {
            State::Beginning => self.begin(false),
            State::Between => self.begin(true),
            State::Inside(told) => {
                let told = *told;
                self.think(told, pieces)
            }
            State::Wrapped(tag) => {
                let tag = *tag;
                self.unwrap_answer(tag, pieces)
            }
            State::Answer => {
                add(pieces, Piece::Text(std::mem::take(&mut self.held)));
                false
            }
        }
    }

    fn begin(&mut self, thought: bool) -> bool {
        let rest = self.held.trim_start();
        if thought && rest.len() < self.held.len() {
            self.held = rest.to_owned();
        } else if self.held.len() - rest.len() > MOST_BLANKS {
            self.state = State::Answer;
            return true;
        }
        let rest = self.held.trim_start();
        match tag::opening(rest) {
            Found::Tag(tag, length) if tag.is_thinking() => {
                self.held = rest.get(length..).unwrap_or_default().to_owned();
                self.state = State::Inside(false);
                true
            }
            Found::Tag(tag, length) if thought => {
                self.held = rest.get(length..).unwrap_or_default().to_owned();
                self.state = State::Wrapped(tag);
                true
            }
            Found::Maybe => false,
            Found::Tag(..) | Found::None => {
                self.state = State::Answer;
                true
            }
        }
    }

    fn think(&mut self, told: bool, pieces: &mut Vec<Piece>) -> bool {
        if !told {
            self.held = self.held.trim_start().to_owned();
        }
        let (text, end) = tag::until_thinking_ends(&self.held);
        let thought = self.held.get(..text).unwrap_or_default().to_owned();
        let told = told || !thought.is_empty();
        add(pieces, Piece::Thinking(thought));
        self.held = match end {
            Found::Tag(tag, length) => {
                // the tag of the answer ends a block that was never closed, and is still to be read
                let length = if tag.is_thinking() { length } else { 0 };
                self.state = State::Between;
                self.held.get(text + length..).unwrap_or_default().to_owned()
            }
            Found::Maybe | Found::None => {
                self.state = State::Inside(told);
                self.held.get(text..).unwrap_or_default().to_owned()
            }
        };
        matches!(end, Found::Tag(..))
    }

    fn unwrap_answer(&mut self, tag: Tag, pieces: &mut Vec<Piece>) -> bool {
        let (text, end) = tag::until_closed(&self.held, tag);
        add(
            pieces,
            Piece::Text(self.held.get(..text).unwrap_or_default().to_owned()),
        );
        let length = match end {
            Found::Tag(_, length) => {
                self.state = State::Answer;
                length
            }
            Found::Maybe | Found::None => 0,
        };
        self.held = self.held.get(text + length..).unwrap_or_default().to_owned();
        matches!(end, Found::Tag(..))
    }
}

fn add(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (_, Piece::Text(more) | Piece::Thinking(more)) if more.is_empty() => {}
        (Some(Piece::Text(text)), Piece::Text(more)) | (Some(Piece::Thinking(text)), Piece::Thinking(more)) => {
            text.push_str(&more);
        }
        (_, piece) => pieces.push(piece),
    }
}

#[cfg(test)]
mod tests;
