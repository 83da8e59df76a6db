//! `/path`: the address of the conversation.

use super::show::code;
use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let path = code(call.path.as_str(), 512);
    Ok(format!("This conversation's path is {path}.").into())
}
