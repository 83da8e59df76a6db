//! What a message may hold.

use serde_json::Value;

use crate::discord_double::mentions::Allowed;
use crate::discord_double::message::Message;
use crate::discord_double::refusal::Refusal;
use crate::discord_double::request::Request;
use crate::discord_double::world::World;
use crate::multipart::Upload;

/// In characters.
const LONGEST: usize = 2000;
const MOST_EMBEDS: usize = 10;
const MOST_FILES: usize = 10;
const MOST_ROWS: usize = 5;
/// Of all embeds of a message together, in characters.
const LONGEST_EMBEDS: usize = 6000;

/// The content of a message that is to be sent or changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) content: String,
    pub(super) embeds: Vec<Value>,
    pub(super) components: Vec<Value>,
    pub(super) files: Vec<Upload>,
    pub(super) kept_files: Vec<u64>,
    pub(super) allowed: Allowed,
}

impl World {
    /// Reads a body; what an edit does not say stays as it is.
    pub(super) fn draft(&self, request: &Request, body: &Value, before: Option<&Message>) -> Result<Draft, Refusal> {
        let list = |name: &str, before: Option<&Vec<Value>>| match body.get(name) {
            None => before.cloned().unwrap_or_default(),
            Some(value) => value.as_array().cloned().unwrap_or_default(),
        };
        let draft = Draft {
            content: content(body, before)?,
            embeds: list("embeds", before.map(|before| &before.embeds)),
            components: list("components", before.map(|before| &before.components)),
            files: request.files.clone(),
            kept_files: kept(body, before),
            allowed: Allowed::read(body, request.route.is_interaction())?,
        };
        self.check(&draft)?;
        Ok(draft)
    }

    fn check(&self, draft: &Draft) -> Result<(), Refusal> {
        if draft.content.chars().count() > LONGEST {
            return Err(Refusal::too_long("content", LONGEST));
        }
        check_embeds(&draft.embeds)?;
        check_components(&draft.components)?;
        if draft.files.len() + draft.kept_files.len() > MOST_FILES {
            return Err(Refusal::too_long("attachments", MOST_FILES));
        }
        if draft
            .files
            .iter()
            .any(|file| file.bytes.len() > self.settings.largest_file)
        {
            return Err(Refusal::of(413, 40005, "Request entity too large"));
        }
        if let Some(word) = self
            .blocked_words
            .iter()
            .find(|word| draft.content.contains(word.as_str()))
        {
            let words = format!("Message was blocked by automatic moderation: {word}");
            return Err(Refusal::of(400, 200_000, words));
        }
        let has_files = !draft.files.is_empty() || !draft.kept_files.is_empty();
        if draft.content.is_empty() && draft.embeds.is_empty() && draft.components.is_empty() && !has_files {
            return Err(Refusal::of(400, 50006, "Cannot send an empty message"));
        }
        Ok(())
    }

    /// Notes pings that nobody allowed; gives all pings.
    pub(super) fn pings(&mut self, request: &Request, draft: &Draft, replied: Option<u64>) -> Vec<String> {
        let mut pings = draft.allowed.pings(&draft.content);
        pings.extend(
            replied
                .filter(|_| draft.allowed.replied_user)
                .map(|id| format!("<@{id}>")),
        );
        if !pings.is_empty() && !self.settings.pings_are_meant {
            self.violate(format!("{} pings {}", request.route.name, pings.join(" ")));
        }
        pings
    }
}

fn content(body: &Value, before: Option<&Message>) -> Result<String, Refusal> {
    match body.get("content") {
        None => Ok(before.map(|before| before.content.clone()).unwrap_or_default()),
        Some(Value::Null) => Ok(String::new()),
        // white space around the whole is cut off
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(_) => Err(Refusal::form(
            "content",
            "STRING_TYPE_CONVERT",
            "Could not interpret as string.",
        )),
    }
}

/// The files of the message before that an edit keeps.
fn kept(body: &Value, before: Option<&Message>) -> Vec<u64> {
    let files = before.map(|before| before.files.clone()).unwrap_or_default();
    let Some(named) = body.get("attachments").and_then(Value::as_array) else {
        return files;
    };
    let is_named = |id: &u64| {
        named.iter().any(|file| {
            file["id"]
                .as_str()
                .and_then(|named| named.parse().ok())
                .or(file["id"].as_u64())
                == Some(*id)
        })
    };
    files.into_iter().filter(is_named).collect()
}

fn check_embeds(embeds: &[Value]) -> Result<(), Refusal> {
    if embeds.len() > MOST_EMBEDS {
        return Err(Refusal::too_long("embeds", MOST_EMBEDS));
    }
    let mut sum = 0;
    for embed in embeds {
        let length = |value: &Value| value.as_str().map_or(0, |text| text.trim().chars().count());
        let mut parts = vec![
            ("title", length(&embed["title"]), 256),
            ("description", length(&embed["description"]), 4096),
            (
                "footer.text",
                length(embed.pointer("/footer/text").unwrap_or(&Value::Null)),
                2048,
            ),
            (
                "author.name",
                length(embed.pointer("/author/name").unwrap_or(&Value::Null)),
                256,
            ),
        ];
        let fields = embed["fields"].as_array().cloned().unwrap_or_default();
        if fields.len() > 25 {
            return Err(Refusal::too_long("embeds.0.fields", 25));
        }
        for field in &fields {
            parts.push(("fields.0.name", length(&field["name"]), 256));
            parts.push(("fields.0.value", length(&field["value"]), 1024));
        }
        if let Some((name, _, most)) = parts.iter().find(|(_, length, most)| length > most) {
            return Err(Refusal::too_long(&format!("embeds.0.{name}"), *most));
        }
        sum += parts.iter().map(|(_, length, _)| length).sum::<usize>();
    }
    if sum > LONGEST_EMBEDS {
        let words = "Embed size exceeds maximum size of 6000";
        return Err(Refusal::form("embeds", "MAX_EMBED_SIZE_EXCEEDED", words));
    }
    Ok(())
}

fn check_components(rows: &[Value]) -> Result<(), Refusal> {
    if rows.len() > MOST_ROWS {
        return Err(Refusal::too_long("components", MOST_ROWS));
    }
    let mut ids = Vec::new();
    for row in rows {
        let buttons = row["components"].as_array().cloned().unwrap_or_default();
        if row["type"] != 1 || buttons.is_empty() || buttons.len() > MOST_ROWS {
            return Err(Refusal::form(
                "components.0.components",
                "BASE_TYPE_BAD_LENGTH",
                "Must be between 1 and 5 in length.",
            ));
        }
        for button in &buttons {
            check_button(button)?;
            ids.push(button["custom_id"].clone());
        }
    }
    ids.retain(|id| !id.is_null());
    let many = ids.len();
    ids.sort_by_key(ToString::to_string);
    ids.dedup();
    if ids.len() < many {
        let words = "Component custom id cannot be duplicated";
        return Err(Refusal::form(
            "components.0.components.0",
            "COMPONENT_CUSTOM_ID_DUPLICATED",
            words,
        ));
    }
    Ok(())
}

fn check_button(button: &Value) -> Result<(), Refusal> {
    let length = |name: &str| {
        button
            .get(name)
            .and_then(Value::as_str)
            .map_or(0, |text| text.chars().count())
    };
    let field = "components.0.components.0";
    if length("custom_id") > 100 {
        return Err(Refusal::too_long(&format!("{field}.custom_id"), 100));
    }
    if length("label") > 80 {
        return Err(Refusal::too_long(&format!("{field}.label"), 80));
    }
    let is_link = button["style"] == 5;
    if button["type"] == 2 && length(if is_link { "url" } else { "custom_id" }) == 0 {
        return Err(Refusal::form(
            field,
            "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED",
            "A custom id is required",
        ));
    }
    Ok(())
}
