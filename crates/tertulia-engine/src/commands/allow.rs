//! `/allow`: somebody, or everybody in a chat, may speak to the bot.

use super::permit::{self, Verb};
use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    permit::run(call, Verb::Allow).await
}
