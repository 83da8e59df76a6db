//! Many questions at once to one provider, within its limits.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, stream};
use tertulia_core::fault::{Fault, Hollow};
use tertulia_core::policy::{self, Asked, Deadlines, Remedy};
use tertulia_core::provider::{Delta, ModelRequest, ProviderError, ProviderFault, Stop, Usage};
use tertulia_core::reasoning::{Piece, Reasoning};
use tertulia_ports::Provider;
use tokio::time::{Instant, sleep, timeout_at};

use crate::asking::{self, Asking, Heard, Line};
use crate::clock::{self, Clock};
use crate::parts::ProviderPart;

/// So many questions per place are looked ahead, so that a slow one does not keep later ones from being asked.
const AHEAD: usize = 8;
/// How long a question waits in all for a provider that seems to be down.
const LONGEST_REST: Duration = Duration::from_mins(2);
/// The longest answer, in bytes, with what the model thought.
const LONGEST: usize = 4 << 20;

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text; never empty.
    pub text: String,
    /// What the model thought.
    pub thinking: String,
    /// Why it stopped.
    pub stop: Stop,
    /// What it took, where the provider told.
    pub usage: Option<Usage>,
    /// From when it was asked to its first sign of life, at the last try.
    pub first: Duration,
    /// From when it was asked first to the end of the answer, with all tries and pauses.
    pub took: Duration,
}

/// A question without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Why, as people may read it.
    pub fault: Fault,
    /// Why, for operators, where the provider said it.
    pub error: Option<ProviderError>,
    /// From when it was asked first, with all tries and pauses.
    pub took: Duration,
}

/// Asks all of them, no more at once than the provider takes, each with the tries and deadlines that a turn has. Results come
/// in the order of the questions, each for itself. Tools are not run: calls count as no answer.
///
/// Dropping the stream ends all that is under way.
pub fn run_many<Q>(part: &ProviderPart, questions: Q) -> impl Stream<Item = Result<Reply, Unanswered>> + Send + use<Q>
where
    Q: IntoIterator<Item = ModelRequest>,
    Q::IntoIter: Send,
{
    let line = Arc::new(Line::new(part.at_once));
    let clock = Arc::new(Clock::new(Arc::new(clock::wall)));
    let (provider, deadlines) = (Arc::clone(&part.provider), part.deadlines);
    let one = move |(number, request)| {
        let one = One {
            line: Arc::clone(&line),
            provider: Arc::clone(&provider),
            clock: Arc::clone(&clock),
            deadlines,
            request,
            number,
            began: None,
        };
        one.run()
    };
    let ahead = part.at_once.clamp(1, 1024).saturating_mul(AHEAD);
    stream::iter((0..).zip(questions)).map(one).buffered(ahead)
}

/// One of the questions.
struct One {
    line: Arc<Line>,
    provider: Arc<dyn Provider>,
    clock: Arc<Clock>,
    deadlines: Deadlines,
    request: ModelRequest,
    number: u64,
    /// When it was asked first.
    began: Option<Instant>,
}

/// Why one try was in vain.
enum Vain {
    Resting(Duration),
    Failed(ProviderError),
    Fault(Fault),
}

impl One {
    async fn run(mut self) -> Result<Reply, Unanswered> {
        let mut asked = Asked::default();
        let mut hollow = false;
        let mut rested = Duration::ZERO;
        loop {
            let (fault, error) = match self.once().await {
                Ok(reply) => return Ok(reply),
                Err(Vain::Resting(after)) if rested < LONGEST_REST => {
                    // nobody reads along, so that a wait does no harm
                    let pause = self.clock.now().jitter(after).max(after);
                    rested = rested.saturating_add(pause);
                    sleep(pause).await;
                    continue;
                }
                Err(Vain::Resting(after)) => {
                    let after = Some(after);
                    (Fault::Provider(ProviderFault::Unavailable { after }), None)
                }
                Err(Vain::Fault(Fault::Hollow(what))) if what.is_chance() && !hollow => {
                    hollow = true;
                    continue;
                }
                Err(Vain::Fault(fault)) => (fault, None),
                Err(Vain::Failed(error)) => match policy::remedy(error.kind, asked, self.clock.now()) {
                    Remedy::AtOnce => {
                        asked.reconnected = true;
                        continue;
                    }
                    Remedy::Retry(pause) => {
                        asked.tries += 1;
                        sleep(pause).await;
                        continue;
                    }
                    Remedy::Shorten | Remedy::Another | Remedy::GiveUp => (Fault::Provider(error.kind), Some(error)),
                },
            };
            let took = self.took();
            return Err(Unanswered { fault, error, took });
        }
    }

    /// Asks once, and listens to the end.
    async fn once(&mut self) -> Result<Reply, Vain> {
        let asking = Asking {
            provider: Arc::clone(&self.provider),
            request: self.request.clone(),
            number: self.number,
            insists: false,
        };
        let mut hearing = asking::ask(&self.line, asking);
        // its place is waited for as long as the ones before it take
        match hearing.next().await {
            Some(Heard::Sent) => {}
            Some(Heard::Resting(after)) => return Err(Vain::Resting(after)),
            _ => return Err(Vain::Fault(Fault::Internal)),
        }
        let sent = Instant::now();
        let mut answer = Answer::default();
        loop {
            let heard = self.wait(sent, answer.first.is_some(), hearing.next()).await?;
            answer.first.get_or_insert_with(|| sent.elapsed());
            match heard {
                Some(Heard::Delta(Delta::End(stop))) => return answer.whole(stop, self.took()),
                Some(Heard::Delta(delta)) => answer.take_in(delta)?,
                Some(Heard::Failed(error)) => return Err(Vain::Failed(error)),
                _ => return Err(Vain::Fault(Fault::Internal)),
            }
        }
    }

    /// Waits for the next piece, up to the nearest deadline.
    async fn wait<T>(&mut self, sent: Instant, is_alive: bool, next: impl Future<Output = T>) -> Result<T, Vain> {
        let limits = self.deadlines;
        let began = *self.began.get_or_insert(sent);
        let (from, patience, late) = if is_alive {
            (Instant::now(), limits.idle, Fault::Idle(limits.idle))
        } else {
            (sent, limits.first_byte, Fault::NoFirstByte(limits.first_byte))
        };
        let silence = (from.checked_add(patience), late);
        let total = (began.checked_add(limits.total), Fault::TooSlow(limits.total));
        let by_time = |one: &(Option<Instant>, Fault)| one.0;
        let nearest = [silence, total]
            .into_iter()
            .filter(|one| one.0.is_some())
            .min_by_key(by_time);
        let Some((Some(at), fault)) = nearest else {
            return Ok(next.await);
        };
        let outcome = timeout_at(at, next).await;
        outcome.map_err(|_| {
            if !matches!(fault, Fault::TooSlow(_)) {
                self.line.silent(self.number);
            }
            Vain::Fault(fault)
        })
    }

    fn took(&self) -> Duration {
        self.began.map(|began| began.elapsed()).unwrap_or_default()
    }
}

/// What has come of an answer.
#[derive(Default)]
struct Answer {
    text: String,
    thinking: String,
    reasoning: Reasoning,
    usage: Option<Usage>,
    first: Option<Duration>,
}

impl Answer {
    fn take_in(&mut self, delta: Delta) -> Result<(), Vain> {
        match delta {
            Delta::Text(text) => {
                let pieces = self.reasoning.push(&text);
                self.put(pieces);
            }
            Delta::Thinking(text) => self.thinking.push_str(&text),
            Delta::Usage(usage) => self.usage = Some(usage),
            Delta::Call(_) | Delta::Data(_) | Delta::Alive | Delta::End(_) => {}
        }
        if self.text.len() + self.thinking.len() + self.reasoning.held_back() > LONGEST {
            return Err(Vain::Fault(Fault::TooMuch));
        }
        Ok(())
    }

    fn put(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(&text),
                Piece::Thinking(text) => self.thinking.push_str(&text),
            }
        }
    }

    fn whole(mut self, stop: Stop, took: Duration) -> Result<Reply, Vain> {
        let rest = self.reasoning.end();
        self.put(rest);
        if self.text.trim().is_empty() {
            let hollow = Hollow::of(stop, !self.thinking.is_empty());
            return Err(Vain::Fault(Fault::Hollow(hollow)));
        }
        Ok(Reply {
            text: self.text,
            thinking: self.thinking,
            stop,
            usage: self.usage,
            first: self.first.unwrap_or_default(),
            took,
        })
    }
}
