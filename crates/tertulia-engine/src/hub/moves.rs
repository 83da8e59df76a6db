//! A conversation has a new address: whoever holds the old one is told, and what became part of another conversation is looked
//! for there.

use std::sync::Arc;

use tertulia_core::courier::{self, moved_path};
use tertulia_core::session;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{ConversationFacts, ConversationQuery};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{Ask, Hub, Shared};
use crate::backing::patiently;

impl Hub {
    /// Everybody who holds the old address gets the new one, also who is too busy for anything else.
    pub(super) fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        self.waiting.moved(from, to);
        self.lines.moved(from, to);
        for handle in self.sessions.values_mut() {
            if let Some(path) = moved_path(&handle.path, from, to) {
                handle.path = path.clone();
                handle.has_moved = true;
                tell_surely(&mut self.commands, &handle.events, session::Event::Moved(path));
            }
        }
        for courier in self.couriers.values() {
            let event = courier::Event::Moved(from.clone(), to.clone());
            tell_surely(&mut self.commands, courier, event);
        }
        // a turn that runs is its session's, whatever conversation it is part of now
        self.look_at(to, |known| known.waiting > 0 && !known.running);
    }

    /// The session of a conversation that has moved is over. If that is part of another one now, what it left is there.
    pub(super) fn moved_session_ended(&mut self, path: &InterfacePath) {
        self.look_at(path, |known| known.waiting > 0 || known.running);
    }

    /// What waited in a conversation that is part of another one now would wait for somebody to speak there.
    fn look_at(&mut self, path: &InterfacePath, has_work: fn(&ConversationFacts) -> bool) {
        let (shared, path) = (Arc::clone(&self.shared), path.clone());
        self.commands
            .spawn(async move { look_at(&shared, path, has_work).await });
    }
}

async fn look_at(shared: &Shared, path: InterfacePath, has_work: fn(&ConversationFacts) -> bool) {
    let query = if path.parent().is_none() {
        ConversationQuery::Chat(path)
    } else {
        ConversationQuery::At(path)
    };
    match patiently(|| shared.store.conversations(&query)).await {
        Ok(found) => {
            for known in found.into_iter().filter(has_work) {
                shared.ask(Ask::Nudge(known.id, known.path, None)).await;
            }
        }
        Err(error) => {
            tracing::error!(%error, "nobody could look at what waits where a conversation has moved to");
            shared.failed(error).await;
        }
    }
}

/// Waits beside the hub for a place in a full queue.
fn tell_surely<T: Send + 'static>(beside: &mut JoinSet<()>, to: &mpsc::Sender<T>, event: T) {
    if let Err(mpsc::error::TrySendError::Full(event)) = to.try_send(event) {
        let to = to.clone();
        beside.spawn(async move { drop(to.send(event).await) });
    }
}
