//! What people do, and how the daemon's listener takes it in.

use tertulia_core::access::{Access, AccessRules};
use tertulia_core::authorize::{Admission, authorize};
use tertulia_core::now::Now;
use tertulia_core::record::RowBody;
use tertulia_core::transaction::{AcceptTx, Accepted};
use tertulia_message::{Inbound, Level, Mark};

use super::command::Order;
use super::{World, text};
use crate::chat_double::inbound;
use crate::simulation::transcript::Line;

impl World<'_> {
    pub(super) fn people(&mut self) {
        let now = self.since.elapsed();
        match self.script.pop_front() {
            Some(Line::Say(said)) => self.said.push(self.double.say(now, said)),
            Some(Line::Press { spot, person, act }) => {
                let buttons = self.double.buttons(&spot);
                if let Some((_, token)) = buttons.iter().rfind(|(_, token)| token.starts_with(&act)) {
                    self.double.press(now, &spot, &person, token);
                }
            }
            Some(Line::TakeAway(spot)) => {
                if let Some(message) = self.double.newest(&spot) {
                    self.double.take_away(now, &message);
                }
            }
            Some(Line::Wait(pause)) => self.people_wait = Some(now + pause),
            Some(Line::Move(from, to)) => self.double.move_chat(now, &from, &to),
            Some(Line::Edit(nth, text)) => {
                if let Some(id) = self.said.get(nth) {
                    self.double.change(now, id, &text);
                }
            }
            Some(Line::Redact(nth)) => {
                if let Some(id) = self.said.get(nth) {
                    self.double.redact(now, id);
                }
            }
            Some(Line::Fault(..)) | None => {}
        }
    }

    /// Two steps: fetch and store, then confirm by moving the cursor.
    pub(super) async fn listener(&mut self, report: bool) -> Result<(), String> {
        let now = self.since.elapsed();
        if let Some(batch) = self.process.batch.take() {
            self.process.cursor = batch.last().map(|update| update.id);
            return Ok(());
        }
        let updates = self.double.updates(now, self.process.cursor, 3);
        let Some(last) = updates.last().map(|update| update.id) else {
            return Ok(());
        };
        let account = self.interface.account().clone();
        let events: Vec<Inbound> = updates
            .iter()
            .filter_map(|update| inbound(&account, &update.event).ok())
            .collect();
        let access = Access::from(AccessRules {
            interfaces: [(account.interface.clone(), Level::User)].into(),
            ..AccessRules::default()
        });
        let admitted: Vec<_> = events
            .into_iter()
            .filter_map(|event| authorize(event, &access, &[], None, Now::by_wall(0)).ok())
            .collect();
        let admissions: Vec<Admission> = admitted.iter().map(|event| event.admission().clone()).collect();
        let marks = vec![Mark {
            key: "cursor".into(),
            value: Some(last.to_string().into_bytes()),
        }];
        let tx = AcceptTx {
            account,
            events: admitted,
            marks,
            now: self.now().wall,
            queue_bound: 50,
        };
        let accepted = self.store.accept(tx).await.map_err(text)?;
        if report {
            self.process.batch = Some(updates);
            for (admission, accepted) in admissions.into_iter().zip(accepted) {
                self.accepted(admission, accepted);
            }
        }
        Ok(())
    }

    fn accepted(&mut self, admission: Admission, accepted: Accepted) {
        let (Admission::Row(row), Accepted::New(id, conversation)) = (admission, accepted) else {
            return;
        };
        if matches!(row.body, RowBody::Command { .. }) {
            let account = self.interface.account().clone();
            let row = row.numbered(account, id, conversation, self.now().wall);
            self.process.commands.insert(id, Order::given(row));
        } else {
            self.nudge(conversation, row.path);
        }
    }
}
