//! `/stop`: ends the answer that is being written, and drops what waits.

use super::halt::halt;
use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let conversation = call.known().await?;
    let halted = halt(call, conversation.id, &conversation.path).await?;
    let told = halted.told();
    let text = if told.is_empty() { "Nothing was running." } else { &told };
    Ok(halted.answer(text, []))
}
