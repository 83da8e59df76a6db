//! Who is asked: the provider of the turn, then those that stand in for it.

use std::collections::VecDeque;
use std::time::Duration;

use super::finish::End;
use super::turn::{Phase, Turn};
use super::wires::Wires;
use super::{Abandoned, Effect, Fallback, Surroundings};
use crate::fault::Fault;
use crate::now::Now;
use crate::policy::{self, Asked, Remedy};
use crate::provider::ProviderFault;

/// Whom a turn asks, one after the other. Whoever answers one question of the turn is asked the next one, too.
#[derive(Debug)]
pub(super) struct Chain {
    present: Candidate,
    /// Not asked yet, the next one first.
    rest: VecDeque<Candidate>,
    /// Passed over without having been asked, since they seemed to be down.
    resting: VecDeque<Candidate>,
    /// The present one is asked although it rests: nobody else is left, and it may be back.
    insists: bool,
    /// Failures of the present question at the present one.
    tries: u32,
    /// Nobody was there once, and it was asked again at once.
    reconnected: bool,
    /// Why the first one of those that failed did.
    first_fault: Option<(usize, Fault)>,
}

#[derive(Debug, Clone)]
struct Candidate {
    /// Its place in the chain; the turn's own provider has 0.
    place: usize,
    provider: Fallback,
    /// Its failures before it was passed over.
    tries: u32,
}

impl Chain {
    pub(super) fn new(around: &Surroundings, provider: &str, model: &str) -> Self {
        let own = Fallback {
            provider: provider.to_owned(),
            model: model.to_owned(),
            capabilities: around.capabilities,
            deadlines: around.deadlines,
            prices: around.prices,
        };
        let candidate = |(place, provider)| Candidate {
            place,
            provider,
            tries: 0,
        };
        Self {
            present: candidate((0, own)),
            rest: (1..).zip(around.fallbacks.iter().cloned()).map(candidate).collect(),
            resting: VecDeque::new(),
            insists: false,
            tries: 0,
            reconnected: false,
            first_fault: None,
        }
    }

    pub(super) fn insists(&self) -> bool {
        self.insists
    }

    pub(super) fn has_another(&self) -> bool {
        !(self.rest.is_empty() && self.resting.is_empty())
    }

    /// True if somebody who has not been asked reads more than the present one.
    fn has_larger(&self) -> bool {
        let present = self.present.provider.capabilities.max_context;
        let mut others = self.rest.iter().chain(&self.resting);
        others.any(|other| other.provider.capabilities.max_context > present)
    }

    /// The present one has answered a question.
    pub(super) fn answered(&mut self) {
        (self.tries, self.reconnected) = (0, false);
    }

    /// The present one has failed.
    fn note(&mut self, fault: Fault) {
        let place = self.present.place;
        if self.first_fault.as_ref().is_none_or(|(first, _)| place <= *first) {
            self.first_fault = Some((place, fault));
        }
    }

    /// The present one was not asked.
    fn pass_over(&mut self) {
        self.resting.push_back(Candidate {
            tries: self.tries,
            ..self.present.clone()
        });
    }

    /// Goes on to whoever comes next; false if nobody is left.
    fn go_on(&mut self) -> bool {
        self.insists = self.rest.is_empty();
        let next = self.rest.pop_front().or_else(|| self.resting.pop_front());
        let found = next.is_some();
        if let Some(next) = next {
            (self.tries, self.reconnected) = (next.tries, false);
            self.present = next;
        }
        found
    }
}

impl Turn {
    pub(super) fn provider_failed(&mut self, fault: ProviderFault, now: Now, wires: &mut Wires) {
        self.note_usage(now);
        let asked = Asked {
            tries: self.chain.tries,
            reconnected: self.chain.reconnected,
            shown: self.is_answer_shown(),
            another: self.chain.has_another(),
        };
        match policy::remedy(fault, asked, now) {
            Remedy::AtOnce => {
                self.chain.reconnected = true;
                self.ask(now, wires);
            }
            Remedy::Retry(pause) => self.pause(pause, now),
            Remedy::Shorten if self.shorten() => self.ask(now, wires),
            Remedy::Shorten if self.chain.has_larger() => self.ask_another(Fault::Provider(fault), now, wires),
            Remedy::Another => self.ask_another(Fault::Provider(fault), now, wires),
            Remedy::Shorten | Remedy::GiveUp => self.give_up(Fault::Provider(fault), now, wires),
        }
    }

    /// The provider seems to be down, and was not asked.
    pub(super) fn provider_rests(&mut self, after: Duration, now: Now, wires: &mut Wires) {
        self.chain.pass_over();
        let fault = ProviderFault::Unavailable { after: Some(after) };
        self.go_on(Fault::Provider(fault), now, wires);
    }

    /// A deadline of the question under way has passed.
    pub(super) fn timed_out(&mut self, fault: Fault, now: Now, wires: &mut Wires) {
        let why = match fault {
            Fault::Busy => Abandoned::Busy,
            Fault::TooSlow(_) => Abandoned::Unwanted,
            _ => Abandoned::Silent,
        };
        self.stop_asking(why, wires);
        self.note_usage(now);
        let is_late = matches!(fault, Fault::TooSlow(_));
        if is_late || self.is_answer_shown() {
            self.give_up(fault, now, wires);
        } else {
            self.ask_another(fault, now, wires);
        }
    }

    /// The present one could not answer; another one may.
    pub(super) fn ask_another(&mut self, fault: Fault, now: Now, wires: &mut Wires) {
        self.chain.note(fault.clone());
        self.go_on(fault, now, wires);
    }

    fn go_on(&mut self, fault: Fault, now: Now, wires: &mut Wires) {
        if !self.chain.go_on() {
            self.give_up(fault, now, wires);
            return;
        }
        self.stand_in(now);
        if self.chain.insists() {
            self.phase = Phase::Pausing(now.mono + policy::rest(now));
        } else {
            self.ask(now, wires);
        }
    }

    /// From here on the turn is that of the provider that was gone on to: asked, timed, and paid for.
    fn stand_in(&mut self, now: Now) {
        let next = &self.chain.present.provider;
        self.settings.provider.clone_from(&next.provider);
        self.settings.model.clone_from(&next.model);
        self.around.capabilities = next.capabilities;
        self.around.deadlines = next.deadlines;
        self.around.prices = next.prices;
        self.began = now.mono;
    }

    /// Nobody is left who could answer. Operators are helped most by why the first one could not; where a part of an answer
    /// stands above it, by why that one broke off.
    pub(super) fn give_up(&mut self, fault: Fault, now: Now, wires: &mut Wires) {
        self.chain.note(fault.clone());
        let first = self.chain.first_fault.take().filter(|_| !self.is_answer_shown());
        let fault = first.map_or(fault, |(_, first)| first);
        self.finish(End::Fault(fault), now, wires);
    }

    fn pause(&mut self, pause: Duration, now: Now) {
        self.chain.tries += 1;
        self.phase = Phase::Pausing(now.mono + pause);
    }

    /// True if a part of the present answer can be read.
    fn is_answer_shown(&self) -> bool {
        !self.answer.own_text().trim().is_empty()
    }

    pub(super) fn stop_asking(&mut self, why: Abandoned, wires: &mut Wires) {
        if let Phase::Asking(asking) = &self.phase {
            wires.push(Effect::StopAsking(asking.id, why));
        }
    }
}
