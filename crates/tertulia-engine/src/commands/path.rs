//! `/path`: the address of the conversation.

use super::Call;

pub(super) fn run(call: &Call<'_>) -> String {
    format!("This conversation's path is `{}`.", call.row.path)
}
