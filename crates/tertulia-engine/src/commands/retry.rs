//! `/retry`: the last message is answered again. So does its button, if its turn is still the last.

use tertulia_core::again;
use tertulia_core::record::InboxId;
use tertulia_ports::{TurnQuery, TurnRows};

use super::halt::{Halt, stop_turn};
use super::{Answer, Call, Done, Refusal, Then, press};
use crate::backing::patiently;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let row = call.row;
    if let Some(turn) = press::button(row) {
        return pressed(call, turn).await;
    }
    if call.shared.is_door(&row.path) && call.shared.is_stray(row) {
        // nobody would read it, and the answer that was read would be gone
        return Err(Refusal::Said("Whoever asked has gone.".to_owned()));
    }
    if stop_turn(call, row.conversation, &row.path, Halt::All).await?.is_none() {
        let text = "A tool that changes something is still at work. Send /retry when it is done.";
        return Err(Refusal::Said(text.to_owned()));
    }
    let last = last(call).await?.as_ref().and_then(again);
    last.ok_or_else(|| Refusal::Said("There is nothing here to answer again.".to_owned()))
}

/// Nothing is stopped for it: whatever runs or waits is newer than what the button is about.
async fn pressed(call: &Call<'_>, turn: InboxId) -> Done {
    let too_late = || Refusal::Said("Only the last answer can be tried again.".to_owned());
    let is_bound = press::is_bound(call, turn).await?;
    let conversation = call.known().await?;
    if !is_bound || conversation.running || conversation.waiting > 0 {
        return Err(too_late());
    }
    let last = last(call).await?.filter(|last| last.trigger == turn);
    last.as_ref().and_then(again).ok_or_else(too_late)
}

async fn last(call: &Call<'_>) -> Result<Option<TurnRows>, Refusal> {
    let query = TurnQuery::Last(call.row.conversation, call.row.id);
    Ok(patiently(|| call.shared.store.turn(&query)).await?)
}

fn again(last: &TurnRows) -> Option<Answer> {
    let body = again::merged(&last.rows)?;
    Some(Answer {
        then: Then::AnswerAgain {
            body: Box::new(body),
            supersedes: last.trigger,
        },
        ..Answer::default()
    })
}
