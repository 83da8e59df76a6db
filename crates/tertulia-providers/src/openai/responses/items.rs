//! The items of an answer while they come, and which of them an event is about.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::item::{Open, id};

/// So many of the latest items are searched for one by its id.
const LATEST: usize = 1_024;

/// The items by their places in the answer: where a server tells places, they are the only name that none of them changes from
/// event to event. Some tell ids alone, and for whole items not even these.
#[derive(Debug, Default)]
pub(super) struct Items(BTreeMap<u32, Open>);

impl Items {
    /// Nothing was said of any item.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The item at a place, which begins now if it did not yet.
    pub(super) fn at(&mut self, place: u32) -> &mut Open {
        self.0.entry(place).or_default()
    }

    /// The place of the item that an event brings: the one that it tells, else that of an item with its id, else the next.
    pub(super) fn place_of_item(&self, event: &Value, item: &Map<String, Value>) -> u32 {
        let nameless = || {
            let (last, open) = self.0.last_key_value()?;
            (id(item).is_empty() && !open.is_over).then_some(*last)
        };
        told(event)
            .or_else(|| self.of_id(id(item)))
            .or_else(nameless)
            .unwrap_or_else(|| self.0.last_key_value().map_or(0, |(last, _)| last.saturating_add(1)))
    }

    /// The place of the item that an event brings a piece of: the one that it tells, else that of its id, else the last.
    pub(super) fn place_of_piece(&self, event: &Value) -> u32 {
        let id = event.get("item_id").and_then(Value::as_str).unwrap_or_default();
        told(event)
            .or_else(|| self.of_id(id))
            .or_else(|| self.0.last_key_value().map(|(last, _)| *last))
            .unwrap_or_default()
    }

    fn of_id(&self, id: &str) -> Option<u32> {
        let mut named = self
            .0
            .iter()
            .rev()
            .take(LATEST)
            .filter(|(_, item)| !id.is_empty() && item.id == id);
        named.next().map(|(place, _)| *place)
    }
}

fn told(event: &Value) -> Option<u32> {
    u32::try_from(event.get("output_index")?.as_u64()?).ok()
}
