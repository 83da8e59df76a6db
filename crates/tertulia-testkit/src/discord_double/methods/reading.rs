//! Looking at messages.

use serde_json::Value;

use super::{Answer, Done};
use crate::discord_double::place::Permission;
use crate::discord_double::refusal::Refusal;
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

const MOST: u64 = 100;
const USUAL: u64 = 50;

impl World {
    pub(super) fn get_message(&self, request: &Request) -> Done {
        if !self.may(self.seen_channel(request)?, Permission::READ_MESSAGE_HISTORY) {
            return Err(Refusal::missing_permissions());
        }
        let id = self.seen_message(request)?.id;
        Ok(Answer::Json(self.shown_message(id)))
    }

    /// A page of messages, the newest first.
    pub(super) fn list_messages(&self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?;
        let limit = request
            .query
            .get("limit")
            .map_or(Some(USUAL), |limit| limit.parse().ok());
        let limit = limit.filter(|limit| (1..=MOST).contains(limit)).ok_or_else(|| {
            let words = "int value should be between 1 and 100.";
            Refusal::form("limit", "NUMBER_TYPE_RANGE", words)
        })?;
        if !self.may(channel, Permission::READ_MESSAGE_HISTORY) {
            return Ok(Answer::Json(Value::Array(Vec::new())));
        }
        let limit = usize::try_from(limit).unwrap_or_default();
        let here = self
            .messages
            .values()
            .filter(|message| message.channel == channel.id && !message.is_ephemeral());
        let ids: Vec<u64> = here.map(|message| message.id).collect();
        let page = page(&ids, request, limit);
        Ok(Answer::Json(
            page.into_iter().map(|id| self.shown_message(id)).collect(),
        ))
    }
}

/// The numbers that are asked for, the highest first; `ids` ascend.
fn page(ids: &[u64], request: &Request, limit: usize) -> Vec<u64> {
    let newest = |ids: Vec<u64>| ids.into_iter().rev().take(limit).collect::<Vec<u64>>();
    let older = |than: u64| ids.iter().copied().filter(|id| *id < than).collect::<Vec<u64>>();
    let newer = |than: u64, limit: usize| {
        let mut next: Vec<u64> = ids.iter().copied().filter(|id| *id > than).take(limit).collect();
        next.reverse();
        next
    };
    if let Some(around) = request.asked("around") {
        let before: Vec<u64> = older(around).into_iter().rev().take(limit / 2).collect();
        let it = ids.iter().copied().filter(|id| *id == around);
        let rest = limit.saturating_sub(before.len() + 1);
        return newer(around, rest).into_iter().chain(it).chain(before).collect();
    }
    match (request.asked("before"), request.asked("after")) {
        (Some(before), _) => newest(older(before)),
        (None, Some(after)) => newer(after, limit),
        (None, None) => newest(ids.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_next_to_what_is_named() {
        let ids: Vec<u64> = (1..=9).collect();
        let cases = [
            ("", vec![9, 8, 7]),
            ("after=0", vec![3, 2, 1]),
            ("after=5", vec![8, 7, 6]),
            ("before=5", vec![4, 3, 2]),
            ("around=5", vec![6, 5, 4]),
            ("after=9", vec![]),
        ];
        for (query, expected) in cases {
            let request = Request {
                query: crate::discord_double::request::pairs(query),
                ..Request::default()
            };
            assert_eq!(page(&ids, &request, 3), expected, "{query}");
        }
    }
}
