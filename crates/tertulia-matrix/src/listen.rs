//! Receives: what the server gives is on disk before the next call asks for more.
//!
//! The client library stores how far it is before anybody has handled what it got, so the inbox has a mark of its own, the cursor,
//! which moves in the same act as the events. Where the two differ, and where the server leaves events out, the rooms are read on
//! beside the sync: see [`gaps`].

mod catch_up;
mod errands;
mod gaps;
mod intake;
mod keys;
mod line;
mod stretch;
mod sync;
mod waiting;

use std::convert::Infallible;

use tertulia_interface::{Inlet, ListenError};
use tokio::sync::{Mutex, mpsc};

use crate::matrix::Matrix;
use crate::session::{self, OpenError, Session};
use crate::{rooms, trust, verify};
use errands::Errand;
use intake::Intake;
use line::Line;

/// Errands that wait; more are dropped.
const ERRANDS: usize = 256;

/// Runs until the server refuses us; whoever drops it stops it.
pub(crate) async fn listen(matrix: &Matrix, inlet: &Inlet) -> ListenError {
    let mut line = Line::new(&matrix.name, inlet);
    let session = match open(matrix, &mut line).await {
        Ok(session) => session,
        Err(refused) => return refused,
    };
    let (errands, queue) = mpsc::channel(ERRANDS);
    let intake = Intake::begin(matrix, inlet, session, errands).await;
    tokio::select! {
        refused = Box::pin(sync::run(&intake, line)) => refused,
        never = Box::pin(beside(&intake, queue)) => match never {},
    }
}

async fn open<'a>(matrix: &'a Matrix, line: &mut Line<'_>) -> Result<&'a Session, ListenError> {
    loop {
        match matrix.session.get_or_try_init(|| session::open(&matrix.config)).await {
            Ok(session) => {
                tracing::info!(interface = matrix.name, user = %session.user, "the Matrix session is open");
                return Ok(session);
            }
            Err(OpenError::Refused(why)) => return Err(ListenError::Refused(why)),
            Err(OpenError::Failed(failure)) => line.failed(&failure).await?,
        }
    }
}

/// What the sync does not wait for.
async fn beside(intake: &Intake<'_>, queue: mpsc::Receiver<Errand>) -> Infallible {
    let queue = Mutex::new(queue);
    let work = || errands::work(intake, &queue);
    let done = tokio::join!(
        catch_up::run(intake),
        keys::run(intake),
        rooms::tend(intake.matrix, intake.inlet, intake.session),
        verify::run(intake.matrix, intake.inlet, intake.session),
        trust::keep(intake.matrix, intake.session),
        work(),
        work(),
    );
    match done.0 {}
}
