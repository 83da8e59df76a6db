//! `/whoami`: who the asker is to the bot.

use super::Call;

pub(super) fn run(call: &Call<'_>) -> String {
    let known = call.shared.settings.access.people.contains_key(&call.row.person);
    let from = if known {
        "given to you"
    } else {
        "given to everybody here"
    };
    format!(
        "You are `{}`, with level {} ({from}).",
        call.row.person,
        call.level.as_str()
    )
}
