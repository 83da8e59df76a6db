//! Messages of our own accord: where `/say` and tools may have something said, and what.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tertulia_core::commands::find;
use tertulia_core::record::ConversationId;
use tertulia_core::reply::{Place, Saying};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Level, PersonId, Reach};
use tertulia_ports::{ConversationQuery, Outbox, StoreError, ToolError};

use crate::backing::patiently;
use crate::commands::is_bidi;
use crate::hub::Shared;

/// The longest text, in characters.
pub(crate) const LENGTH: usize = 10_000;

/// Why nothing can be said at a place.
#[derive(Debug)]
pub(crate) enum Unreachable {
    /// What is said there reaches only those who wait for an answer, or there is no such interface.
    NotWrittenTo,
    /// Nothing was ever accepted there.
    Unknown,
    /// It is known from an older bot only.
    Imported,
    /// The platform refused the last message; why.
    Blocked(String),
    /// The store could not be read.
    Store(StoreError),
}

/// The place that a path names, if something can be said there.
pub(crate) async fn place(shared: &Shared, path: &InterfacePath) -> Result<Place, Unreachable> {
    let limits = shared
        .interface(path.interface())
        .map(|interface| interface.limits(path))
        .filter(|limits| limits.reach == Reach::Always)
        .ok_or(Unreachable::NotWrittenTo)?;
    let query = ConversationQuery::At(path.clone());
    let found = patiently(|| shared.store.conversations(&query)).await;
    let known = found.map_err(Unreachable::Store)?.into_iter().next();
    let known = known.ok_or(Unreachable::Unknown)?;
    if known.account.identity.is_empty() {
        return Err(Unreachable::Imported);
    }
    match known.blocked {
        Some(why) => Err(Unreachable::Blocked(why)),
        None => Ok(Place {
            account: known.account,
            conversation: known.id,
            path: known.path,
            limits,
        }),
    }
}

/// The text without what no platform shows: it could hide what stands beside it.
pub(crate) fn speakable(text: &str) -> String {
    let is_plain = |letter: &char| matches!(letter, '\n' | '\t') || !(letter.is_control() || is_bidi(*letter));
    text.chars().filter(is_plain).collect()
}

/// The conversation that a call belongs to, and whose turn it is.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) account: Account,
    pub(crate) conversation: ConversationId,
    pub(crate) path: InterfacePath,
    pub(crate) person: PersonId,
}

impl Origin {
    /// True if who asks may have something said on an interface: where the conversation is, or anywhere.
    pub(crate) fn may_speak_on(&self, shared: &Shared, interface: &str) -> bool {
        shared.interface(interface).is_some() && (self.path.interface() == interface || self.governs(shared))
    }

    /// True if who asks may speak in other conversations, as by `/say`. Content would else go to wider places than it came from:
    /// what a thread says is not even for the chat that it is part of.
    fn governs(&self, shared: &Shared) -> bool {
        let wall = shared.clock.now().wall;
        let level = shared.governed.standing(&self.person, &self.path, wall).level;
        level >= find("say").map_or(Level::Admin, |say| say.level)
    }
}

/// What one call has said, until its result is there.
pub(crate) struct CallOutbox {
    shared: Arc<Shared>,
    origin: Origin,
    said: Mutex<Option<Saying>>,
}

impl CallOutbox {
    pub(crate) fn new(shared: Arc<Shared>, origin: Origin) -> Self {
        let said = Mutex::default();
        Self { shared, origin, said }
    }

    pub(crate) fn take(&self) -> Option<Box<Saying>> {
        self.said().take().map(Box::new)
    }

    fn said(&self) -> std::sync::MutexGuard<'_, Option<Saying>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, interface: &str, path: Option<&str>) -> Result<InterfacePath, ToolError> {
        let wrong = |text: String| Err(ToolError::Arguments(text));
        let Some(path) = path else {
            if self.origin.path.interface() == interface {
                return Ok(self.origin.path.clone());
            }
            return wrong(format!(
                "interface_path is missing: this conversation is not on {interface}"
            ));
        };
        match InterfacePath::parse(path) {
            Ok(path) if path.interface() == interface => Ok(path),
            Ok(_) => wrong(format!(
                "interface_path is not on {interface}: it has to begin with {interface}/"
            )),
            Err(error) => wrong(format!("interface_path is no interface path: {error}")),
        }
    }

    async fn place(&self, path: InterfacePath) -> Result<Place, ToolError> {
        let origin = &self.origin;
        let is_here = path == origin.path;
        // what is forbidden is as unknown as what does not exist
        let unknown = || {
            Err(ToolError::Failed(format!(
                "no conversation that you may write to is known as {path}"
            )))
        };
        if is_here {
            let interface = self.shared.interface(path.interface());
            let limits = interface.map(|interface| interface.limits(&path));
            let Some(limits) = limits.filter(|limits| limits.reach == Reach::Always) else {
                return unknown();
            };
            return Ok(Place {
                account: origin.account.clone(),
                conversation: origin.conversation,
                path,
                limits,
            });
        }
        if !origin.governs(&self.shared) {
            return unknown();
        }
        match place(&self.shared, &path).await {
            Ok(place) => Ok(place),
            Err(Unreachable::NotWrittenTo | Unreachable::Unknown) => unknown(),
            Err(Unreachable::Imported | Unreachable::Blocked(_)) => Err(ToolError::Failed(format!(
                "{path} cannot be written to until somebody writes from there"
            ))),
            Err(Unreachable::Store(error)) => {
                tracing::error!(%error, "the store does not say whether a conversation is known");
                Err(ToolError::Failed(
                    "it is not known at the moment which conversations there are".to_owned(),
                ))
            }
        }
    }
}

#[async_trait]
impl Outbox for CallOutbox {
    async fn say(&self, interface: &str, path: Option<&str>, text: &str) -> Result<InterfacePath, ToolError> {
        let text = speakable(text).trim().to_owned();
        if text.is_empty() {
            return Err(ToolError::Arguments("text is empty".to_owned()));
        }
        if text.chars().nth(LENGTH).is_some() {
            return Err(ToolError::Arguments(format!("text has more than {LENGTH} characters")));
        }
        let place = self.place(self.path(interface, path)?).await?;
        let path = place.path.clone();
        let mut said = self.said();
        if said.is_some() {
            return Err(ToolError::Failed("one call sends one message".to_owned()));
        }
        *said = Some(Saying { place, text });
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_be_seen() {
        assert_eq!(speakable("a\tb\n**c** 👩\u{200d}💻"), "a\tb\n**c** 👩\u{200d}💻");
        assert_eq!(speakable("\u{202e}a\u{7}\u{1b}[2J\r\nb\u{2066}"), "a[2J\nb");
    }
}
