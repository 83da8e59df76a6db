//! Reads calls out of an answer while it streams in: what may be one is held back, everything else flows.

mod code;
mod ending;
mod fence;

use tertulia_message::ToolOffer;

pub use super::actions::TextCall;
use super::element::{self, Begun};
use super::json::{self, Flow, Scan};
use super::{actions, element::begun};
use ending::Ending;
use fence::Opener;

/// In which forms a model may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forms {
    /// Between tags and as JSON: it was told to call in its text.
    All,
    /// Between tags that name a tool that there is: it has another way, and forgets it at times.
    Tags,
}

/// What was read besides text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Read {
    /// The calls, in their order.
    pub calls: Vec<TextCall>,
    /// The first thing that was to be a call and cannot be read.
    pub broken: Option<Broken>,
}

/// A call that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong with it, for the model.
    pub why: String,
    /// What the model wrote.
    pub text: String,
}

/// Reads one answer as it streams in.
#[derive(Debug)]
pub struct Filter {
    tools: Vec<ToolOffer>,
    forms: Forms,
    held: String,
    /// So much of what is held was given away.
    at: usize,
    state: State,
    /// True if nothing but blanks stands before on this line.
    at_line_start: bool,
    read: Read,
    /// So many bytes came in that were not given out.
    withheld: usize,
    /// So many bytes were searched for tags.
    #[cfg(test)]
    searched: usize,
}

#[derive(Debug)]
enum State {
    Prose,
    /// Code in a line, between so many backticks.
    Code(usize),
    /// A block of code that is no call.
    Fence(Opener),
    /// Behind the first line of a block of code that may be a call.
    Opened(Opener),
    /// Something that may be a call, perhaps in a block of code.
    Candidate(Kind, Option<Opener>),
    /// Behind a call in a block of code.
    Closing(Opener),
    /// JSON that is no call: what stands inside of it is none either.
    Json(Scan),
    /// The model plays the tools' part: nothing of that is to be believed.
    Deaf,
}

#[derive(Debug)]
enum Kind {
    Tag(Ending),
    Json(Scan),
}

impl Filter {
    /// Reads calls of these tools.
    #[must_use]
    pub fn new(tools: Vec<ToolOffer>, forms: Forms) -> Self {
        Self {
            tools,
            forms,
            held: String::new(),
            at: 0,
            state: State::Prose,
            at_line_start: true,
            read: Read::default(),
            withheld: 0,
            #[cfg(test)]
            searched: 0,
        }
    }

    /// Takes in more text; gives what may be shown of it by now.
    pub fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let mut out = String::new();
        while self.step(&mut out) {}
        self.held.drain(..self.at);
        self.at = 0;
        self.withheld = (self.withheld + text.len()).saturating_sub(out.len());
        out
    }

    /// The answer is over, or broken off: gives what was held back and is no call.
    pub fn end(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.state, State::Deaf) {
            State::Candidate(kind, opener) => {
                let is_call = match kind {
                    Kind::Tag(_) => element::is_call_begun(&held, &self.tools),
                    Kind::Json(_) => actions::names_a_tool(&held, &self.tools),
                };
                let text = opener.map_or_else(String::new, |opener| opener.text) + &held;
                if !is_call {
                    return text;
                }
                self.broke("it is not complete".to_owned(), text);
                String::new()
            }
            State::Opened(opener) => opener.text + &held,
            State::Closing(_) | State::Deaf => String::new(),
            State::Prose | State::Code(_) | State::Fence(_) | State::Json(_) => held,
        }
    }

    /// What was read since the last look.
    pub fn take(&mut self) -> Read {
        std::mem::take(&mut self.read)
    }

    /// How much was not given away of all that came in, in bytes: what is held back, the calls that were read, and what a model
    /// made up as their results.
    #[must_use]
    pub fn withheld(&self) -> usize {
        self.withheld
    }

    /// One step; false if more text is needed first.
    fn step(&mut self, out: &mut String) -> bool {
        if self.rest().is_empty() {
            return false;
        }
        match std::mem::replace(&mut self.state, State::Prose) {
            State::Prose => self.prose(out),
            State::Code(ticks) => self.code(ticks, out),
            State::Fence(opener) => self.fence(opener, out),
            State::Opened(opener) => self.opened(opener, out),
            State::Candidate(Kind::Tag(ending), opener) => self.tag(ending, opener, out),
            State::Candidate(Kind::Json(scan), opener) => self.json(scan, opener, out),
            State::Closing(opener) => self.closing(opener, out),
            State::Json(scan) => self.flow(scan, out),
            State::Deaf => {
                self.state = State::Deaf;
                self.at = self.held.len();
                false
            }
        }
    }

    fn rest(&self) -> &str {
        self.held.get(self.at..).unwrap_or_default()
    }

    /// Gives so many bytes away.
    fn emit(&mut self, bytes: usize, out: &mut String) {
        let text = self.held.get(self.at..self.at + bytes).unwrap_or_default();
        self.at_line_start = text.rsplit_once('\n').map_or(self.at_line_start, |_| true)
            && text.rsplit('\n').next().unwrap_or_default().trim().is_empty();
        out.push_str(text);
        self.at += bytes;
    }

    fn give(&mut self, opener: &Opener, out: &mut String) {
        out.push_str(&opener.text);
        self.at_line_start = true;
    }

    fn wait(&mut self, state: State) -> bool {
        self.state = state;
        false
    }

    fn go_on(&mut self, state: State) -> bool {
        self.state = state;
        true
    }

    fn broke(&mut self, why: String, text: String) {
        self.read.broken.get_or_insert(Broken { why, text });
    }

    fn prose(&mut self, out: &mut String) -> bool {
        let special = self.rest().find(['`', '~', '<', '{', '[']);
        self.emit(special.unwrap_or(self.rest().len()), out);
        match self.rest().chars().next() {
            None => false,
            Some(tick @ ('`' | '~')) => self.ticks(tick, out),
            Some('<') => self.angle(),
            Some(_) if self.forms == Forms::Tags => {
                self.emit(1, out);
                true
            }
            Some(_) => self.go_on(State::Candidate(Kind::Json(Scan::default()), None)),
        }
    }

    fn angle(&mut self) -> bool {
        const RESULT: &str = "<tool_response";
        let has_read = !self.read.calls.is_empty() || self.read.broken.is_some();
        if has_read {
            let rest = self.rest();
            if let Some(length) = element::stray(rest) {
                self.at += length;
                return true;
            }
            if rest.starts_with(RESULT) {
                return self.go_on(State::Deaf);
            }
            if RESULT.starts_with(rest) || element::may_be_stray(rest) {
                return self.wait(State::Prose);
            }
        }
        self.go_on(State::Candidate(Kind::Tag(Ending::default()), None))
    }

    fn tag(&mut self, mut ending: Ending, opener: Option<Opener>, out: &mut String) -> bool {
        #[cfg(test)]
        {
            self.searched += ending.unseen(self.rest()).len();
        }
        if !ending.is_reached(self.rest()) {
            return self.wait(State::Candidate(Kind::Tag(ending), opener));
        }
        match begun(self.rest(), &self.tools) {
            Begun::Maybe => self.wait(State::Candidate(Kind::Tag(Ending::default()), opener)),
            Begun::Open(tag) => {
                let mut ending = Ending::of(tag);
                ending.is_reached(self.rest());
                self.wait(State::Candidate(Kind::Tag(ending), opener))
            }
            Begun::Around(length) => {
                self.at += length;
                self.go_on(State::Candidate(Kind::Tag(Ending::default()), opener))
            }
            Begun::Whole(length, Ok(call)) if self.forms == Forms::All || self.knows(&call) => {
                self.at += length;
                self.read.calls.push(call);
                self.behind(opener)
            }
            Begun::Whole(length, Err(why)) if self.forms == Forms::All => {
                let text = self.rest().get(..length).unwrap_or_default().to_owned();
                self.broke(why, text);
                self.at += length;
                self.behind(opener)
            }
            Begun::Nothing | Begun::Whole(..) => self.release(1, opener, State::Prose, out),
        }
    }

    fn knows(&self, call: &TextCall) -> bool {
        actions::known(&call.name, &self.tools).is_some()
    }

    fn json(&mut self, mut scan: Scan, opener: Option<Opener>, out: &mut String) -> bool {
        /// What has not shown by then what it is, is held back until it is whole.
        const ENOUGH: usize = 2000;
        let beginning = self
            .rest()
            .get(..self.rest().floor_char_boundary(ENOUGH))
            .unwrap_or_default();
        if !actions::may_become(beginning, &self.tools) {
            return if json::begins_value(self.rest()) {
                self.release(0, opener, State::Json(Scan::of(self.rest())), out)
            } else {
                self.release(1, opener, State::Prose, out)
            };
        }
        let Some(end) = scan.feed(self.rest()) else {
            return self.wait(State::Candidate(Kind::Json(scan), opener));
        };
        let text = self.rest().get(..end).unwrap_or_default().to_owned();
        let calls = if let Some(value) = json::parse(&text) {
            actions::calls(&value, &self.tools)
        } else {
            let names_one = actions::names_a_tool(&text, &self.tools);
            names_one.then(|| Err("it is not valid JSON".to_owned()))
        };
        match calls {
            None if json::begins_value(&text) => return self.release(end, opener, State::Prose, out),
            None => return self.release(1, opener, State::Prose, out),
            Some(Ok(calls)) => self.read.calls.extend(calls),
            Some(Err(why)) => self.broke(why, text),
        }
        self.at += end;
        self.behind(opener)
    }

    /// A call was read.
    fn behind(&mut self, opener: Option<Opener>) -> bool {
        self.go_on(opener.map_or(State::Prose, State::Closing))
    }

    /// It is no call: so many bytes are shown, and what follows is in this state, or in its block of code.
    fn release(&mut self, bytes: usize, opener: Option<Opener>, state: State, out: &mut String) -> bool {
        let Some(opener) = opener else {
            self.emit(bytes, out);
            return self.go_on(state);
        };
        self.give(&opener, out);
        self.emit(bytes, out);
        self.go_on(State::Fence(opener))
    }

    /// JSON that is no call flows until it ends, or a blank line, or what no JSON has, says that it was none.
    fn flow(&mut self, mut scan: Scan, out: &mut String) -> bool {
        let rest = self.rest();
        let line = rest.find('\n').map_or(rest.len(), |place| place + 1);
        let text = rest.get(..line).unwrap_or_default();
        match scan.flow(text, |place| {
            element::is_call_tag(rest.get(place..).unwrap_or_default())
        }) {
            Flow::On => {}
            Flow::Ends(end) => {
                self.emit(end, out);
                return true;
            }
            Flow::Waits(place) => {
                self.emit(place, out);
                return self.wait(State::Json(scan));
            }
        }
        let is_blank = self.at_line_start && text.ends_with('\n') && text.trim().is_empty();
        self.emit(line, out);
        self.go_on(if is_blank { State::Prose } else { State::Json(scan) })
    }
}

#[cfg(test)]
mod tests;
