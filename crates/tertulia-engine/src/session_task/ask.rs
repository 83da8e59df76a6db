//! The question that a session has under way.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use futures_util::StreamExt as _;
use tertulia_core::provider::{Delta, ProviderError, ProviderFault};
use tertulia_core::session::{Abandoned, AskId, Event, Question};

use super::SessionTask;
use crate::asking::{self, Asking, Heard, Hearing, Line};
use crate::crash;

/// A question under way.
pub(super) struct UnderWay {
    id: AskId,
    /// The provider's configured name.
    provider: String,
    line: Arc<Line>,
    number: u64,
    hearing: Hearing,
}

impl SessionTask {
    pub(super) fn ask(&mut self, id: AskId, question: Question) {
        let Question {
            provider: name,
            request,
            insists,
        } = question;
        let present = self.present.as_ref();
        let found = present.and_then(|present| Some((present.live.providers.get(&name)?, present.lines.get(&name)?)));
        let Some((part, line)) = found else {
            let error = ProviderError::new(ProviderFault::NotConfigured, format!("there is no provider {name:?}"));
            self.provider_failed(id, &name, error);
            return;
        };
        crash::point("before", "ask");
        tracing::debug!(path = %self.path, provider = name, model = request.model, insists, "asking");
        let (line, number) = (Arc::clone(line), self.number());
        let asking = Asking {
            provider: Arc::clone(&part.provider),
            request,
            number,
            insists,
        };
        self.asking = Some(UnderWay {
            id,
            provider: name,
            hearing: asking::ask(&line, asking),
            line,
            number,
        });
    }

    pub(super) fn stop_asking(&mut self, id: AskId, why: Abandoned) {
        let Some(asked) = self.asking.take_if(|asked| asked.id == id) else {
            return;
        };
        let (path, provider) = (&self.path, asked.provider);
        match why {
            Abandoned::Unwanted => {}
            Abandoned::Silent => {
                asked.line.silent(asked.number);
                tracing::warn!(%path, provider, "the provider gave no sign of life for too long");
            }
            Abandoned::Busy => tracing::warn!(%path, provider, "the provider had no free place for too long"),
        }
    }

    pub(super) fn heard(&mut self, (id, heard): (AskId, Option<Heard>)) {
        if let Some(Heard::Delta(delta)) = heard {
            crash::point("at", "delta");
            if matches!(delta, Delta::End(_)) {
                self.asking = None;
            }
            self.tell(Event::Delta(id, delta));
            return;
        }
        if matches!(heard, Some(Heard::Sent)) {
            self.tell(Event::Sent(id));
            return;
        }
        let provider = self.asking.take().map(|asked| asked.provider).unwrap_or_default();
        match heard {
            Some(Heard::Resting(after)) => {
                tracing::warn!(path = %self.path, provider, ?after, "the provider was not asked: it seems to be down");
                self.tell(Event::Resting(id, after));
            }
            Some(Heard::Failed(error)) => self.provider_failed(id, &provider, error),
            _ => {}
        }
    }

    fn provider_failed(&mut self, id: AskId, provider: &str, error: ProviderError) {
        self.asking = None;
        tracing::warn!(path = %self.path, provider, %error, "the provider failed");
        self.tell(Event::Failed(id, error));
    }

    /// All questions of one turn have the same.
    fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.path.to_string().hash(&mut hasher);
        self.turn.as_ref().map(|turn| &turn.re).hash(&mut hasher);
        hasher.finish()
    }
}

/// What comes next of the present question; waits for ever if nothing is asked.
pub(super) async fn next(asking: &mut Option<UnderWay>) -> (AskId, Option<Heard>) {
    match asking {
        Some(asked) => (asked.id, asked.hearing.next().await),
        None => std::future::pending().await,
    }
}
