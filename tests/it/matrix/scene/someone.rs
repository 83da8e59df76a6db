//! Whoever may be in a scene, with or without an encrypting client.

use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};

/// What a scene needs of a person.
pub(crate) trait Someone {
    /// Makes a room, and gives its id.
    async fn opens(&self, room: &NewRoom) -> String;
    /// Says something, and gives the event's id.
    async fn says(&self, room: &str, saying: &Saying) -> String;
    /// True if somebody has joined.
    async fn has(&self, room: &str, user_id: &str) -> bool;
    /// The messages of somebody as they look by now, oldest first, with the fields of [`MatrixPerson::shown`].
    async fn sees(&self, room: &str, sender: &str) -> Vec<Value>;
}

impl Someone for MatrixPerson {
    async fn opens(&self, room: &NewRoom) -> String {
        self.create(room).await.unwrap()
    }

    async fn says(&self, room: &str, saying: &Saying) -> String {
        self.say(room, saying).await.unwrap()
    }

    async fn has(&self, room: &str, user_id: &str) -> bool {
        let part = json!({"room": room, "type": "m.room.member", "state_key": user_id});
        let events = self.seen(part).await.unwrap();
        let last = events.last();
        last.is_some_and(|event| event["content"]["membership"] == "join")
    }

    async fn sees(&self, room: &str, sender: &str) -> Vec<Value> {
        self.shown(room, sender).await.unwrap()
    }
}
