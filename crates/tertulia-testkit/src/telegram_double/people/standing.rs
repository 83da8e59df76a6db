//! The bot is let in, silenced and thrown out.

use std::time::Duration;

use serde_json::{Value, json};

use crate::telegram_double::chat::{Standing, date};
use crate::telegram_double::world::World;

impl World {
    pub(super) fn tell_standing(&mut self, at: Duration, chat: i64, person: i64, standing: Standing) {
        self.open_private(chat);
        let Some(old) = self.chats.get(&chat).map(|chat| chat.standing) else {
            return;
        };
        self.set_standing(chat, standing);
        let Some(chat) = self.chats.get(&chat) else { return };
        let is_private = chat.is_private();
        let body = json!({
            "chat": chat.json(),
            "from": self.person(person),
            "date": date(at),
            "old_chat_member": self.member(old, is_private),
            "new_chat_member": self.member(standing, is_private),
        });
        if standing != Standing::Deactivated {
            self.queue.push("my_chat_member", body);
        }
    }

    fn member(&self, standing: Standing, is_private: bool) -> Value {
        let (status, further) = match standing {
            Standing::Member => ("member", json!({})),
            Standing::Admin => ("administrator", rights()),
            Standing::Muted => ("restricted", restrictions()),
            Standing::Blocked | Standing::Kicked | Standing::Deactivated => ("kicked", json!({"until_date": 0})),
            Standing::Outside if is_private => ("kicked", json!({"until_date": 0})),
            Standing::Outside => ("left", json!({})),
        };
        let mut member = json!({"user": self.bot(), "status": status});
        if let (Some(member), Value::Object(further)) = (member.as_object_mut(), further) {
            member.extend(further);
        }
        member
    }
}

fn all(names: &[&str], value: bool) -> Value {
    names.iter().map(|name| ((*name).to_owned(), json!(value))).collect()
}

fn rights() -> Value {
    all(
        &[
            "can_be_edited",
            "is_anonymous",
            "can_manage_chat",
            "can_delete_messages",
            "can_manage_video_chats",
            "can_restrict_members",
            "can_promote_members",
            "can_change_info",
            "can_invite_users",
            "can_post_stories",
            "can_edit_stories",
            "can_delete_stories",
        ],
        false,
    )
}

fn restrictions() -> Value {
    let mut restrictions = all(
        &[
            "can_send_messages",
            "can_send_audios",
            "can_send_documents",
            "can_send_photos",
            "can_send_videos",
            "can_send_video_notes",
            "can_send_voice_notes",
            "can_send_polls",
            "can_send_other_messages",
            "can_add_web_page_previews",
            "can_change_info",
            "can_invite_users",
            "can_pin_messages",
            "can_manage_topics",
        ],
        false,
    );
    if let Some(restrictions) = restrictions.as_object_mut() {
        restrictions.insert("is_member".to_owned(), json!(true));
        restrictions.insert("until_date".to_owned(), json!(0));
    }
    restrictions
}
