//! Posts, edits and deletes, and what their failures mean.

use std::time::Duration;

use tertulia_message::{Act, DeliverError, Found, Outbound, Post, Receipt};

use crate::error::CallError;
use crate::loopback::Loopback;
use crate::place::Place;
use crate::render::{Rendered, render};
use crate::wire;

/// A sign is worth no more waiting than this.
const SIGN_DEADLINE: Duration = Duration::from_millis(500);

pub(crate) async fn deliver(loopback: &Loopback, outbound: &Outbound) -> Result<Receipt, DeliverError> {
    let place = loopback
        .place(&outbound.path)
        .ok_or_else(|| DeliverError::Malformed("not a place of this interface".to_owned()))?;
    let done = match &outbound.act {
        Act::Post(post) => post_message(loopback, &place, outbound, post).await,
        Act::Edit { id, post } => edit_message(loopback, &place, outbound, id, post).await,
        Act::Delete { id } => {
            let act = wire::Act {
                message: Some(id),
                ..address(&place)
            };
            ignore(loopback.client.act("delete", &act).await).map(|()| id.clone())
        }
    };
    done.map(|id| Receipt { id })
        .map_err(|error| deliver_error(loopback, &place, error))
}

/// Looks for a post. Only the platform's own word counts: any failure leaves the outcome unknown.
pub(crate) async fn find(loopback: &Loopback, outbound: &Outbound, post: &Post) -> Found {
    let Some(place) = loopback.place(&outbound.path) else {
        return Found::CannotTell;
    };
    if !matches!(loopback.me().await, Ok(me) if me.findable) {
        return Found::CannotTell;
    }
    let rendered = render(&post.markup);
    let act = new_post(&place, outbound, &rendered);
    match loopback.client.act("find", &act).await {
        Ok(wire::FoundPost { found: Some(id) }) => Found::Found(id),
        Ok(wire::FoundPost { found: None }) => Found::Absent,
        Err(_) => Found::CannotTell,
    }
}

/// Shows that the bot is at work; what cannot be shown is dropped.
pub(crate) async fn typing(loopback: &Loopback, place: &Place) {
    let act = address(place);
    let shown = loopback.client.act::<wire::Done>("typing", &act);
    drop(tokio::time::timeout(SIGN_DEADLINE, shown).await);
}

/// Tells a person that they may not, once; whether it arrives is of no consequence.
pub(crate) async fn show_denial(loopback: &Loopback, place: &Place, to: &str, text: &str) {
    let act = wire::Act {
        text: Some(text),
        key: Some(&format!("denied.{to}")),
        in_reply_to: Some(to),
        ..address(place)
    };
    if let Err(error) = loopback.client.act::<wire::Posted>("post", &act).await {
        tracing::debug!(%error, "a denial was not shown");
    }
}

async fn post_message(
    loopback: &Loopback,
    place: &Place,
    outbound: &Outbound,
    post: &Post,
) -> Result<String, CallError> {
    let rendered = render(&post.markup);
    let act = new_post(place, outbound, &rendered);
    let posted: wire::Posted = loopback.client.act("post", &act).await?;
    Ok(posted.id)
}

async fn edit_message(
    loopback: &Loopback,
    place: &Place,
    outbound: &Outbound,
    id: &str,
    post: &Post,
) -> Result<String, CallError> {
    let rendered = render(&post.markup);
    let act = wire::Act {
        message: Some(id),
        text: Some(&rendered.text),
        formatted: rendered.formatted,
        key: Some(&outbound.key),
        ..address(place)
    };
    ignore(loopback.client.act("edit", &act).await).map(|()| id.to_owned())
}

fn ignore(done: Result<wire::Done, CallError>) -> Result<(), CallError> {
    done.map(|_| ())
}

fn address(place: &Place) -> wire::Act<'_> {
    wire::Act {
        chat: place.chat(),
        thread: place.thread(),
        ..wire::Act::default()
    }
}

fn new_post<'a>(place: &'a Place, outbound: &'a Outbound, rendered: &'a Rendered) -> wire::Act<'a> {
    wire::Act {
        text: Some(&rendered.text),
        formatted: rendered.formatted,
        key: Some(&outbound.key),
        in_reply_to: outbound.re.as_ref().map(|re| re.id.as_str()),
        ..address(place)
    }
}

fn deliver_error(loopback: &Loopback, place: &Place, error: CallError) -> DeliverError {
    match error {
        CallError::NotSent(why) => DeliverError::Lost(why),
        CallError::Unknown(why) => DeliverError::Unsure(why),
        CallError::RateLimited { after, scope } => DeliverError::RateLimited { after, scope },
        CallError::Unauthorized => DeliverError::Refused("unauthorized".to_owned()),
        CallError::Named { name, to } => named(loopback, place, name, to),
    }
}

/// A refusal by name; an unknown one is about the content, which is not sent again in that form.
fn named(loopback: &Loopback, place: &Place, name: String, to: Option<String>) -> DeliverError {
    match (name.as_str(), to) {
        ("too_long", _) => DeliverError::TooLong,
        ("gone", _) => DeliverError::Gone(name),
        ("refused", _) => DeliverError::Refused(name),
        ("moved", Some(to)) => {
            let path = Place::of(&to, place.thread()).path(&loopback.name);
            path.map_or_else(|error| DeliverError::Gone(error.to_string()), DeliverError::Moved)
        }
        _ => DeliverError::Malformed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn names_mean_what_they_say() {
        let loopback = Loopback::new("loopback", &Config::at("http://127.0.0.1:9")).unwrap();
        let place = Place::of("a", Some("t"));
        let of = |name: &str, to: Option<&str>| named(&loopback, &place, name.into(), to.map(Into::into));
        assert_eq!(of("too_long", None), DeliverError::TooLong);
        assert!(matches!(of("gone", None), DeliverError::Gone(_)));
        assert!(matches!(of("refused", None), DeliverError::Refused(_)));
        assert!(matches!(of("no_message", None), DeliverError::Malformed(_)));
        assert_eq!(
            of("moved", Some("b")),
            DeliverError::Moved("loopback/b/t".parse().unwrap())
        );
        assert!(matches!(of("moved", Some(" ")), DeliverError::Gone(_)));
    }
}
