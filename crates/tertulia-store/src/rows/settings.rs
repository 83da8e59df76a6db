//! The column `settings` of a turn.

use serde::{Deserialize, Serialize};
use tertulia_core::record::TurnSettings;

use super::json;
use crate::fault::Fault;

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct SettingsRow {
    provider: String,
    model: String,
    system: String,
    tools: Option<Vec<String>>,
}

pub(crate) fn write(settings: TurnSettings) -> Result<String, Fault> {
    json(&SettingsRow {
        provider: settings.provider,
        model: settings.model,
        system: settings.system,
        tools: settings.tools,
    })
}

pub(crate) fn read(text: &str) -> Result<TurnSettings, Fault> {
    let row: SettingsRow = serde_json::from_str(text)?;
    Ok(TurnSettings {
        provider: row.provider,
        model: row.model,
        system: row.system,
        tools: row.tools,
    })
}
