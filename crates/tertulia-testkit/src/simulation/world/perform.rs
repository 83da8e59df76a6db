//! Performing what the machines want, one effect at a time.

use std::time::Duration;
use tertulia_core::attachment::Attachments;

use tertulia_core::courier::{self, moved_path};
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{Capabilities, Format};
use tertulia_core::record::{ConversationId, TurnSettings};
use tertulia_core::reply::Place;
use tertulia_core::session::{self, Surroundings};
use tertulia_interface::Interface as _;
use tertulia_message::path::InterfacePath;

use super::{World, text};
use crate::simulation::tools;

/// How far apart the pieces of an answer come.
const STREAM_PACE: Duration = Duration::from_millis(30);

impl World<'_> {
    pub(super) async fn session_effect(
        &mut self,
        id: ConversationId,
        effect: session::Effect,
        report: bool,
    ) -> Result<(), String> {
        match effect {
            session::Effect::Fetch => self.fetch(id).await?,
            session::Effect::Commit(transaction, token) => {
                self.store.commit(transaction).await.map_err(text)?;
                if report {
                    self.tell(id, session::Event::Committed(token));
                }
            }
            session::Effect::Ask(ask, question) => {
                let script = self.model.answer(&question.request);
                self.seat(id)?.stream = Some((ask, script));
                if report {
                    self.tell(id, session::Event::Sent(ask));
                }
            }
            session::Effect::StopAsking(..) => self.seat(id)?.stream = None,
            session::Effect::RunTool(round, call) => {
                let trigger = self.seat(id)?.trigger.ok_or("a tool without a turn")?;
                let nth = self.process.next_tool;
                self.process.next_tool += 1;
                self.process.tools.insert(nth, (id, trigger, round, call));
            }
            session::Effect::StopTools => self.process.tools.retain(|_, (owner, ..)| *owner != id),
            session::Effect::Slot(slot, limits) => self.tell_courier(courier::Event::Wished(slot, limits)),
            session::Effect::Live(slot, markup) => self.tell_courier(courier::Event::Live(slot, markup)),
            session::Effect::Wake(at) => {
                let seat = self.seat(id)?;
                seat.wake = Some(seat.wake.map_or(at, |before| before.min(at)));
            }
            session::Effect::Stopped(stopped) => self.stopped(stopped.by)?,
            session::Effect::Signal(..) | session::Effect::Settled(..) => {}
        }
        Ok(())
    }

    async fn fetch(&mut self, id: ConversationId) -> Result<(), String> {
        let work = self.store.next_work(id, 50).await.map_err(text)?;
        let path = self.seat(id)?.path.clone();
        let row = work.as_ref().and_then(|work| work.rows.first());
        let limits = self.interface.limits(&path);
        self.seat(id)?.trigger = row.map(|row| row.id);
        self.seat(id)?.place = row.map(|row| Place {
            account: row.account.clone(),
            conversation: row.conversation,
            path: row.path.clone(),
            limits,
        });
        let surroundings = Surroundings {
            limits,
            settings: TurnSettings {
                provider: "scripted".into(),
                model: "m".into(),
                system: String::new(),
                tools: None,
            },
            capabilities: CAPABILITIES,
            tools: tools::offered(),
            deadlines: Deadlines::default(),
            prices: None,
            fallbacks: Vec::new(),
            rounds: 5,
            answer_bytes: 1 << 20,
            attachments: Attachments::new(),
        };
        self.tell(id, session::Event::Work(work.map(Box::new), Box::new(surroundings)));
        Ok(())
    }

    pub(super) async fn stream(&mut self, id: ConversationId) {
        tokio::time::advance(STREAM_PACE).await;
        let Some(seat) = self.process.sessions.get_mut(&id) else {
            return;
        };
        let Some((ask, script)) = &mut seat.stream else { return };
        let ask = *ask;
        let piece = script.pop_front();
        if script.is_empty() || matches!(piece, Some(Err(_))) {
            seat.stream = None;
        }
        match piece {
            Some(Ok(delta)) => self.tell(id, session::Event::Delta(ask, delta)),
            Some(Err(error)) => self.tell(id, session::Event::Failed(ask, error)),
            None => {}
        }
    }

    pub(super) fn tool(&mut self, nth: u64, report: bool) {
        let Some((id, trigger, round, call)) = self.process.tools.remove(&nth) else {
            return;
        };
        let result = self.till.run(trigger, round, &call);
        let place = self.process.sessions.get(&id).and_then(|seat| seat.place.as_ref());
        let saying = tools::saying(&call, place);
        if report {
            self.tell(id, session::Event::ToolDone(round, result, saying));
        }
    }

    pub(super) async fn courier_effect(&mut self, effect: courier::Effect, report: bool) -> Result<(), String> {
        let event = match effect {
            courier::Effect::Commit(transaction, token) => {
                self.store.commit(transaction).await.map_err(text)?;
                courier::Event::Committed(token)
            }
            courier::Effect::Deliver(slot, outbound) => {
                courier::Event::Delivered(slot, self.interface.deliver(&outbound).await)
            }
            courier::Effect::Find(slot, outbound) => courier::Event::Looked(slot, self.interface.find(&outbound).await),
            courier::Effect::Wake(at) => {
                let wake = &mut self.process.courier_wake;
                *wake = Some(wake.map_or(at, |before| before.min(at)));
                return Ok(());
            }
            courier::Effect::Report(conversation, slot, report) => {
                self.tell(conversation, session::Event::Report(slot, report));
                return Ok(());
            }
            courier::Effect::Died(slot, path, error) => return Err(format!("{slot:?} at {path} died: {error}")),
            courier::Effect::Moved(from, to) => {
                self.moved(&from, &to);
                return Ok(());
            }
        };
        if report {
            self.tell_courier(event);
        }
        Ok(())
    }

    fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        let mut moved = Vec::new();
        for (id, seat) in &mut self.process.sessions {
            if let Some(path) = moved_path(&seat.path, from, to) {
                seat.path = path.clone();
                moved.push((*id, path));
            }
        }
        for (id, path) in moved {
            self.tell(id, session::Event::Moved(path));
        }
    }
}

const CAPABILITIES: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: false,
    thinking: false,
    format: Format::Standard,
    max_context: 100_000,
};
