//! `/deny`: somebody, or a chat, is shut out.

use super::permit::{self, Verb};
use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    permit::run(call, Verb::Deny).await
}
