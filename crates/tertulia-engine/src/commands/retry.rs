//! `/retry`: the last message is answered again.

use tertulia_core::again;

use super::halt::stop_turn;
use super::{Answer, Call, Done, Refusal, Then};
use crate::backing::patiently;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let row = call.row;
    if call.shared.is_door(&row.path) && call.shared.is_stray(row) {
        // nobody would read it, and the answer that was read would be gone
        return Err(Refusal::Said("Whoever asked has gone.".to_owned()));
    }
    if stop_turn(call, row.conversation, &row.path).await?.is_none() {
        let text = "A tool that changes something is still at work. Send /retry when it is done.";
        return Err(Refusal::Said(text.to_owned()));
    }
    let last = patiently(|| call.shared.store.last_turn(row.conversation, row.id)).await?;
    let body = last
        .as_ref()
        .and_then(|last| Some((last.trigger, again::merged(&last.rows)?)));
    let Some((supersedes, body)) = body else {
        return Err(Refusal::Said("There is nothing here to answer again.".to_owned()));
    };
    Ok(Answer {
        then: Then::AnswerAgain {
            body: Box::new(body),
            supersedes,
        },
        ..Answer::default()
    })
}
