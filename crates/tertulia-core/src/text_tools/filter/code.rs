//! Code in an answer: what stands in it is no call, unless a block of code is nothing but calls.

use super::fence::{self, Head, Opener, head};
use super::{Ending, Filter, Forms, Kind, Scan, State};

impl Filter {
    pub(super) fn ticks(&mut self, tick: char, out: &mut String) -> bool {
        match head(self.rest(), tick, self.at_line_start) {
            Head::Maybe => self.wait(State::Prose),
            Head::None(run) => {
                self.emit(run, out);
                self.go_on(if tick == '`' { State::Code(run) } else { State::Prose })
            }
            Head::Plain(opener) => {
                self.emit(opener.text.len(), out);
                self.go_on(State::Fence(opener))
            }
            Head::Open(opener) => {
                self.at += opener.text.len();
                self.go_on(State::Opened(opener))
            }
        }
    }

    pub(super) fn code(&mut self, ticks: usize, out: &mut String) -> bool {
        let special = self.rest().find(['`', '\n']);
        self.emit(special.unwrap_or(self.rest().len()), out);
        let run = fence::run(self.rest(), '`');
        match self.rest().len() {
            0 => self.wait(State::Code(ticks)),
            _ if run == 0 => {
                // code that a line ends was none, as models write
                self.emit(1, out);
                self.go_on(State::Prose)
            }
            all if run == all && run <= fence::LONGEST => self.wait(State::Code(ticks)),
            _ => {
                self.emit(run, out);
                self.go_on(if run == ticks { State::Prose } else { State::Code(ticks) })
            }
        }
    }

    pub(super) fn fence(&mut self, opener: Opener, out: &mut String) -> bool {
        let special = self.rest().find(opener.tick);
        self.emit(special.unwrap_or(self.rest().len()), out);
        let run = fence::run(self.rest(), opener.tick);
        // only the first ticks of a line can close it
        let line = self.rest().split_once('\n').map(|(line, _)| line);
        let (line, ends) = (line.unwrap_or(self.rest()), line.is_some());
        let may_close = self.at_line_start && line.get(run..).is_some_and(|line| line.trim().is_empty());
        match self.rest().len() {
            0 => self.wait(State::Fence(opener)),
            _ if may_close && !ends && line.len() <= fence::LONGEST => self.wait(State::Fence(opener)),
            _ if may_close && ends && run >= opener.ticks => {
                let length = line.len() + 1;
                self.emit(length, out);
                self.go_on(State::Prose)
            }
            _ => {
                self.emit(run, out);
                self.go_on(State::Fence(opener))
            }
        }
    }

    pub(super) fn opened(&mut self, mut opener: Opener, out: &mut String) -> bool {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        opener.text.push_str(self.rest().get(..blanks).unwrap_or_default());
        self.at += blanks;
        let kind = match self.rest().chars().next() {
            None => return self.wait(State::Opened(opener)),
            Some('<') => Some(Kind::Tag(Ending::default())),
            Some('{' | '[') if self.forms == Forms::All => Some(Kind::Json(Scan::default())),
            Some(_) => None,
        };
        let Some(kind) = kind else {
            self.give(&opener, out);
            return self.go_on(State::Fence(opener));
        };
        self.go_on(State::Candidate(kind, Some(opener)))
    }

    pub(super) fn closing(&mut self, opener: Opener, out: &mut String) -> bool {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        self.at += blanks;
        let run = fence::run(self.rest(), opener.tick);
        match self.rest().chars().next() {
            None => self.wait(State::Closing(opener)),
            Some(_) if run >= opener.ticks => {
                self.at += run;
                self.at_line_start = true;
                self.go_on(State::Prose)
            }
            Some(_) if run == self.rest().len() => self.wait(State::Closing(opener)),
            Some('<') => self.go_on(State::Candidate(Kind::Tag(Ending::default()), Some(opener))),
            Some('{' | '[') if self.forms == Forms::All => {
                self.go_on(State::Candidate(Kind::Json(Scan::default()), Some(opener)))
            }
            Some(_) => {
                self.give(&opener, out);
                self.go_on(State::Fence(opener))
            }
        }
    }
}
