//! Where wishes to verify the bot come in, from messages and from clients, and wait.

use matrix_sdk::Client;
use matrix_sdk::Room;
use matrix_sdk::event_handler::EventHandlerDropGuard;
use matrix_sdk::ruma::OwnedUserId;
use matrix_sdk::ruma::events::key::verification::request::ToDeviceKeyVerificationRequestEvent;
use matrix_sdk::ruma::events::room::message::{MessageType, OriginalSyncRoomMessageEvent};
use tertulia_message::path::InterfacePath;
use tokio::sync::{Mutex, mpsc};

/// Wishes that wait; more are dropped.
const WAITING: usize = 32;

/// Somebody wants to verify the bot.
#[derive(Debug)]
pub(super) struct Wish {
    /// Their id.
    pub(super) person: String,
    /// Where they said so, and where they will read about it; none if it came from a device alone.
    pub(super) place: Option<Place>,
    /// What their client has begun; none if it is us who begin.
    pub(super) request: Option<Request>,
}

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: InterfacePath,
    /// The event that is answered.
    pub(super) event: String,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) user: OwnedUserId,
    /// The name of the verification.
    pub(super) flow: String,
    /// True if it is done in a room.
    pub(super) room: Option<String>,
}

/// Wishes that nobody has turned to yet.
#[derive(Debug)]
pub(crate) struct Desk {
    put: mpsc::Sender<Wish>,
    take: Mutex<mpsc::Receiver<Wish>>,
}

impl Default for Desk {
    fn default() -> Self {
        let (put, take) = mpsc::channel(WAITING);
        Self {
            put,
            take: Mutex::new(take),
        }
    }
}

impl Desk {
    pub(super) fn put(&self, wish: Wish) {
        put(&self.put, wish);
    }

    pub(super) async fn next(&self) -> Wish {
        match self.take.lock().await.recv().await {
            Some(wish) => wish,
            // the desk holds a sender itself
            None => std::future::pending().await,
        }
    }
}

fn put(sender: &mpsc::Sender<Wish>, wish: Wish) {
    if sender.try_send(wish).is_err() {
        tracing::warn!("too many people want to verify the bot at once; one was left out");
    }
}

/// Hears what clients begin, until the guards are dropped. What comes while nobody hears is over soon anyway.
pub(super) fn hear(desk: &Desk, client: &Client) -> Vec<EventHandlerDropGuard> {
    let by_device = {
        let put_in = desk.put.clone();
        client.add_event_handler(move |event: ToDeviceKeyVerificationRequestEvent| {
            let wish = wish(event.sender, event.content.transaction_id.to_string(), None);
            put(&put_in, wish);
            std::future::ready(())
        })
    };
    let by_room = {
        let put_in = desk.put.clone();
        let ours = client.user_id().map(ToOwned::to_owned);
        client.add_event_handler(move |event: OriginalSyncRoomMessageEvent, room: Room| {
            let is_for_us = match &event.content.msgtype {
                MessageType::VerificationRequest(request) => Some(&request.to) == ours.as_ref(),
                _ => false,
            };
            if is_for_us && Some(&event.sender) != ours.as_ref() {
                let room = Some(room.room_id().to_string());
                put(&put_in, wish(event.sender, event.event_id.to_string(), room));
            }
            std::future::ready(())
        })
    };
    [by_device, by_room]
        .map(|handle| client.event_handler_drop_guard(handle))
        .into()
}

fn wish(user: OwnedUserId, flow: String, room: Option<String>) -> Wish {
    Wish {
        person: user.to_string(),
        place: None,
        request: Some(Request { user, flow, room }),
    }
}
