//! `/say`: the bot says something in another conversation.

use tertulia_core::reply::{self, Place};
use tertulia_core::transaction::Change;
use tertulia_message::path::InterfacePath;

use super::show::code;
use super::{Answer, Call, Done, Refusal, words};
use crate::outbox::{LENGTH, Unreachable, place, speakable};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let (path, text) = words::first(call.arguments);
    let text = speakable(text);
    let text = text.trim();
    if path.is_empty() || text.is_empty() {
        return Err(Refusal::Usage);
    }
    if text.chars().count() > LENGTH {
        return Err(Refusal::Said(format!("I can say at most {LENGTH} characters at once.")));
    }
    let place = reachable(call, &call.read_path(path)?).await?;
    let wall = call.wall();
    let slots = reply::say(call.row, &place, text, 0, wall);
    let said = Change::Said {
        conversation: place.conversation,
        text: text.to_owned(),
        now: wall,
    };
    Ok(Answer {
        changes: vec![said],
        slots,
        ..Answer::from(format!("I say it in {}.", code(place.path.as_str(), 512)))
    })
}

async fn reachable(call: &Call<'_>, path: &InterfacePath) -> Result<Place, Refusal> {
    let shown = code(path.as_str(), 512);
    let why = match place(call.shared, path).await {
        Ok(place) => return Ok(place),
        Err(Unreachable::Store(error)) => return Err(error.into()),
        Err(Unreachable::NotWrittenTo) => format!("{shown} can be answered, but not written to by myself."),
        Err(Unreachable::Unknown) => {
            format!("Nobody has ever spoken to me in {shown}, so I cannot write there.")
        }
        Err(Unreachable::Imported) => {
            format!("{shown} is known from an older bot only: somebody has to speak to me there first.")
        }
        Err(Unreachable::Blocked(why)) => format!(
            "I cannot write in {shown} until something comes from there: {}.",
            code(&why, 200)
        ),
    };
    Err(Refusal::Said(why))
}
