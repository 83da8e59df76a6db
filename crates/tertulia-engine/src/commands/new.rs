//! `/new`: the model is no longer told what was said so far.

use tertulia_core::transaction::Change;

use super::halt::{Halt, halt};
use super::show::sentence;
use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let conversation = call.known().await?;
    let halted = halt(call, conversation.id, &conversation.path, Halt::All).await?;
    let anew = if call.is_elsewhere() {
        format!("{} we begin anew", sentence(&call.place()))
    } else {
        "We begin anew".to_owned()
    };
    let text = format!(
        "{} {anew}: the model is no longer told what was said so far.",
        halted.told()
    );
    Ok(halted.answer(text.trim_start(), [Change::NewEpoch(conversation.id)]))
}
