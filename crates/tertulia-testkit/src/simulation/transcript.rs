//! Transcripts: what people say and what goes wrong, as lines of text.

use std::time::Duration;

use tertulia_message::{Addressed, Progress, RateScope};

use crate::chat_double::{CallKind, Fault, Faults, Kind, Said, Spot};

/// One transcript.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// Its name.
    pub name: String,
    /// The platforms it is played on.
    pub kinds: Vec<Kind>,
    /// How answers are shown.
    pub progress: Progress,
    /// True if messages have buttons.
    pub buttons: bool,
    /// True if nothing can be done with older messages once their chat has a new address.
    pub ids_die: bool,
    lines: Vec<Line>,
}

/// One line of a transcript.
#[derive(Debug, Clone)]
pub(super) enum Line {
    /// A person says something.
    Say(Said),
    /// A person presses the newest button for this act, if there is one.
    Press {
        /// Where.
        spot: Spot,
        /// Who.
        person: String,
        /// The word with which its token begins.
        act: String,
    },
    /// A person deletes the bot's newest message in a place, if there is one.
    TakeAway(Spot),
    /// Time passes before the next line.
    Wait(Duration),
    /// A chat gets a new address.
    Move(String, String),
    /// A person gives the nth thing said a new text.
    Edit(usize, String),
    /// A person deletes the nth thing said.
    Redact(usize),
    /// The nth call of a kind goes wrong.
    Fault(CallKind, u64, Fault),
}

/// After so long whatever was asked is answered.
const SETTLED_BY: Duration = Duration::from_secs(15);

impl Line {
    fn said(&self) -> Option<&Said> {
        match self {
            Self::Say(said) => Some(said),
            _ => None,
        }
    }
}

impl Transcript {
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !matches!(line, Line::Fault(..)))
    }

    /// Everything that people ask, also what they change it to.
    pub(super) fn questions(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            Line::Say(said) => Some(said.text.as_str()),
            Line::Edit(_, text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Messages that a command may have cut off, with the commands that did: those that end what is under way, said in the
    /// same place so soon after the message that it may not be answered yet.
    pub(super) fn stops(&self) -> Vec<(&Said, &Said)> {
        let mut clock = Duration::ZERO;
        let mut earlier: Vec<(Duration, &Said)> = Vec::new();
        let mut stops = Vec::new();
        for line in &self.lines {
            match line {
                Line::Wait(pause) => clock += *pause,
                Line::Say(said) if matches!(said.text.as_str(), "/stop" | "/new" | "/retry") => {
                    let near = earlier
                        .iter()
                        .filter(|(at, before)| clock < *at + SETTLED_BY && before.spot == said.spot);
                    stops.extend(near.map(|(_, before)| (*before, said)));
                }
                Line::Say(said) => earlier.push((clock, said)),
                _ => {}
            }
        }
        stops
    }

    /// Messages that a press may have cut off.
    pub(super) fn pressed_off(&self) -> Vec<&Said> {
        let mut earlier: Vec<&Said> = Vec::new();
        let mut cut = Vec::new();
        for line in &self.lines {
            match line {
                Line::Say(said) => earlier.push(said),
                Line::Press { spot, act, .. } if act == "stop" => {
                    cut.extend(earlier.iter().filter(|said| said.spot == *spot));
                }
                _ => {}
            }
        }
        cut
    }

    /// How often people press to have something tried again, which may fail again.
    pub(super) fn retries(&self) -> usize {
        let is_retry = |line: &&Line| matches!(line, Line::Press { act, .. } if act == "retry");
        self.lines.iter().filter(is_retry).count()
    }

    /// Whether people press buttons.
    #[must_use]
    pub fn presses(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Press { .. }))
    }

    /// Whether people take messages away from the bot, or a move does.
    #[must_use]
    pub fn takes_away(&self) -> bool {
        self.ids_die || self.lines.iter().any(|line| matches!(line, Line::TakeAway(_)))
    }

    /// What `/retry`, said so, asks again: the message said before it in the same place.
    pub(super) fn asked_again(&self, retry: &str) -> Option<&str> {
        let said: Vec<&Said> = self.lines.iter().filter_map(Line::said).collect();
        let (before, _) = said.split_at(said.iter().position(|said| said.text == retry)?);
        let question = before.iter().rfind(|said| !said.text.starts_with('/'))?;
        Some(&question.text)
    }

    /// True if the platform finds a message too long that is not.
    pub(super) fn splits(&self) -> bool {
        self.lines
            .iter()
            .any(|line| matches!(line, Line::Fault(_, _, Fault::TooLong)))
    }

    pub(super) fn faults(&self) -> Faults {
        self.lines.iter().fold(Faults::none(), |faults, line| match line {
            Line::Fault(kind, nth, fault) => faults.nth(*kind, *nth, fault.clone()),
            _ => faults,
        })
    }
}

/// Reads transcripts.
///
/// `== name | kinds | progress [| buttons] [| ids die]` begins one; then come lines `who chat[/thread] [how]: text`, `wait ms`,
/// `move a b`, `edit n: text`, `redact n`, `press who chat[/thread] act`, `take away chat[/thread]`, `fault call nth what`. `#`
/// begins a comment.
///
/// # Errors
/// Names the line that is not understood.
pub fn transcripts(text: &str) -> Result<Vec<Transcript>, String> {
    let mut all: Vec<Transcript> = Vec::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(head) = line.strip_prefix("== ") {
            all.push(begin(head).ok_or_else(|| line.to_owned())?);
        } else {
            let read = read(line).ok_or_else(|| line.to_owned())?;
            all.last_mut()
                .ok_or("a line before the first transcript")?
                .lines
                .push(read);
        }
    }
    Ok(all)
}

fn begin(head: &str) -> Option<Transcript> {
    let mut fields = head.split('|').map(str::trim);
    let (name, kinds, progress) = (fields.next()?, fields.next()?, fields.next()?);
    let kind = |word| match word {
        "keyed" => Some(Kind::Keyed),
        "findable" => Some(Kind::Findable),
        "blind" => Some(Kind::Blind),
        _ => None,
    };
    let kinds = match kinds {
        "all" => vec![Kind::Keyed, Kind::Findable, Kind::Blind],
        kinds => kinds.split_whitespace().map(kind).collect::<Option<_>>()?,
    };
    let progress = match progress {
        "edit" => Progress::Edit,
        "hidden" => Progress::Hidden,
        "draft" => Progress::Draft,
        _ => return None,
    };
    let rest: Vec<&str> = fields.collect();
    if rest.iter().any(|word| !matches!(*word, "buttons" | "ids die")) {
        return None;
    }
    Some(Transcript {
        name: name.to_owned(),
        kinds,
        progress,
        buttons: rest.contains(&"buttons"),
        ids_die: rest.contains(&"ids die"),
        lines: Vec::new(),
    })
}

fn read(line: &str) -> Option<Line> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["wait", millis] => Some(Line::Wait(Duration::from_millis(millis.parse().ok()?))),
        ["move", from, to] => Some(Line::Move((*from).to_owned(), (*to).to_owned())),
        ["press", who, place, act] => Some(Line::Press {
            spot: spot(place),
            person: (*who).to_owned(),
            act: (*act).to_owned(),
        }),
        ["take", "away", place] => Some(Line::TakeAway(spot(place))),
        ["redact", nth] => Some(Line::Redact(nth.parse().ok()?)),
        ["fault", call, nth, what @ ..] => Some(Line::Fault(call_kind(call)?, nth.parse().ok()?, fault(what)?)),
        ["edit", ..] => {
            let (head, text) = line.split_once(": ")?;
            Some(Line::Edit(head.strip_prefix("edit ")?.parse().ok()?, text.to_owned()))
        }
        _ => said(line).map(Line::Say),
    }
}

fn said(line: &str) -> Option<Said> {
    let (head, text) = line.split_once(": ")?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let (person, place, how) = match words.as_slice() {
        [person, place] => (person, place, Addressed::Direct),
        [person, place, "mention"] => (person, place, Addressed::Mention),
        [person, place, "aside"] => (person, place, Addressed::None),
        [person, place, "command"] => (person, place, Addressed::Command),
        _ => return None,
    };
    Some(Said::at(spot(place), *person, text, how))
}

fn spot(place: &str) -> Spot {
    match place.split_once('/') {
        Some((chat, thread)) => Spot::thread(chat, thread),
        None => Spot::chat(place),
    }
}

fn call_kind(word: &str) -> Option<CallKind> {
    match word {
        "post" => Some(CallKind::Post),
        "edit" => Some(CallKind::Edit),
        "delete" => Some(CallKind::Delete),
        "find" => Some(CallKind::Find),
        _ => None,
    }
}

fn fault(words: &[&str]) -> Option<Fault> {
    let limited = |millis: &str, scope| {
        Some(Fault::RateLimited {
            after: Duration::from_millis(millis.parse().ok()?),
            scope,
        })
    };
    match words {
        ["limited", millis] => limited(millis, RateScope::Path),
        ["limited", millis, "account"] => limited(millis, RateScope::Account),
        ["lost"] => Some(Fault::Lost),
        ["unsure", "executed"] => Some(Fault::UnsureExecuted),
        ["unsure", "not"] => Some(Fault::UnsureNotExecuted),
        ["long"] => Some(Fault::TooLong),
        ["malformed"] => Some(Fault::Malformed),
        ["moved", to] => Some(Fault::Moved((*to).to_owned())),
        _ => None,
    }
}
