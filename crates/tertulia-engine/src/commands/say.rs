//! `/say`.

use super::{Call, Done};

pub(super) async fn run(call: &Call<'_>) -> Done {
    Err(call.unknown())
}
