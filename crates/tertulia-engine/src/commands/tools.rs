//! `/tools`: which tools the model may use.

use tertulia_core::preferences::Key;

use super::{Call, Done, setting};

pub(super) async fn run(call: &Call<'_>) -> Done {
    setting::run(call, Key::Tools).await
}
