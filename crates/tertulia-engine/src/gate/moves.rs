//! A conversation has a new address: that is done before anything that follows it is judged.

use tertulia_core::transaction::Transaction;
use tertulia_interface::{AcceptError, Verdict};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Inbound, What};
use tokio::time::timeout;

use super::{GOVERNING, Inner};
use crate::crash;
use crate::error::with_cause;

/// A conversation's old and new address.
pub(super) type Move = (InterfacePath, InterfacePath);

/// What a platform says of a conversation's new address; `None` if it says something else.
pub(super) fn of(event: &Inbound) -> Option<Move> {
    match &event.what {
        What::Moved { to } => Some((event.path.clone(), to.clone())),
        _ => None,
    }
}

/// An interface speaks of its own conversations only, and a chat stays a chat.
fn is_sound(account: &Account, (from, to): &Move) -> bool {
    let is_own = [from, to].iter().all(|path| path.interface() == account.interface);
    is_own && from.parent().is_none() == to.parent().is_none()
}

impl Inner {
    /// Nobody needs leave for it: only an interface can say so. Done again after a crash or a redelivery it changes nothing.
    pub(super) async fn moved(&self, account: &Account, moved: Move) -> Result<Verdict, AcceptError> {
        let shared = &self.shared;
        let (from, to) = moved.clone();
        if !is_sound(account, &moved) {
            tracing::error!(interface = account.interface, path = %from, %to, "an interface moves what it cannot");
            return Ok(Verdict::Ignored);
        }
        // what is set at this moment is set on disk and in memory in the same order
        let alone = timeout(GOVERNING, shared.governing.lock()).await;
        let transaction = Transaction::Moved {
            from: from.clone(),
            to: to.clone(),
        };
        crash::point("before", transaction.name());
        if let Err(error) = shared.store.commit(transaction).await {
            let why = with_cause(&error);
            tracing::error!(path = %from, %to, error = why, "a move could not be stored; nothing is confirmed");
            shared.failed(error).await;
            return Err(AcceptError::Store(why));
        }
        crash::point("after", "moved");
        tracing::info!(path = %from, %to, "a conversation has moved");
        shared.moved_for_sure(from, to).await;
        drop(alone);
        Ok(Verdict::Accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chats_and_threads_of_one_interface_move() {
        let account = Account {
            interface: "chat".into(),
            identity: "bot".into(),
        };
        for (from, to, expected) in [
            ("chat/a", "chat/b", true),
            ("chat/a/1", "chat/b/2", true),
            ("chat/a/1", "chat/a/2", true),
            ("chat/a", "chat/b/2", false),
            ("chat/a/1", "chat/a", false),
            ("chat/a", "other/a", false),
            ("other/a", "other/b", false),
        ] {
            let path = |text: &str| InterfacePath::parse(text).unwrap();
            assert_eq!(is_sound(&account, &(path(from), path(to))), expected, "{from} {to}");
        }
    }
}
