//! `/path`: the address of the conversation.

use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    Ok(format!("This conversation's path is `{}`.", call.path).into())
}
