//! Changing and deleting messages.

use super::content::Draft;
use super::{Answer, Done};
use crate::chat_double::RecordAct;
use crate::discord_double::message::LOADING;
use crate::discord_double::place::Permission;
use crate::discord_double::refusal::{Refusal, Scope};
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

/// What the bot is told to wait when it has edited an old message too often, in seconds.
const LATE_EDIT_WAIT: f64 = 60.0;

impl World {
    pub(super) fn edit_message(&mut self, request: &Request) -> Done {
        let message = self.seen_message(request)?.clone();
        if message.author != self.bot() {
            return Err(Refusal::of(
                403,
                50005,
                "Cannot edit a message authored by another user",
            ));
        }
        let thread = self.channel(message.channel)?.thread.as_ref();
        if thread.is_some_and(|thread| thread.is_archived) {
            return Err(Refusal::of(
                400,
                50083,
                "Tried to perform an operation on an archived thread",
            ));
        }
        self.edit_old(message.id)?;
        let draft = self.draft(request, &request.body, Some(&message))?;
        let pings = self.pings(request, &draft, None);
        self.put_draft(message.id, draft);
        self.accept(request, Some(message.id), pings, false);
        Ok(Answer::Json(self.shown_message(message.id)))
    }

    /// Counts an edit of an old message.
    fn edit_old(&mut self, id: u64) -> Result<(), Refusal> {
        if self.age(id) < self.settings.old_after {
            return Ok(());
        }
        let most = self.settings.old_edits;
        let Some(message) = self.messages.get_mut(&id) else {
            return Ok(());
        };
        if message.late_edits >= most {
            let words = "Maximum number of edits to messages older than 1 hour reached. Try again later";
            return Err(Refusal {
                wait: Some((LATE_EDIT_WAIT, Scope::Shared)),
                ..Refusal::of(429, 30046, words)
            });
        }
        message.late_edits += 1;
        Ok(())
    }

    /// Gives a message of the bot a new content, and tells of it; an answer that was still to come is there now.
    pub(super) fn put_draft(&mut self, id: u64, draft: Draft) {
        let at = self.at;
        let Some(channel) = self.messages.get(&id).map(|message| message.channel) else {
            return;
        };
        let files = [draft.kept_files, self.keep_files(channel, draft.files)].concat();
        let Some(message) = self.messages.get_mut(&id) else {
            return;
        };
        let was_loading = message.flags & LOADING != 0;
        message.flags &= !LOADING;
        message.content = draft.content;
        message.embeds = draft.embeds;
        message.components = draft.components;
        message.files = files;
        message.edited = Some(at);
        self.record(
            id,
            if was_loading {
                RecordAct::Posted
            } else {
                RecordAct::Edited
            },
        );
        self.tell_message("MESSAGE_UPDATE", id);
    }

    pub(super) fn delete_message(&mut self, request: &Request) -> Done {
        let message = self.seen_message(request)?;
        let (id, author) = (message.id, message.author);
        let channel = self.channel(message.channel)?;
        let may = channel.guild.is_some() && self.may(channel, Permission::MANAGE_MESSAGES);
        if author != self.bot() && !may {
            return Err(Refusal::missing_permissions());
        }
        self.accept(request, Some(id), Vec::new(), false);
        self.record(
            id,
            if author == self.bot() {
                RecordAct::Deleted
            } else {
                RecordAct::Redacted
            },
        );
        self.remove(id);
        Ok(Answer::Nothing)
    }
}
