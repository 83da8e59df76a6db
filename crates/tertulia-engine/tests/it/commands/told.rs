//! Giving commands and reading their answers.

use tertulia_core::access::AccessRules;
use tertulia_message::{Addressed, Level, PersonId, SlotKind};
use tertulia_ports::{ConversationFacts, ConversationQuery, Desk as _};
use tertulia_testkit::chat_double::{Kind, Said, Spot};
use tertulia_testkit::fake_store::RowState;

use crate::rig::Rig;

/// Ann is admin, Ted trusted, Bob a user; nobody else is known. Not yet started.
pub(crate) fn governed() -> Rig {
    governing(Rig::new(Kind::Findable))
}

/// As [`governed`], on this platform.
pub(crate) fn governing(mut rig: Rig) -> Rig {
    let person = |name: &str| PersonId::new("loopback", name);
    rig.settings.access = AccessRules {
        people: [
            (person("ann"), Level::Admin),
            (person("ted"), Level::Trusted),
            (person("bob"), Level::User),
        ]
        .into(),
        interfaces: [("door".to_owned(), Level::User)].into(),
        ..AccessRules::default()
    };
    rig
}

/// Ann gives a command in her own chat.
pub(crate) async fn ann(rig: &Rig, text: &str) -> String {
    told(rig, Said::direct("ann", "ann", text)).await
}

/// Somebody gives a command in the group `room`.
pub(crate) async fn in_room(rig: &Rig, who: &str, text: &str) -> String {
    told(rig, Said::at(Spot::chat("room"), who, text, Addressed::Command)).await
}

/// Says something and gives the command's answer, all its messages as one.
pub(crate) async fn told(rig: &Rig, said: Said) -> String {
    let spot = said.spot.clone();
    let (shown, rows) = (rig.shown_at(&spot).len(), rig.store.row_states().len());
    rig.say_at(said);
    rig.until("the command is answered", |rig| {
        let states = rig.store.row_states();
        let is_done = states.get(rows).is_some_and(|(_, state)| *state == RowState::Done);
        let slots = rig.store.slots();
        let mut replies = slots.iter().filter(|slot| slot.id.kind == SlotKind::Command);
        is_done && rig.shown_at(&spot).len() > shown && replies.all(|slot| !slot.is_due())
    })
    .await;
    rig.shown_at(&spot)[shown..].join("\n")
}

/// One conversation as the store knows it.
pub(crate) async fn facts(rig: &Rig, path: &str) -> ConversationFacts {
    let query = ConversationQuery::At(path.parse().unwrap());
    rig.store.conversations(&query).await.unwrap().pop().unwrap()
}
