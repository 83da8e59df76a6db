//! The question of a turn: laid out for whoever is asked, and under way.

use tertulia_message::ToolOffer;

use super::turn::{Phase, Turn};
use super::wires::Wires;
use super::{AskId, Effect, Question};
use crate::layout::Asked;
use crate::now::{Mono, Now};
use crate::provider::ModelRequest;
use crate::record::RowBody;

/// A question under way.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) id: AskId,
    /// It is under way, and does not wait for a place any more.
    pub(super) sent: bool,
    /// Since when it waits for a place, or is under way.
    pub(super) since: Mono,
    pub(super) last_life: Option<Mono>,
}

impl Turn {
    pub(super) fn ask(&mut self, now: Now, wires: &mut Wires) {
        self.answer = self.new_answer();
        let id = wires.ask_id();
        self.phase = Phase::Asking(Asking {
            id,
            sent: false,
            since: now.mono,
            last_life: None,
        });
        self.show.next_answer();
        let question = Question {
            provider: self.settings.provider.clone(),
            request: self.question(),
            insists: self.chain.insists(),
        };
        wires.push(Effect::Ask(id, Box::new(question)));
    }

    /// The question has got its place: from here on the provider is waited for.
    pub(super) fn sent(&mut self, now: Now) {
        if let Phase::Asking(asking) = &mut self.phase {
            asking.sent = true;
            asking.since = now.mono;
        }
    }

    /// The question, laid out for who is asked now.
    fn question(&self) -> ModelRequest {
        let (able, tools) = (&self.around.capabilities, self.offered_tools());
        let asked = self.asked(&tools);
        let system = asked.system(able);
        let mut messages = self.conversation.messages(able, system.len());
        let correction = self
            .correction
            .iter()
            .flat_map(|correction| correction.messages.clone());
        messages.extend(correction);
        asked.request(system, messages, able)
    }

    pub(super) fn asked<'a>(&'a self, tools: &'a [ToolOffer]) -> Asked<'a> {
        Asked {
            model: &self.settings.model,
            base: &self.base,
            tree: "",
            path: &self.row.path,
            // nothing is added to what a client asks
            tells_path: !matches!(self.row.body, RowBody::Request(_)),
            tools,
            generation: &self.generation,
        }
    }

    /// Less is asked from now on; false if there is nothing left to leave out.
    pub(super) fn shorten(&mut self) -> bool {
        let able = self.around.capabilities;
        let system = self.asked(&self.offered_tools()).system(&able).len();
        self.conversation.shorten(&able, system)
    }

    pub(super) fn is_asking(&self, id: AskId) -> bool {
        matches!(&self.phase, Phase::Asking(asking) if asking.id == id)
    }
}
