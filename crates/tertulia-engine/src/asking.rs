//! Asking a provider: a place in its line, its health, and then its answer, piece by piece.

mod line;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use tertulia_core::provider::{Delta, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Provider};

pub(crate) use line::{Line, lines};
use line::{Place, Refusal};

/// What comes of a question, in this order: sent or resting; after sent the deltas, and at last the end mark or a failure.
#[derive(Debug)]
pub(crate) enum Heard {
    /// There is a place for it: the provider is asked.
    Sent,
    /// The provider is not asked, for so much longer: it seems to be down.
    Resting(Duration),
    /// A piece of the answer.
    Delta(Delta),
    /// The provider failed.
    Failed(ProviderError),
}

/// A question that waits for its place or its answer. Dropping it closes the connection, and gives the place back.
pub(crate) type Hearing = BoxStream<'static, Heard>;

/// What is asked.
pub(crate) struct Asking {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) request: ModelRequest,
    /// Tells the questions at one provider apart; all tries of one question have the same.
    pub(crate) number: u64,
    /// It is asked also if it seems to be down.
    pub(crate) insists: bool,
}

/// Asks as soon as there is a place for it; questions get their places in the order in which they came.
pub(crate) fn ask(line: &Arc<Line>, asking: Asking) -> Hearing {
    let state = State::Waiting(Arc::clone(line), asking);
    Box::pin(stream::unfold(state, State::next))
}

enum State {
    Waiting(Arc<Line>, Asking),
    Placed(Place, Arc<dyn Provider>, ModelRequest),
    Answering(Place, DeltaStream),
    Over,
}

impl State {
    async fn next(self) -> Option<(Heard, Self)> {
        match self {
            Self::Waiting(line, asking) => Some(match line.enter(asking.number, asking.insists).await {
                Ok(place) => (Heard::Sent, Self::Placed(place, asking.provider, asking.request)),
                Err(Refusal(after)) => (Heard::Resting(after), Self::Over),
            }),
            Self::Placed(place, provider, request) => {
                let begun = AssertUnwindSafe(provider.stream(request)).catch_unwind().await;
                match begun.unwrap_or_else(|_| Err(panicked())) {
                    Ok(stream) => Self::answer(place, stream).await,
                    Err(error) => Some(Self::failed(place, error)),
                }
            }
            Self::Answering(place, stream) => Self::answer(place, stream).await,
            Self::Over => None,
        }
    }

    async fn answer(mut place: Place, mut stream: DeltaStream) -> Option<(Heard, Self)> {
        let piece = AssertUnwindSafe(stream.next()).catch_unwind().await;
        Some(match piece.unwrap_or_else(|_| Some(Err(panicked()))) {
            Some(Ok(delta @ Delta::Alive)) => (Heard::Delta(delta), Self::Answering(place, stream)),
            Some(Ok(delta)) => {
                place.answered();
                let is_end = matches!(delta, Delta::End(_));
                // the connection is closed before its place is given back
                let next = if is_end {
                    Self::Over
                } else {
                    Self::Answering(place, stream)
                };
                (Heard::Delta(delta), next)
            }
            Some(Err(error)) => Self::failed(place, error),
            None => Self::failed(
                place,
                ProviderError::new(ProviderFault::Broken, "the stream ended without its end mark"),
            ),
        })
    }

    fn failed(mut place: Place, error: ProviderError) -> (Heard, Self) {
        place.failed(error.kind);
        (Heard::Failed(error), Self::Over)
    }
}

fn panicked() -> ProviderError {
    ProviderError::new(ProviderFault::Broken, "the provider panicked")
}
