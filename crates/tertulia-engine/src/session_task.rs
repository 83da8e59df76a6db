//! Performs what one conversation's session decides.

mod ask;
mod files;
mod prepare;
mod signals;

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::attachment::Attachments;
use tertulia_core::chat::{ToolCall, ToolResult, ToolStatus};
use tertulia_core::courier::{self, Report};
use tertulia_core::record::{ConversationId, Work};
use tertulia_core::reply::Saying;
use tertulia_core::session::{Effect, Event, Session, Surroundings, Token};
use tertulia_interface::Interface;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Limits, PersonId, Reach, Signal};
use tertulia_ports::{StoreError, ToolContext};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::backing::Backing;
use crate::commit_queue::CommitQueue;
use crate::governed::Present;
use crate::hub::Shared;
use crate::outbox::{CallOutbox, Origin};
use crate::tool_task;
use ask::UnderWay;
use signals::Signals;
pub(crate) use signals::{clear, show};

/// How long a door may take for one sign; then its reader counts as gone.
pub(crate) const DOOR_DEADLINE: Duration = Duration::from_secs(30);
/// How long a command that is being stored is waited for: longer only if the store cannot write, and then it does not hold.
const GOVERNING: Duration = Duration::from_secs(2);
/// How long a running turn may go on after a soft stop.
const GRACE: Duration = Duration::from_secs(10);

/// How a session's task ended.
pub(crate) struct Ended {
    /// Events that were not taken in any more.
    pub(crate) events: mpsc::Receiver<Event>,
    pub(crate) result: Result<(), StoreError>,
}

/// Whose turn it is.
struct Asker {
    account: Account,
    conversation: ConversationId,
    person: PersonId,
    /// The platform's id of what triggered it.
    re: String,
}

/// One conversation's session with what is under way for it.
pub(crate) struct SessionTask {
    shared: Arc<Shared>,
    interface: Option<Arc<dyn Interface>>,
    limits: Option<Limits>,
    path: InterfacePath,
    backing: Backing,
    session: Session,
    events: mpsc::Receiver<Event>,
    commits: CommitQueue<Token>,
    asking: Option<UnderWay>,
    tools: JoinSet<(u32, ToolResult, Option<Box<Saying>>)>,
    signals: Signals,
    wake: Option<Duration>,
    stop: CancellationToken,
    /// When a soft stop cuts the turn off.
    ends_at: Option<Instant>,
    /// Whose the present turn is, for its deliveries and tools.
    turn: Option<Asker>,
    /// Changes when somebody may have been shut out.
    levels: watch::Receiver<()>,
    /// The configuration that the present turn began with: its providers and tools stay until it ends, also where a reload
    /// has removed them.
    present: Option<Arc<Present>>,
}

impl SessionTask {
    pub(crate) fn new(
        shared: Arc<Shared>,
        path: InterfacePath,
        backing: Backing,
        events: mpsc::Receiver<Event>,
        stop: CancellationToken,
    ) -> Self {
        let interface = shared.interface(path.interface());
        Self {
            session: Session::new(shared.boot.clone()),
            commits: CommitQueue::new(Arc::clone(&shared.store)),
            signals: Signals::new(interface.clone()),
            levels: shared.governed.levels(),
            shared,
            interface,
            limits: None,
            path,
            backing,
            events,
            asking: None,
            tools: JoinSet::new(),
            wake: None,
            stop,
            ends_at: None,
            turn: None,
            present: None,
        }
    }

    /// The session before this one died, and may have left the bot typing for ever.
    pub(crate) fn clear_signs(&mut self) {
        self.signals.push(self.path.clone(), String::new(), Signal::Idle);
    }

    /// Works until nothing is left to do, or a soft stop has waited long enough.
    pub(crate) async fn run(mut self) -> Ended {
        let result = if let Some(interface) = &self.interface {
            self.limits = Some(interface.limits(&self.path));
            self.work().await
        } else {
            tracing::warn!(path = %self.path, "messages wait for an interface that is not configured");
            // else another session would be started for them, and another
            while self.events.try_recv().is_ok() {}
            Ok(())
        };
        self.signals.finish().await;
        Ended {
            events: self.events,
            result,
        }
    }

    async fn work(&mut self) -> Result<(), StoreError> {
        loop {
            // a provider that never waits must not keep the thread from others
            tokio::task::coop::consume_budget().await;
            self.perform().await?;
            if self.is_done() {
                return Ok(());
            }
            let wake = self.wake.map(|at| self.shared.clock.at(at));
            let ends_at = self.ends_at;
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if ends_at.is_none() => self.ends_at = Some(Instant::now() + GRACE),
                Some(event) = self.events.recv() => self.tell(event),
                (token, done) = self.commits.next() => {
                    done?;
                    self.tell(Event::Committed(token));
                }
                () = sleep(ends_at), if ends_at.is_some() => return self.save().await,
                () = sleep(wake), if wake.is_some() => {
                    self.wake = None;
                    self.tell(Event::Tick);
                }
                Ok(()) = self.levels.changed() => self.shut_out(),
                heard = ask::next(&mut self.asking) => self.heard(heard),
                Some(done) = self.tools.join_next() => match done {
                    Ok((round, result, saying)) => self.tell(Event::ToolDone(round, result, saying)),
                    Err(error) if error.is_cancelled() => {}
                    Err(error) => tracing::error!(path = %self.path, %error, "a tool died"),
                },
                () = self.signals.next() => {}
            }
        }
    }

    fn is_done(&self) -> bool {
        // signs are waited for here, where a new message is still noticed
        self.session.is_idle() && self.commits.is_empty() && self.events.is_empty() && self.signals.is_empty()
    }

    /// A soft stop has waited long enough: keep what was shown; the next start finishes the same message.
    async fn save(&mut self) -> Result<(), StoreError> {
        if self.is_door() {
            tracing::info!(path = %self.path, "stopping in the middle of an answer; its reader is told");
        } else {
            tracing::info!(path = %self.path, "stopping in the middle of an answer; the next start goes on with it");
        }
        self.asking = None;
        self.tools = JoinSet::new();
        self.tell(Event::Save);
        self.perform_last().await;
        while !self.commits.is_empty() {
            let (token, done) = self.commits.next().await;
            done?;
            self.tell(Event::Committed(token));
            self.perform_last().await;
        }
        Ok(())
    }

    /// What may still be done while the process is ending: nothing new is begun.
    async fn perform_last(&mut self) {
        while let Some(effect) = self.session.poll() {
            match effect {
                Effect::Commit(transaction, token) => self.commits.push(self.backing.writes(transaction), token),
                Effect::Signal(path, re, signal) => self.signal(path, re, signal).await,
                Effect::Slot(slot, limits) => self.shared.to_courier(*slot, limits).await,
                _ => {}
            }
        }
    }

    fn tell(&mut self, event: Event) {
        if let Event::Moved(path) = &event {
            self.path = path.clone();
        }
        self.session.handle(event, self.shared.clock.now());
    }

    async fn perform(&mut self) -> Result<(), StoreError> {
        while let Some(effect) = self.session.poll() {
            match effect {
                Effect::Fetch => self.fetch().await?,
                Effect::Commit(transaction, token) => self.commits.push(self.backing.writes(transaction), token),
                Effect::Ask(id, question) => self.ask(id, *question),
                Effect::StopAsking(id, why) => self.stop_asking(id, why),
                Effect::RunTool(round, call) => self.run_tool(round, call),
                // results that are there already belong to nobody any more
                Effect::StopTools => self.tools = JoinSet::new(),
                Effect::Signal(path, re, signal) => self.signal(path, re, signal).await,
                Effect::Slot(slot, limits) => self.shared.to_courier(*slot, limits).await,
                Effect::Live(slot, markup) => self.live(slot, markup),
                Effect::Stopped(stopped) => self.shared.stops.done(stopped),
                Effect::Wake(at) => self.wake = Some(self.wake.map_or(at, |before| before.min(at))),
                Effect::Settled(path, outcome, code) => {
                    let outcome = outcome.as_str();
                    match code {
                        None => tracing::info!(%path, outcome, "a turn is settled"),
                        Some(code) => tracing::warn!(%path, outcome, code, "a turn is settled"),
                    }
                }
            }
        }
        Ok(())
    }

    async fn fetch(&mut self) -> Result<(), StoreError> {
        let Some(interface) = &self.interface else {
            return Ok(());
        };
        // for each turn anew: a platform may be reached, and known, only after the session began
        let limits = interface.limits(&self.path);
        self.limits = Some(limits);
        let present = self.shared.present();
        let entries = present.live.settings.history_entries;
        let mut work = if self.stop.is_cancelled() {
            None
        } else {
            self.backing.fetch(&self.shared.store, entries).await?
        };
        self.turn = work.as_ref().and_then(|work| work.rows.first()).map(|row| Asker {
            account: row.account.clone(),
            conversation: row.conversation,
            person: row.person.clone(),
            re: row.ext_id.clone(),
        });
        self.notice_strays(work.as_deref());
        // what a command has committed before these messages holds in memory before the command lets go of this
        let _ = tokio::time::timeout(GOVERNING, self.shared.governing.lock()).await;
        let settings = self.shared.turn_settings(&present, &self.path, work.as_deref());
        let mut attachments = Attachments::new();
        if let Some(rows) = work.as_deref_mut() {
            match self.prepare(&present, &settings, rows).await {
                Some(got) => attachments = got,
                None => work = None,
            }
        }
        if let Some(unfinished) = work.as_mut().and_then(|work| work.unfinished.as_mut()) {
            unfinished.settings = settings.clone();
        }
        let mut surroundings = Surroundings {
            attachments,
            ..Shared::surroundings(&present, limits, settings)
        };
        let mute = self.mute_tools(&present);
        surroundings.tools.retain(|tool| !mute.contains(&tool.offer.name));
        self.present = work.is_some().then_some(present);
        self.levels.mark_unchanged();
        let is_new = work.as_ref().is_some_and(|work| work.unfinished.is_none());
        if is_new {
            self.shut_out();
        }
        self.tell(Event::Work(work, Box::new(surroundings)));
        if !is_new {
            self.shut_out();
        }
        Ok(())
    }

    /// Who is shut out is answered no more: what waits is dropped, what runs is stopped. A door's reader would wait for ever,
    /// and is let in anew with every request.
    fn shut_out(&mut self) {
        let Some(turn) = self.turn.as_ref().filter(|_| !self.is_door()) else {
            return;
        };
        let wall = self.shared.clock.now().wall;
        let standing = self.shared.governed.standing(&turn.person, &self.path, wall);
        if standing.is_shut_out() {
            tracing::info!(path = %self.path, person = %turn.person, "somebody who was shut out is answered no more");
            let re = turn.re.clone();
            self.tell(Event::HangUp(re));
        }
    }

    /// A request from before this start of the process has no reader any more: it is not even begun.
    fn notice_strays(&mut self, work: Option<&Work>) {
        let Some(work) = work.filter(|work| self.is_door() && work.unfinished.is_none()) else {
            return;
        };
        for row in &work.rows {
            if self.shared.is_stray(row) {
                tracing::info!(path = %row.path, id = row.ext_id, "a request waited whose reader has gone");
                self.tell(Event::HangUp(row.ext_id.clone()));
            }
        }
    }

    fn run_tool(&mut self, round: u32, call: ToolCall) {
        let mut tools = self.present.iter().flat_map(|present| &present.live.tools);
        let found = tools.find(|tool| tool.spec().offer.name == call.name).cloned();
        let (Some(tool), Some(Asker { person, .. })) = (found, &self.turn) else {
            let result = ToolResult {
                call_id: call.id,
                name: call.name,
                status: ToolStatus::Failed,
                content: "there is no such tool".to_owned(),
            };
            self.tell(Event::ToolDone(round, result, None));
            return;
        };
        let context = ToolContext {
            path: self.path.clone(),
            person: person.clone(),
            now: self.shared.clock.now().wall,
            outbox: None,
        };
        let outbox = self
            .origin()
            .map(|origin| CallOutbox::new(Arc::clone(&self.shared), origin));
        tracing::info!(path = %self.path, tool = call.name, "running a tool");
        self.tools.spawn(async move {
            let (result, saying) = tool_task::run(tool, call, context, outbox.map(Arc::new)).await;
            (round, result, saying)
        });
    }

    /// Where the present turn may have something said from; nowhere where nothing of it is stored.
    fn origin(&self) -> Option<Origin> {
        let asker = self
            .turn
            .as_ref()
            .filter(|_| matches!(self.backing, Backing::Stored(_)))?;
        Some(Origin {
            account: asker.account.clone(),
            conversation: asker.conversation,
            path: self.path.clone(),
            person: asker.person.clone(),
        })
    }

    /// The tools by which something could be said where the present turn may not: they are not even offered.
    fn mute_tools(&self, present: &Present) -> Vec<String> {
        let origin = self.origin();
        let may_speak = |interface: &String| {
            let origin = origin.as_ref();
            origin.is_some_and(|origin| origin.may_speak_on(&self.shared, interface))
        };
        let specs = present.live.tools.iter().map(|tool| tool.spec());
        let mute = specs.filter(|spec| spec.speaks_on.as_ref().is_some_and(|interface| !may_speak(interface)));
        mute.map(|spec| spec.offer.name.clone()).collect()
    }

    fn is_door(&self) -> bool {
        self.limits.is_some_and(|limits| limits.reach == Reach::WhileConnected)
    }

    /// A door gets its signals in order and at once; a platform's go out beside the turn.
    async fn signal(&mut self, path: InterfacePath, re: String, signal: Signal) {
        if matches!(signal, Signal::Close(_)) {
            self.shared.requests.take(&re);
        }
        match &self.interface {
            Some(interface) if self.is_door() => {
                if !show(&**interface, &path, &re, signal, DOOR_DEADLINE).await {
                    self.tell(Event::HangUp(re));
                }
            }
            _ => self.signals.push(path, re, signal),
        }
    }

    fn live(&mut self, slot: tertulia_message::SlotId, markup: tertulia_message::Markup) {
        let Some(Asker { account, .. }) = &self.turn else {
            return;
        };
        if !self.shared.live(account, courier::Event::Live(slot, markup)) {
            self.tell(Event::Report(slot, Report::Dropped));
        }
    }
}

async fn sleep(until: Option<Instant>) {
    if let Some(until) = until {
        sleep_until(until).await;
    }
}
