//! The commands of a conversation stand in line: one is done after the other, in the order in which they were given.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tertulia_core::courier::moved_path;
use tertulia_core::record::{ConversationId, InboxRow, RowBody};
use tertulia_message::path::InterfacePath;
use tokio::sync::oneshot;
use tokio::task::{Id, JoinError};

use super::{Ask, Hub, StopOrder};
use crate::commands;

/// The only command that waits for no other: it may end what another one waits for.
const URGENT: &str = "stop";

/// Conversations with a command at work, and those that stand behind it. How many there may be is bounded where they are
/// accepted.
#[derive(Debug, Default)]
pub(super) struct Lines(HashMap<ConversationId, VecDeque<Next>>);

/// What is to be done next.
#[derive(Debug)]
pub(super) enum Next {
    /// A command.
    Command(InboxRow),
    /// The stop that was given as this row, once more: what stood behind older commands could not be seen before.
    StopAgain(InboxRow),
}

impl Lines {
    /// Gives the row back if it is to be done now; else it waits.
    pub(super) fn push(&mut self, row: InboxRow) -> Option<InboxRow> {
        let line = self.0.get_mut(&row.conversation);
        if is_urgent(&row) {
            // what a button stops had begun, and so stands behind nothing
            if let Some(line) = line.filter(|_| !commands::is_pressed(&row.body)) {
                line.push_back(Next::StopAgain(row.clone()));
            }
            return Some(row);
        }
        if let Some(line) = line {
            line.push_back(Next::Command(row));
            return None;
        }
        self.begin(row.conversation);
        Some(row)
    }

    /// Something is at work that commands wait for.
    pub(super) fn begin(&mut self, conversation: ConversationId) {
        self.0.entry(conversation).or_default();
    }

    /// A conversation has moved: what waits is answered at its new address.
    pub(super) fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        for next in self.0.values_mut().flatten() {
            let (Next::Command(row) | Next::StopAgain(row)) = next;
            if let Some(path) = moved_path(&row.path, from, to) {
                row.path = path;
            }
        }
    }

    /// What was at work has ended: the next one.
    pub(super) fn next(&mut self, conversation: ConversationId) -> Option<Next> {
        let next = self.0.get_mut(&conversation)?.pop_front();
        if next.is_none() {
            self.0.remove(&conversation);
        }
        next
    }
}

impl Hub {
    /// Does a command as soon as it stands first.
    pub(super) fn command(&mut self, row: InboxRow) {
        if let Some(row) = self.lines.push(row) {
            self.do_command(row);
        }
    }

    fn do_command(&mut self, row: InboxRow) {
        let shared = Arc::clone(&self.shared);
        let key = (!is_urgent(&row)).then_some(row.conversation);
        let task = async move {
            let id = row.id;
            commands::run(&shared, row).await;
            shared.done.tell(id);
        };
        let id = self.commands.spawn(task).id();
        self.command_keys.extend(key.map(|conversation| (id, conversation)));
    }

    /// Commands that the process before left: one of them may be a `/stop`, so the messages before them wait until they are
    /// done.
    pub(super) fn restored_commands(&mut self, rows: Vec<InboxRow>, conversation: ConversationId, path: InterfacePath) {
        let shared = Arc::clone(&self.shared);
        self.lines.begin(conversation);
        let task = async move {
            for row in rows {
                commands::run(&shared, row).await;
            }
            shared.ask(Ask::Nudge(conversation, path, None)).await;
        };
        let id = self.commands.spawn(task).id();
        self.command_keys.insert(id, conversation);
    }

    /// However one ended, the next one is done.
    pub(super) fn command_ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(%error, "a command died");
                error.id()
            }
        };
        let Some(conversation) = self.command_keys.remove(&id) else {
            return;
        };
        while let Some(next) = self.lines.next(conversation) {
            match next {
                Next::Command(row) => return self.do_command(row),
                Next::StopAgain(row) => {
                    let (nobody, _) = oneshot::channel();
                    self.stop_conversation(conversation, row.path, StopOrder::All { by: row.id }, nobody);
                }
            }
        }
    }
}

/// True if nothing is to be done before it.
fn is_urgent(row: &InboxRow) -> bool {
    matches!(&row.body, RowBody::Command { name, .. } if name == URGENT)
}

#[cfg(test)]
mod tests {
    use tertulia_core::record::InboxId;
    use tertulia_message::path::InterfacePath;
    use tertulia_message::{Account, PersonId};

    use super::*;

    fn row(id: i64, conversation: i64, name: &str) -> InboxRow {
        InboxRow {
            id: InboxId(id),
            account: Account {
                interface: "chat".into(),
                identity: "bot".into(),
            },
            conversation: ConversationId(conversation),
            path: InterfacePath::parse("chat/a").unwrap(),
            ext_id: id.to_string(),
            person: PersonId::new("chat", "ann"),
            body: RowBody::Command {
                name: name.into(),
                arguments: String::new(),
                direct: true,
                button: None,
            },
            join: None,
            token: None,
            accepted_at: 0,
        }
    }

    #[test]
    fn each_waits_for_the_one_before_and_stop_for_none() {
        let id = |row: Option<InboxRow>| row.map(|row| row.id.0);
        let next = |next: Option<Next>| match next? {
            Next::Command(row) => Some(("command", row.id.0)),
            Next::StopAgain(row) => Some(("stop", row.id.0)),
        };
        let mut lines = Lines::default();
        assert_eq!(id(lines.push(row(1, 1, "model"))), Some(1));
        assert_eq!(id(lines.push(row(2, 1, "model"))), None);
        assert_eq!(id(lines.push(row(3, 2, "model"))), Some(3), "another conversation");
        assert_eq!(id(lines.push(row(4, 1, "stop"))), Some(4));
        assert_eq!(id(lines.push(row(5, 1, "new"))), None);
        let one = ConversationId(1);
        assert_eq!(next(lines.next(one)), Some(("command", 2)));
        assert_eq!(next(lines.next(one)), Some(("stop", 4)), "once more");
        assert_eq!(next(lines.next(one)), Some(("command", 5)));
        assert_eq!(next(lines.next(one)), None);
        assert_eq!(id(lines.push(row(6, 1, "model"))), Some(6), "nothing is left behind");
        assert_eq!(id(lines.push(row(7, 3, "stop"))), Some(7));
        assert_eq!(next(lines.next(ConversationId(3))), None, "it waits for nothing");
        let mut press = row(8, 1, "stop");
        if let RowBody::Command { button, .. } = &mut press.body {
            *button = Some(InboxId(2));
        }
        assert_eq!(id(lines.push(press)), Some(8), "a button waits for no command either");
        assert_eq!(next(lines.next(one)), None, "and is done once");
    }

    #[test]
    fn who_waits_moves_with_the_conversation() {
        let path = |text: &str| InterfacePath::parse(text).unwrap();
        let mut lines = Lines::default();
        lines.push(row(1, 1, "model"));
        lines.push(row(2, 1, "model"));
        lines.push(row(3, 1, "stop"));
        lines.moved(&path("chat/a"), &path("chat/b"));
        lines.moved(&path("chat/c"), &path("chat/d"));
        let mut at = || match lines.next(ConversationId(1)) {
            Some(Next::Command(row) | Next::StopAgain(row)) => Some(row.path),
            None => None,
        };
        assert_eq!([at(), at(), at()], [Some(path("chat/b")), Some(path("chat/b")), None]);
    }
}
