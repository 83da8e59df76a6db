//! `/reload`: the configuration is read again.

use super::show::line;
use super::{Call, Done, Refusal};
use crate::reload::reload;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let notes = reload(call.shared).await.map_err(|error| {
        let error = line(&error, 500);
        Refusal::Said(format!("Nothing is changed: {error}"))
    })?;
    let mut text = "The configuration is read again, and holds from now on.".to_owned();
    if !notes.is_empty() {
        let notes: Vec<String> = notes.iter().map(|note| format!("- {}", line(note, 500))).collect();
        let more = format!(" Only a restart brings about:\n\n{}", notes.join("\n"));
        text += &more;
    }
    Ok(text.into())
}
