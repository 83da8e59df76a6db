//! Albums, and pastes that a client has split: which messages belong together, and whether more of them may follow; pure.

use std::collections::HashMap;
use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Addressed, Inbound, PersonId, What};

use crate::inbound::{Piece, behind_slash};

/// A group is complete when nothing was added for so long.
const QUIET: Duration = Duration::from_millis(800);
/// A client splits at 4096 units, or at the word before.
const LONG: usize = 4000;
/// The pieces of a paste follow each other within so much time, by Telegram's clock, in milliseconds.
const AT_ONCE: i64 = 2000;
/// Telegram's albums have no more items.
const WHOLE_ALBUM: usize = 10;
/// How many ended groups are remembered, for the rest of them in a later batch.
const REMEMBERED: usize = 64;

/// A piece that is not confirmed yet.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) piece: Piece,
    /// When it was first seen, since the listener began.
    pub(crate) seen: Duration,
    /// True once it was accepted.
    pub(crate) is_handed_in: bool,
}

/// What a batch came to.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// What can be handed in now: its place in the batch, and the event as its group has it.
    pub(crate) ready: Vec<(usize, Inbound)>,
    /// True if something is held back, since more of it may follow.
    pub(crate) is_waiting: bool,
}

/// What is remembered of earlier batches.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    ended: Vec<(Place, Group)>,
}

/// Somebody in a conversation.
type Place = (InterfacePath, PersonId);

/// Messages that belong together.
#[derive(Debug, Clone)]
struct Group {
    /// The key; of a paste that has only one piece yet, what it would be.
    key: String,
    lead: Lead,
    /// Where the first item stands in the batch; 0 if it was in an earlier one.
    first: usize,
    /// Where the last item stands in the batch; `None` if all were in earlier ones.
    last: Option<usize>,
    items: usize,
    /// Of the last item.
    units: usize,
    sent_at: Option<i64>,
    seen: Duration,
}

/// What all items have in common.
#[derive(Debug, Clone)]
struct Lead {
    addressed: Addressed,
    reply_to: Option<String>,
}

impl Gatherer {
    /// Looks at everything that is not confirmed, in the order in which it came. `is_full` tells that nothing can follow before
    /// this is confirmed.
    pub(crate) fn gather(&self, batch: &[Arrived], now: Duration, is_full: bool) -> Gathered {
        let (events, groups) = self.grouped(batch);
        let held = |at: usize| !is_full && is_held(batch, &groups, at, now);
        let mut order: Vec<(usize, usize, Inbound)> = Vec::new();
        let mut is_waiting = false;
        for (at, (event, first)) in events.into_iter().enumerate() {
            let is_new = batch.get(at).is_some_and(|arrived| !arrived.is_handed_in);
            if is_new && held(at) {
                is_waiting = true;
            } else if is_new {
                order.push((first, at, event));
            }
        }
        // the items of a group stand together: only neighbours become one turn
        order.sort_by_key(|(first, at, _)| (*first, *at));
        Gathered {
            ready: order.into_iter().map(|(_, at, event)| (at, event)).collect(),
            is_waiting,
        }
    }

    /// A batch is confirmed: what may go on in the next one is remembered.
    pub(crate) fn confirmed(&mut self, batch: &[Arrived]) {
        let (_, groups) = self.grouped(batch);
        let of_this = groups.into_iter().filter(|(_, group)| group.last.is_some());
        self.ended
            .extend(of_this.map(|(place, group)| (place, Group { last: None, ..group })));
        let surplus = self.ended.len().saturating_sub(REMEMBERED);
        self.ended.drain(..surplus);
    }

    /// The events with their groups' keys, each with the place of its group's first item; and the groups, the last one of
    /// everybody in each conversation.
    fn grouped(&self, batch: &[Arrived]) -> (Vec<(Inbound, usize)>, HashMap<Place, Group>) {
        let ended = self.ended.iter().cloned();
        let mut groups: HashMap<Place, Group> = ended.collect();
        let mut events = Vec::with_capacity(batch.len());
        // the addressee of an album may be named below any of its pictures
        let addressed = albums(batch);
        for (at, arrived) in batch.iter().enumerate() {
            let mut event = arrived.piece.event.clone();
            if !matches!(event.what, What::Message { .. }) {
                events.push((event, at));
                continue;
            }
            let place = (event.path.clone(), event.sender.clone());
            let found = groups.remove(&place);
            let mut group = match found.filter(|group| group.takes(&arrived.piece)) {
                Some(group) => group.join(&mut event, &mut events),
                None => Group::of(&mut event, at, &addressed),
            };
            group.note(arrived, at);
            events.push((event, group.first));
            groups.insert(place, group);
        }
        (events, groups)
    }
}

impl Lead {
    /// Addresses the next item as the first one; or all of them as this one, which may be the first to name the bot.
    fn naming(mut self, event: &mut Inbound, events: &mut [(Inbound, usize)]) -> Self {
        if self.addressed != Addressed::None {
            event.addressed = self.addressed;
            return self;
        }
        self.addressed = event.addressed;
        for (earlier, _) in events.iter_mut().filter(|(earlier, _)| earlier.join == event.join) {
            earlier.addressed = event.addressed;
        }
        self
    }
}

impl Group {
    fn of(event: &mut Inbound, at: usize, addressed: &HashMap<String, Addressed>) -> Self {
        if let Some(how) = event.join.as_ref().and_then(|key| addressed.get(key)) {
            event.addressed = *how;
        }
        let key = event.join.clone();
        Self {
            key: key.unwrap_or_else(|| format!("paste/{}", event.id)),
            lead: Lead {
                addressed: event.addressed,
                reply_to: event.reply_to.clone(),
            },
            first: at,
            last: None,
            items: 0,
            units: 0,
            sent_at: None,
            seen: Duration::ZERO,
        }
    }

    /// True if the piece belongs to the group.
    fn takes(&self, piece: &Piece) -> bool {
        if piece.event.join.is_some() || self.units == 0 {
            return piece.event.join.as_ref() == Some(&self.key);
        }
        let gap = match (self.sent_at, piece.event.sent_at) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => return false,
        };
        self.units >= LONG && piece.units > 0 && !is_command(piece) && (0..=AT_ONCE).contains(&gap)
    }

    /// Makes the event one of the group, and the first one too.
    fn join(self, event: &mut Inbound, events: &mut [(Inbound, usize)]) -> Self {
        let is_paste = event.join.is_none();
        event.join = Some(self.key.clone());
        event.reply_to.clone_from(&self.lead.reply_to);
        // the first item has it
        event.quoted = None;
        if let What::Message { text } = &mut event.what
            && is_paste
            && behind_slash(text).is_some()
        {
            // in the middle of a text nothing is a command
            text.insert(0, '…');
        }
        if let Some((first, _)) = events.get_mut(self.first).filter(|_| self.last.is_some()) {
            first.join = Some(self.key.clone());
        }
        // what came in an earlier batch has no place in this one
        let first = self.last.map_or(events.len(), |_| self.first);
        let lead = self.lead.clone().naming(event, events);
        Self { lead, first, ..self }
    }

    fn note(&mut self, arrived: &Arrived, at: usize) {
        self.last = Some(at);
        self.items += 1;
        self.units = arrived.piece.units;
        self.sent_at = arrived.piece.event.sent_at;
        self.seen = arrived.seen;
    }

    /// True if more of it may follow at this time.
    fn may_grow(&self, is_album: bool, now: Duration) -> bool {
        let is_open = if is_album {
            self.items < WHOLE_ALBUM
        } else {
            self.units >= LONG
        };
        is_open && now.saturating_sub(self.seen) < QUIET
    }
}

/// True for a command and nothing else: whoever types `/stop` right behind a long message means it.
fn is_command(piece: &Piece) -> bool {
    match &piece.event.what {
        What::Message { text } => {
            let name = behind_slash(text).map(str::trim_end);
            name.is_some_and(|name| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '/'))
        }
        _ => false,
    }
}

/// How each album of the batch is addressed.
fn albums(batch: &[Arrived]) -> HashMap<String, Addressed> {
    let mut albums: HashMap<String, Addressed> = HashMap::new();
    for event in batch.iter().map(|arrived| &arrived.piece.event) {
        if let Some(key) = event.join.as_ref().filter(|_| event.addressed != Addressed::None) {
            albums.entry(key.clone()).or_insert(event.addressed);
        }
    }
    albums
}

/// True if the event belongs to a group that may grow, or stands in the same conversation behind the beginning of one: a change
/// of a message must not come before the message.
fn is_held(batch: &[Arrived], groups: &HashMap<Place, Group>, at: usize, now: Duration) -> bool {
    let Some(event) = batch.get(at).map(|arrived| &arrived.piece.event) else {
        return false;
    };
    groups.iter().any(|((path, _), group)| {
        let last = group.last.and_then(|last| batch.get(last));
        let is_album = last.is_some_and(|last| last.piece.event.join.is_some());
        *path == event.path && group.first <= at && last.is_some() && group.may_grow(is_album, now)
    })
}

#[cfg(test)]
mod tests;
