//! `/whoami`: who the asker is to the bot.

use tertulia_core::access::Because;

use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let standing = call.standing();
    let from = match standing.because {
        Because::Configured | Because::Given(_) => "given to you",
        _ => "given to everybody here",
    };
    let level = standing.level.as_str();
    Ok(format!("You are `{}`, with level {level} ({from}).", call.row.person).into())
}
