//! Rounds of tool calls: the client's are passed back to it, ours are run.

use std::collections::BTreeSet;

use tertulia_message::{Limits, ToolOffer};

use super::answer::Answer;
use super::finish::End;
use super::saying::{Unsaid, is_harmless};
use super::turn::{Phase, Turn};
use super::wires::Wires;
use super::{Effect, OwnTool, Token};
use crate::chat::{ChatMessage, ToolCall, ToolResult, ToolStatus};
use crate::fault::Fault;
use crate::now::Now;
use crate::record::{ToolEffect, ToolRun};
use crate::reply::Saying;
use crate::stop::STOPPED_MARK;
use crate::transaction::{Said, Transaction};

/// The most calls of one round that are run; the others are refused to the model.
const CALLS_PER_ROUND: usize = 16;

/// A round of our tools.
#[derive(Debug)]
pub(super) struct Running {
    runs: Vec<ToolRun>,
    /// Transactions of results under way.
    storing: BTreeSet<Token>,
}

/// A tool with effects that has run.
#[derive(Debug)]
pub(super) struct Acted {
    tool: String,
    /// True if it surely did its work; one that failed may have done it all the same.
    surely: bool,
}

impl Acted {
    pub(super) fn of(run: &ToolRun, tools: &[OwnTool]) -> Option<Self> {
        let result = run.result.as_ref().filter(|_| run.effect != ToolEffect::Reads)?;
        let surely = result.status == ToolStatus::Ok;
        (surely || !is_harmless(run, tools)).then(|| Self {
            tool: run.name.clone(),
            surely,
        })
    }
}

/// What people read at the end of a turn that was stopped: also what cannot be undone.
pub(super) fn stopped_mark(acted: &[Acted]) -> String {
    let names = |surely| {
        let of_it = acted.iter().filter(|acted| acted.surely == surely);
        let names: BTreeSet<&str> = of_it.map(|acted| acted.tool.as_str()).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let note = |what: &str, names: String| {
        if names.is_empty() {
            String::new()
        } else {
            format!(" {what}: {names}.")
        }
    };
    let mut mark = STOPPED_MARK.trim_end_matches(')').to_owned();
    mark.push_str(&note("Done before that", names(true)));
    mark.push_str(&note("May have happened", names(false)));
    mark.push(')');
    mark
}

impl Running {
    /// True while a tool with effects has no result.
    pub(super) fn has_effects(&self) -> bool {
        self.runs
            .iter()
            .any(|run| run.result.is_none() && run.effect != ToolEffect::Reads)
    }

    /// A result is stored; true if it was the last one of the round.
    pub(super) fn committed(&mut self, token: Token) -> bool {
        self.storing.remove(&token) && self.storing.is_empty() && self.runs.iter().all(|run| run.result.is_some())
    }
}

impl Turn {
    /// What the model may call: the client's tools, else ours.
    pub(super) fn offered_tools(&self) -> Vec<ToolOffer> {
        if !self.client_tools.is_empty() {
            return self.client_tools.clone();
        }
        self.around.tools.iter().map(|tool| tool.offer.clone()).collect()
    }

    pub(super) fn called(&mut self, calls: &[ToolCall], now: Now, wires: &mut Wires) {
        if !self.client_tools.is_empty() {
            for call in calls {
                self.show.client_call(&self.row, call, now, wires);
            }
            self.finish(End::ClientTools, now, wires);
            return;
        }
        if self.round >= self.around.rounds {
            self.finish(End::Fault(Fault::TooManyRounds(self.around.rounds)), now, wires);
            return;
        }
        let runs: Vec<ToolRun> = calls.iter().map(|call| self.run_of(call)).collect();
        let assistant = self.answer.message(self.round);
        self.conversation.push(assistant.clone());
        let status = self.working_on(&runs);
        self.show.status(&self.row, status, now, wires);
        self.stored_from = now.mono;
        let token = wires.commit(Transaction::ToolsStarted {
            trigger: self.trigger(),
            attempt: self.attempt,
            round: self.round,
            assistant,
            runs: runs.clone(),
        });
        self.keep_usage(wires);
        self.phase = Phase::Arming(token);
        self.armed = runs;
        // its words are part of the round now
        self.answer = Answer::default();
    }

    fn run_of(&self, call: &ToolCall) -> ToolRun {
        let effect = self.own_tool(&call.name).map_or(ToolEffect::Reads, |tool| tool.effect);
        ToolRun {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            effect,
            result: None,
        }
    }

    /// The tools that are about to work; a name that the model has made up is nothing to show.
    fn working_on(&self, runs: &[ToolRun]) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for run in runs.iter().filter(|run| self.own_tool(&run.name).is_some()) {
            if !names.contains(&run.name.as_str()) {
                names.push(&run.name);
            }
        }
        (!names.is_empty()).then(|| format!("Using {}…", names.join(", ")))
    }

    fn own_tool(&self, name: &str) -> Option<&OwnTool> {
        self.around.tools.iter().find(|tool| tool.offer.name == name)
    }

    /// The round is on disk: run what has no result yet.
    pub(super) fn run_tools(&mut self, now: Now, wires: &mut Wires) {
        let runs = std::mem::take(&mut self.armed);
        if self.stopping {
            self.finish(End::Stopped, now, wires);
            return;
        }
        let open: Vec<ToolRun> = runs.iter().filter(|run| run.result.is_none()).cloned().collect();
        self.phase = Phase::Running(Running {
            runs,
            storing: BTreeSet::new(),
        });
        if open.is_empty() {
            self.round_done(now, wires);
            return;
        }
        for (nth, run) in open.into_iter().enumerate() {
            match self.refusal(&run, nth) {
                Some(refusal) => drop(self.store_result(failed(&run, refusal), None, wires)),
                None => wires.push(Effect::RunTool(
                    self.round,
                    ToolCall {
                        id: run.call_id,
                        name: run.name,
                        arguments: run.arguments,
                    },
                )),
            }
        }
    }

    /// Why a call is not even tried.
    fn refusal(&self, run: &ToolRun, nth: usize) -> Option<String> {
        if nth >= CALLS_PER_ROUND {
            return Some(format!("not run: at most {CALLS_PER_ROUND} calls at once"));
        }
        if self.own_tool(&run.name).is_none() {
            let known: Vec<&str> = self.around.tools.iter().map(|tool| tool.offer.name.as_str()).collect();
            return Some(format!(
                "there is no tool {:?}; there are: {}",
                run.name,
                known.join(", ")
            ));
        }
        let object = run.arguments.trim().is_empty()
            || serde_json::from_str::<serde_json::Value>(&run.arguments).is_ok_and(|arguments| arguments.is_object());
        (!object).then(|| "the arguments are not a JSON object".to_owned())
    }

    pub(super) fn tool_done(&mut self, result: ToolResult, saying: Option<Box<Saying>>, now: Now, wires: &mut Wires) {
        let (result, said) = self.speak(result, saying, now);
        if let Some(run) = self.store_result(result, said, wires) {
            self.acted.extend(Acted::of(&run, &self.around.tools));
        }
    }

    /// The place of a call in its round.
    pub(super) fn place_in_round(&self, call_id: &str) -> Option<u32> {
        let Phase::Running(running) = &self.phase else {
            return None;
        };
        let place = running.runs.iter().position(|run| run.call_id == call_id)?;
        u32::try_from(place).ok()
    }

    /// The run with its result, if it was still open.
    fn store_result(&mut self, result: ToolResult, said: Option<(Said, Limits)>, wires: &mut Wires) -> Option<ToolRun> {
        let (trigger, attempt, round) = (self.trigger(), self.attempt, self.round);
        let Phase::Running(running) = &mut self.phase else {
            return None;
        };
        let mut runs = running.runs.iter_mut();
        let run = runs.find(|run| run.call_id == result.call_id && run.result.is_none())?;
        run.result = Some(result.clone());
        let effectful = run.effect != ToolEffect::Reads;
        let run = run.clone();
        let posts = said.as_ref().map(|(said, limits)| (said.slots.clone(), *limits));
        let token = wires.commit(Transaction::ToolDone {
            trigger,
            attempt,
            round,
            result,
            effectful,
            said: said.map(|(said, _)| Box::new(said)),
        });
        running.storing.insert(token);
        self.unsaid
            .extend(posts.map(|(slots, limits)| Unsaid { token, slots, limits }));
        Some(run)
    }

    /// All results are on disk: on to the next question.
    pub(super) fn round_done(&mut self, now: Now, wires: &mut Wires) {
        let Phase::Running(running) = &mut self.phase else {
            return;
        };
        let results = running.runs.iter_mut().filter_map(|run| run.result.take()).collect();
        self.conversation.extend(ChatMessage::results(results));
        self.round += 1;
        self.show.status(&self.row, None, now, wires);
        if self.stopping {
            self.finish(End::Stopped, now, wires);
        } else {
            self.ask(now, wires);
        }
    }

    /// After a restart in the middle of a round: its open calls are run again. False if there are none.
    pub(super) fn rerun_tools(&mut self, wires: &mut Wires) -> bool {
        if self.armed.is_empty() {
            return false;
        }
        let runs = self.armed.clone();
        let message = self.conversation.newest().cloned();
        let Some(assistant @ ChatMessage::Assistant { .. }) = message else {
            return false;
        };
        let token = wires.commit(Transaction::ToolsStarted {
            trigger: self.trigger(),
            attempt: self.attempt,
            round: self.round,
            assistant,
            runs,
        });
        self.phase = Phase::Arming(token);
        true
    }
}

fn failed(run: &ToolRun, content: String) -> ToolResult {
    ToolResult {
        call_id: run.call_id.clone(),
        name: run.name.clone(),
        status: ToolStatus::Failed,
        content,
    }
}
