//! Events of the double in the daemon's words.

use tertulia_message::path::PathError;
use tertulia_message::{Account, Inbound, PersonId, What};

use crate::chat_double::calls::Spot;
use crate::chat_double::people::{Event, Said};
use crate::chat_double::place::Place;

/// One event; an id that makes no path is an error, and the event is left out.
pub(crate) fn inbound(account: &Account, event: &Event) -> Result<Inbound, PathError> {
    let id = event.id().to_owned();
    match event {
        Event::Said { said, .. } => {
            let text = said.text.clone();
            by_person(account, id, said, What::Message { text })
        }
        Event::Changed { message, said, .. } => {
            let (of, text) = (message.clone(), said.text.clone());
            by_person(account, id, said, What::Edit { of, text })
        }
        Event::Redacted { message, said, .. } => {
            let of = message.clone();
            by_person(account, id, said, What::Redact { of })
        }
        Event::Pressed { said, .. } => {
            let button = said.text.clone();
            by_person(account, id, said, What::Press { button })
        }
        Event::Moved { from, to, .. } => {
            let to = Place::from(&Spot::chat(to)).path(&account.interface)?;
            let platform = Said::direct(from, "platform", "");
            by_person(account, id, &platform, What::Moved { to })
        }
    }
}

fn by_person(account: &Account, id: String, said: &Said, what: What) -> Result<Inbound, PathError> {
    Ok(Inbound {
        path: Place::from(&said.spot).path(&account.interface)?,
        account: account.clone(),
        id,
        sender: PersonId::new(&account.interface, &said.person),
        sender_name: said.person.clone(),
        addressed: said.addressed,
        what,
        files: Vec::new(),
        reply_to: said.reply_to.clone(),
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    })
}
