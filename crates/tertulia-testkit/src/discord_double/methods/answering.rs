//! Answers to interactions: the first within its deadline, the others while the token is good.

use serde_json::{Value, json};

use super::content::Draft;
use super::{Answer, Done};
use crate::chat_double::RecordAct;
use crate::discord_double::interactions::Interaction;
use crate::discord_double::message::{EPHEMERAL, LOADING, Message, kind};
use crate::discord_double::refusal::Refusal;
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

/// First answers, by their numbers.
mod callback {
    pub(super) const MESSAGE: u64 = 4;
    pub(super) const DEFERRED: u64 = 5;
    pub(super) const DEFERRED_UPDATE: u64 = 6;
    pub(super) const UPDATE: u64 = 7;
}

impl World {
    pub(super) fn of_interaction(&mut self, request: &Request) -> Done {
        if request.route.name == "interaction_callback" {
            return self.first_answer(request);
        }
        let interaction = self.by_token(request)?;
        match request.route.name {
            "create_followup" => self.follow_up(request, &interaction),
            "get_original" | "get_followup" => {
                let id = self.own(request, &interaction)?;
                Ok(Answer::Json(self.shown_message(id)))
            }
            "edit_original" | "edit_followup" => self.edit_answer(request, &interaction),
            _ => {
                let id = self.own(request, &interaction)?;
                self.accept(request, Some(id), Vec::new(), false);
                self.record(id, RecordAct::Deleted);
                self.remove(id);
                Ok(Answer::Nothing)
            }
        }
    }

    fn first_answer(&mut self, request: &Request) -> Done {
        let unknown = || Refusal::of(404, 10062, "Unknown interaction");
        let (at, deadline) = (self.at, self.settings.interaction_deadline);
        let id = request.route.id.unwrap_or_default();
        let interaction = self
            .interactions
            .get(&id)
            .filter(|interaction| interaction.token == request.route.word);
        let interaction = interaction.ok_or_else(unknown)?.clone();
        if interaction.callback.is_some() {
            let words = "Interaction has already been acknowledged.";
            return Err(Refusal::of(400, 40060, words));
        }
        if at.saturating_sub(interaction.since) > deadline || interaction.is_expired {
            self.truth.counts.late_interactions += 1;
            return Err(unknown());
        }
        let kind = request.field("type").as_u64().unwrap_or_default();
        let data = request.body.get("data").cloned().unwrap_or_else(|| json!({}));
        let original = self.callback(request, &interaction, kind, &data)?;
        if let Some(interaction) = self.interactions.get_mut(&id) {
            interaction.callback = Some(kind);
            interaction.original = original;
        }
        if request.query.get("with_response").is_none_or(|with| with != "true") {
            return Ok(Answer::Nothing);
        }
        let resource = original.map(|id| json!({"type": kind, "message": self.shown_message(id)}));
        let about = json!({"id": id.to_string(), "type": 2, "response_message_id": original.map(|id| id.to_string())});
        Ok(Answer::Json(json!({"interaction": about, "resource": resource})))
    }

    /// Does what a first answer says; gives the message that is `@original` then.
    fn callback(
        &mut self,
        request: &Request,
        interaction: &Interaction,
        kind: u64,
        data: &Value,
    ) -> Result<Option<u64>, Refusal> {
        let ephemeral = data["flags"].as_u64().unwrap_or_default() & EPHEMERAL;
        match kind {
            callback::MESSAGE => {
                let draft = self.draft(request, data, None)?;
                let pings = self.pings(request, &draft, None);
                let id = self.put_answer(interaction, draft, ephemeral);
                self.accept(request, Some(id), pings, false);
                Ok(Some(id))
            }
            callback::DEFERRED => {
                let id = self.put_answer(interaction, Draft::default(), ephemeral | LOADING);
                self.accept(request, Some(id), Vec::new(), false);
                Ok(Some(id))
            }
            callback::DEFERRED_UPDATE | callback::UPDATE if interaction.pressed.is_some() => {
                self.accept(request, interaction.pressed, Vec::new(), false);
                if kind == callback::UPDATE {
                    self.update_pressed(request, interaction, data)?;
                }
                Ok(interaction.pressed)
            }
            _ => Err(Refusal::form(
                "type",
                "BASE_TYPE_CHOICES",
                "Value must be one of (4, 5, 6, 7).",
            )),
        }
    }

    fn update_pressed(&mut self, request: &Request, interaction: &Interaction, data: &Value) -> Result<(), Refusal> {
        let pressed = interaction.pressed.and_then(|id| self.messages.get(&id)).cloned();
        let pressed = pressed.ok_or_else(Refusal::unknown_message)?;
        let draft = self.draft(request, data, Some(&pressed))?;
        self.pings(request, &draft, None);
        self.put_draft(pressed.id, draft);
        Ok(())
    }

    /// Puts an answer into the channel of the interaction.
    fn put_answer(&mut self, interaction: &Interaction, draft: Draft, flags: u64) -> u64 {
        let id = self.new_id();
        let channel = interaction.channel;
        let files = self.keep_files(channel, draft.files);
        let about = json!({
            "id": interaction.id.to_string(), "type": if interaction.pressed.is_some() { 3 } else { 2 },
            "user": self.user_json(interaction.person), "authorizing_integration_owners": {},
        });
        let message = Message {
            id,
            channel,
            author: self.bot(),
            kind: if interaction.pressed.is_some() {
                kind::REGULAR
            } else {
                kind::COMMAND
            },
            content: draft.content,
            answers: Some(interaction.id),
            embeds: draft.embeds,
            components: draft.components,
            files,
            flags,
            extra: [
                ("webhook_id".to_owned(), json!(self.bot().to_string())),
                ("application_id".to_owned(), json!(self.bot().to_string())),
                ("interaction_metadata".to_owned(), about),
            ]
            .into_iter()
            .collect(),
            ..Message::default()
        };
        self.insert_message(message);
        if flags & LOADING == 0 {
            self.record(id, RecordAct::Posted);
        }
        self.tell_message("MESSAGE_CREATE", id);
        id
    }

    /// The interaction whose token stands in the address.
    fn by_token(&mut self, request: &Request) -> Result<Interaction, Refusal> {
        let (at, life, bot) = (self.at, self.settings.interaction_life, self.bot());
        let is_it = |interaction: &&mut Interaction| interaction.token == request.route.word;
        let interaction = self
            .interactions
            .values_mut()
            .find(is_it)
            .filter(|_| request.route.id == Some(bot));
        let Some(interaction) = interaction else {
            return Err(Refusal::of(404, 10015, "Unknown Webhook"));
        };
        if interaction.is_expired || at.saturating_sub(interaction.since) >= life {
            return Err(Refusal::of(401, 50027, "Invalid Webhook Token"));
        }
        if interaction.callback.is_some() {
            return Ok(interaction.clone());
        }
        if std::mem::replace(&mut interaction.is_dead, true) {
            self.violate("used a webhook again that does not exist");
        }
        Err(Refusal::of(404, 10015, "Unknown Webhook"))
    }

    /// The message of the interaction that the call is about.
    fn own(&self, request: &Request, interaction: &Interaction) -> Result<u64, Refusal> {
        let id = request.route.message.or(interaction.original).unwrap_or_default();
        let message = self.messages.get(&id).ok_or_else(Refusal::unknown_message)?;
        let is_own = message.answers == Some(interaction.id) || interaction.pressed == Some(id);
        is_own.then_some(id).ok_or_else(Refusal::unknown_message)
    }

    fn follow_up(&mut self, request: &Request, interaction: &Interaction) -> Done {
        let draft = self.draft(request, &request.body, None)?;
        let pings = self.pings(request, &draft, None);
        let ephemeral = request.field("flags").as_u64().unwrap_or_default() & EPHEMERAL;
        let id = self.put_answer(interaction, draft, ephemeral);
        self.accept(request, Some(id), pings, false);
        Ok(Answer::Json(self.shown_message(id)))
    }

    fn edit_answer(&mut self, request: &Request, interaction: &Interaction) -> Done {
        let id = self.own(request, interaction)?;
        let before = self.messages.get(&id).cloned().ok_or_else(Refusal::unknown_message)?;
        let draft = self.draft(request, &request.body, Some(&before))?;
        let pings = self.pings(request, &draft, None);
        self.put_draft(id, draft);
        self.accept(request, Some(id), pings, false);
        Ok(Answer::Json(self.shown_message(id)))
    }
}
