//! The tools of the simulation: `look` reads, `pay` has an effect that must never happen twice, `tell` has something said.

use std::collections::BTreeMap;

use serde_json::json;
use tertulia_core::chat::{ToolCall, ToolResult, ToolStatus};
use tertulia_core::record::{InboxId, ToolEffect};
use tertulia_core::reply::{Place, Saying};
use tertulia_core::session::OwnTool;
use tertulia_message::ToolOffer;

/// What the tools did to the world; survives crashes, as the world does.
#[derive(Debug, Default)]
pub(super) struct Till {
    paid: BTreeMap<(InboxId, u32, String), u32>,
}

impl Till {
    pub(super) fn run(&mut self, trigger: InboxId, round: u32, call: &ToolCall) -> ToolResult {
        if call.name == "pay" {
            *self.paid.entry((trigger, round, call.id.clone())).or_default() += 1;
        }
        ToolResult {
            call_id: call.id.clone(),
            name: call.name.clone(),
            status: ToolStatus::Ok,
            content: format!("{} is done", call.name),
        }
    }

    /// Payments that were made more than once.
    pub(super) fn doubles(&self) -> Vec<String> {
        let doubles = self.paid.iter().filter(|(_, times)| **times > 1);
        doubles
            .map(|(payment, times)| format!("{payment:?} was paid {times} times"))
            .collect()
    }
}

/// What a call has said, in the conversation that it belongs to.
pub(super) fn saying(call: &ToolCall, place: Option<&Place>) -> Option<Box<Saying>> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    let text = arguments.get("text")?.as_str()?.to_owned();
    let place = place?.clone();
    Some(Box::new(Saying { place, text }))
}

pub(super) fn offered() -> Vec<OwnTool> {
    let tools = [
        ("look", ToolEffect::Reads, false),
        ("pay", ToolEffect::ReachesOut, false),
        ("tell", ToolEffect::ReachesOut, true),
    ];
    tools
        .map(|(name, effect, speaks)| OwnTool {
            offer: ToolOffer {
                name: name.to_owned(),
                description: String::new(),
                parameters: json!({"type": "object"}),
            },
            effect,
            speaks,
        })
        .to_vec()
}
