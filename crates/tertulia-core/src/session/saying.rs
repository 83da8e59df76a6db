//! What tools have said: messages that are committed together with the results of the calls, and go out after that.

use tertulia_message::Limits;

use super::turn::Turn;
use super::wires::Wires;
use super::{Effect, OwnTool, Token};
use crate::chat::{ChatMessage, ToolResult, ToolStatus};
use crate::now::Now;
use crate::record::{Slot, ToolRun};
use crate::reply::{self, Saying};
use crate::transaction::{Change, Said};

/// The numbers of the parts that one call may have said.
const PARTS_OF_CALL: u32 = 100_000;
/// The most messages of one call: parts are numbered in steps of a thousand.
const MOST_PARTS: usize = 100;
/// The most calls of a round that are numbered.
const CALLS_NUMBERED: u32 = 256;

/// Messages on their way to the disk.
#[derive(Debug)]
pub(super) struct Unsaid {
    pub(super) token: Token,
    pub(super) slots: Vec<Slot>,
    pub(super) limits: Limits,
}

/// True if a call has done nothing as long as it has no result.
pub(super) fn is_harmless(run: &ToolRun, tools: &[OwnTool]) -> bool {
    tools.iter().any(|tool| tool.offer.name == run.name && tool.speaks)
}

impl Turn {
    /// The messages of a call; with the result, which says so where there can be none.
    pub(super) fn speak(
        &self,
        result: ToolResult,
        saying: Option<Box<Saying>>,
        now: Now,
    ) -> (ToolResult, Option<(Said, Limits)>) {
        let Some(saying) = saying else {
            return (result, None);
        };
        if saying.place.conversation == self.row.conversation && self.says(&saying.text) {
            let content = "your words are shown already; they were not sent once more".to_owned();
            return (ToolResult { content, ..result }, None);
        }
        let slots = self.first_part(&result.call_id).map_or_else(Vec::new, |first| {
            reply::say(&self.row, &saying.place, &saying.text, first, now.wall)
        });
        if slots.is_empty() || slots.len() > MOST_PARTS {
            let content = "not sent: these would be too many messages at once".to_owned();
            let status = ToolStatus::Failed;
            return (
                ToolResult {
                    status,
                    content,
                    ..result
                },
                None,
            );
        }
        let conversation = saying.place.conversation;
        // in its own conversation the call itself is part of the history
        let changes = if conversation == self.row.conversation {
            Vec::new()
        } else {
            vec![Change::Said {
                conversation,
                text: saying.text,
                now: now.wall,
            }]
        };
        (result, Some((Said { slots, changes }, saying.place.limits)))
    }

    /// True if these are the words that the model has put beside its calls: people read them as a part of its answer.
    fn says(&self, text: &str) -> bool {
        let round = self.conversation.newest();
        matches!(round, Some(ChatMessage::Assistant { text: said, .. }) if said.trim() == text.trim())
    }

    /// By round and call, so that a call that is run again says the same messages.
    fn first_part(&self, call_id: &str) -> Option<u32> {
        let call = self.place_in_round(call_id).filter(|call| *call < CALLS_NUMBERED)?;
        self.round
            .checked_mul(CALLS_NUMBERED)?
            .checked_add(call)?
            .checked_mul(PARTS_OF_CALL)
    }

    /// What was said is on disk: the courier may post it.
    pub(super) fn said(&mut self, token: Token, wires: &mut Wires) {
        let (said, unsaid) = std::mem::take(&mut self.unsaid)
            .into_iter()
            .partition(|unsaid| unsaid.token == token);
        self.unsaid = unsaid;
        for Unsaid { slots, limits, .. } in said {
            for slot in slots {
                wires.push(Effect::Slot(Box::new(slot), limits));
            }
        }
    }
}
