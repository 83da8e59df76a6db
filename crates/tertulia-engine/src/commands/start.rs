//! `/start`: a greeting, and what can be done.

use tertulia_message::Level;

use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let place = if call.direct {
        "You speak to me alone here: write, and I answer."
    } else {
        "Where others speak as well, mention me or reply to me, and I answer."
    };
    let can = match call.standing().level {
        Level::Admin => {
            "You govern me: /allow and /deny say who may speak to me, /status shows what holds, and /help shows the rest."
        }
        Level::Trusted => "/status shows what holds here; you may change it, also where others speak. /help shows how.",
        Level::User | Level::Guest => "/new begins anew, /stop ends an answer, and /help shows what else you can do.",
    };
    Ok(format!("Hello! {place}\n\n{can}").into())
}
