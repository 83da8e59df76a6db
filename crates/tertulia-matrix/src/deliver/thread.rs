//! Where a message stands that the server does not take where it was meant to.

use matrix_sdk::ruma::OwnedEventId;
use matrix_sdk::ruma::api::client::room::get_room_event;
use tertulia_message::DeliverError;

use super::outcome::told;
use super::way::Way;
use crate::call::Failure;
use crate::fields::Fields;
use crate::ids;
use crate::relation::Relation;

/// Another relation than the one that was refused. It stays in the thread, or there is none: an answer is for the eyes of those
/// who read the thread.
pub(super) async fn instead(way: &Way<'_>, refused: Relation) -> Result<Relation, DeliverError> {
    match refused {
        Relation::Thread { root, behind } => {
            let root = real_root(way, &root).await?;
            Ok(Relation::Thread { root, behind })
        }
        Relation::Reply { .. } => Ok(Relation::Alone),
        Relation::Alone => Err(DeliverError::Malformed("refused for a relation it has not".to_owned())),
    }
}

/// Nothing can begin with an event that stands in a thread itself, or that changes another one: clients show it there.
async fn real_root(way: &Way<'_>, root: &str) -> Result<String, DeliverError> {
    let nowhere = || DeliverError::Refused("the thread cannot be answered: its first message is not there".to_owned());
    let event = OwnedEventId::try_from(root).map_err(|_| nowhere())?;
    let request = get_room_event::v3::Request::new(way.room.room_id().to_owned(), event);
    let event = match way.session.client.send(request).await.map_err(Failure::from) {
        Ok(answer) => answer.event,
        Err(failure) if failure.is_status(404) || failure.is_status(403) => return Err(nowhere()),
        Err(failure) => return Err(told(failure)),
    };
    root_of(event.json().get())
        .filter(|other| other != root)
        .ok_or_else(nowhere)
}

/// The event that an event stands behind, as the relation in its unencrypted part says.
fn root_of(event: &str) -> Option<String> {
    let relation = Fields::read(event)?.object("content").object("m.relates_to");
    let kind = relation.text("rel_type")?;
    let is_behind = matches!(kind.as_str(), "m.thread" | "m.replace");
    relation.text("event_id").filter(|id| is_behind && ids::is_event(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_is_none_leads_to_one() {
        let of = |relation: &str| root_of(&format!(r#"{{"content":{{"m.relates_to":{relation}}}}}"#));
        for kind in ["m.thread", "m.replace"] {
            let relation = format!(r#"{{"rel_type":"{kind}","event_id":"$root"}}"#);
            assert_eq!(of(&relation).as_deref(), Some("$root"));
        }
        for odd in [
            r#"{"rel_type":"m.annotation","event_id":"$root"}"#,
            r#"{"m.in_reply_to":{"event_id":"$root"}}"#,
            r#"{"rel_type":"m.thread","event_id":"root"}"#,
            r#"{"rel_type":"m.thread"}"#,
            "7",
        ] {
            assert_eq!(of(odd), None, "{odd}");
        }
        assert_eq!(root_of("{"), None);
    }
}
