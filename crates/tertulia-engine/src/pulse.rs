//! Asks a task whether it still goes round its loop.

use futures_util::future::pending;
use tokio::sync::{mpsc, oneshot};

/// How many may feel one pulse at once; more wait.
const FEELERS: usize = 4;

/// The asking end.
pub(crate) struct Pulse(mpsc::Sender<oneshot::Sender<()>>);

/// The end of the task that is asked. A queue of its own: a full queue of work is no sign of death.
pub(crate) struct Heart(mpsc::Receiver<oneshot::Sender<()>>);

pub(crate) fn pulse() -> (Pulse, Heart) {
    let (pulse, heart) = mpsc::channel(FEELERS);
    (Pulse(pulse), Heart(heart))
}

impl Pulse {
    /// True when the task has answered, false if it has ended; waits for as long as it takes.
    pub(crate) async fn feel(&self) -> bool {
        let (reply, answer) = oneshot::channel();
        self.0.send(reply).await.is_ok() && answer.await.is_ok()
    }
}

impl Heart {
    /// Answers once. May be dropped and called again.
    pub(crate) async fn beat(&mut self) {
        match self.0.recv().await {
            // whoever asked may have gone
            Some(reply) => drop(reply.send(())),
            None => pending().await,
        }
    }

    /// Does this work and answers meanwhile: waiting for others is not hanging.
    pub(crate) async fn beat_beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = self.beat() => {}
            }
        }
    }
}
