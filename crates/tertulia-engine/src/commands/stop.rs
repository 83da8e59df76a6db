//! `/stop`: ends the answer that is being written, and drops what waits. Its button ends the one answer below which it stands.

use tertulia_core::record::InboxId;

use super::halt::{Halt, halt};
use super::{Call, Done, Refusal, press};

/// What a button says that came too late.
const DONE_ALREADY: &str = "It is done already.";

pub(super) async fn run(call: &Call<'_>) -> Done {
    if let Some(turn) = press::button(call.row) {
        return pressed(call, turn).await;
    }
    let conversation = call.known().await?;
    let halted = halt(call, conversation.id, &conversation.path, Halt::All).await?;
    let told = halted.told();
    let text = if told.is_empty() { "Nothing was running." } else { &told };
    Ok(halted.answer(text, []))
}

/// That it worked is to be seen at the answer itself.
async fn pressed(call: &Call<'_>, turn: InboxId) -> Done {
    let row = call.row;
    if !press::is_bound(call, turn).await? {
        return Err(Refusal::Said(DONE_ALREADY.to_owned()));
    }
    let halted = halt(call, row.conversation, &row.path, Halt::Turn(turn)).await?;
    let told = halted.told();
    if told.is_empty() {
        return Err(Refusal::Said(DONE_ALREADY.to_owned()));
    }
    let text = if halted.at_work { told } else { String::new() };
    Ok(halted.answer(text, []))
}
