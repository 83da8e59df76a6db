//! The menus of commands.

use serde_json::{Value, json};

use super::Call;
use crate::telegram_double::menus::{Scope, check};
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::world::World;

impl World {
    pub(super) fn menu(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let scope = Scope::read(call.params.value("scope")?)?;
        if let Some(chat) = scope.chat {
            self.known(chat)?.access()?;
        }
        let language = call.params.text("language_code").unwrap_or_default();
        if !matches!(language.len(), 0 | 2) {
            return Err(Refusal::bad("invalid language code specified"));
        }
        match call.method {
            "getMyCommands" => return Ok(json!(self.menus.get(scope, language))),
            "deleteMyCommands" => self.menus.delete(scope, language),
            _ => {
                let commands = call.params.list("commands")?;
                let commands = commands.ok_or_else(|| Refusal::bad("expected an Array of BotCommand"))?;
                check(&commands)?;
                self.menus.set(scope, language, commands);
            }
        }
        Ok(json!(true))
    }
}
