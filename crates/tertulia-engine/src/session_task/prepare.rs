//! What has to be known before a turn begins: what the model can, and what came of the files.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use tertulia_core::attachment::Attachments;
use tertulia_core::record::{TurnSettings, Work};
use tertulia_core::session::Event;
use tertulia_message::path::InterfacePath;

use super::{SessionTask, files};
use crate::governed::Present;

/// How long a turn waits for its provider to learn what the model can.
const LEARNING: Duration = Duration::from_secs(3);

impl SessionTask {
    /// Lets the provider learn and fetches the files, both at once. Whoever says stop meanwhile is heard at once, and it follows
    /// a conversation that moves. `None` if the process is ending: what has not begun is left for the next start.
    pub(super) async fn prepare(
        &mut self,
        present: &Present,
        settings: &TurnSettings,
        work: &mut Work,
    ) -> Option<Attachments> {
        let path = self.path.clone();
        let wanted = files::of(&work.rows);
        // what came without files may still begin, and is ended with the others
        let may_wait = !wanted.is_empty();
        let (interface, stop) = (self.interface.clone(), self.stop.clone());
        let fetching = async {
            match &interface {
                Some(interface) if may_wait => files::fetch(&**interface, wanted).await,
                _ => Attachments::new(),
            }
        };
        let mut preparing = std::pin::pin!(async { tokio::join!(probe_all(&path, present, settings), fetching) });
        let attachments = loop {
            tokio::select! {
                ((), attachments) = &mut preparing => break attachments,
                () = stop.cancelled(), if may_wait => return None,
                Some(event) = self.events.recv() => {
                    let ends = ends(&event, work);
                    self.tell(event);
                    if ends {
                        break Attachments::new();
                    }
                }
            }
        };
        if self.path != path {
            follow(work, &self.path);
        }
        Some(attachments)
    }
}

/// True for what keeps these rows from being answered.
fn ends(event: &Event, work: &Work) -> bool {
    match event {
        Event::Stop(by) => work.trigger().is_some_and(|trigger| trigger < *by),
        Event::StopTurn { turn, .. } => work.trigger().is_some_and(|trigger| trigger <= *turn),
        Event::HangUp(id) => work.rows.iter().any(|row| row.ext_id == *id),
        Event::Save => true,
        _ => false,
    }
}

/// The work was read before its conversation moved.
fn follow(work: &mut Work, to: &InterfacePath) {
    for row in &mut work.rows {
        row.path = to.clone();
    }
    for slot in &mut work.slots {
        slot.path = to.clone();
    }
}

/// Lets the provider learn what the model can, before a turn is made for it; where it was down the last time, also those that
/// may have to stand in for it.
async fn probe_all(path: &InterfacePath, present: &Present, settings: &TurnSettings) {
    let line = present.lines.get(&settings.provider);
    let worried = line.is_some_and(|line| line.is_worried());
    let others = worried.then(|| present.live.fallbacks(&settings.provider));
    let others = others.unwrap_or_default().into_iter();
    let own = (settings.provider.clone(), settings.model.clone());
    let all = std::iter::once(own).chain(others.map(|other| (other.provider, other.model)));
    join_all(all.map(|(provider, model)| probe(path, present, provider, model))).await;
}

/// One that does not answer in time is asked with what is known, and fails then, if it must.
async fn probe(path: &InterfacePath, present: &Present, provider: String, model: String) {
    let Some(part) = present.live.providers.get(&provider) else {
        return;
    };
    let probing = AssertUnwindSafe(part.provider.probe(&model, false)).catch_unwind();
    match tokio::time::timeout(LEARNING, probing).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => tracing::debug!(%path, provider, model, %error, "the model could not be probed"),
        Ok(Err(_)) => tracing::warn!(%path, provider, model, "the provider panicked while it was probed"),
        Err(_) => tracing::debug!(%path, provider, model, "the model was not probed in time"),
    }
}
