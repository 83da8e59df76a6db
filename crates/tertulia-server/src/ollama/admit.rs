//! From a request that was read to an answer that is waited for.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tertulia_interface::{AcceptError, Batch, Inlet, Verdict};
use tertulia_message::{Inbound, RequestHistory, What};
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::catalog::Models;
use super::{OllamaConfig, OllamaDoor};
use crate::open::{OpenRequests, Reader};
use crate::refusal::Refusal;

/// How long a request may take to become durable.
const ACCEPT_TIME: Duration = Duration::from_secs(30);

/// How long requests that are being accepted may take to end when the daemon stops.
const FINISH_TIME: Duration = Duration::from_secs(3);

/// What every route of a listening door shares.
#[derive(Clone)]
pub(super) struct Hall {
    pub(super) config: Arc<OllamaConfig>,
    pub(super) models: Arc<Models>,
    /// Fires when the door winds up.
    pub(super) stop: CancellationToken,
    open: Arc<OpenRequests>,
    inlet: Inlet,
    accepting: TaskTracker,
    room: Arc<Semaphore>,
}

impl Hall {
    pub(super) fn new(door: &OllamaDoor, inlet: Inlet, stop: CancellationToken) -> Self {
        let room = Arc::new(Semaphore::new(door.config.limits.connections));
        Self {
            config: Arc::clone(&door.config),
            models: Arc::clone(&door.models),
            stop,
            open: Arc::clone(&door.open),
            inlet,
            accepting: TaskTracker::new(),
            room,
        }
    }

    /// Hands a request in, and returns the reader of its answer once it is accepted.
    ///
    /// A client may leave while this waits. The request is handed in to the end all the same, by a task of its own:
    /// only what the daemon has accepted can be reported to it as left.
    pub(super) async fn admit(&self, inbound: Inbound) -> Result<Reader, Refusal> {
        let late = || unavailable("the request could not be stored in time");
        let permit = tokio::time::timeout(ACCEPT_TIME, Arc::clone(&self.room).acquire_owned())
            .await
            .map_err(|_| late())?
            .map_err(|_| unavailable("stopping"))?;
        let reader = self
            .open
            .open(inbound.account.clone(), inbound.id.clone(), inbound.path.clone());
        let inlet = self.inlet.clone();
        let (tell, told) = oneshot::channel();
        self.accepting.spawn(async move {
            // a reader that nobody waits for any more is dropped here, and so reported
            drop(tell.send(hand_in(&inlet, inbound, reader).await));
            drop(permit);
        });
        match tokio::time::timeout(ACCEPT_TIME, told).await {
            Ok(Ok(judged)) => judged,
            Ok(Err(_)) | Err(_) => Err(late()),
        }
    }

    /// Waits for what is still being handed in, at the end.
    pub(super) async fn finish(&self) {
        self.accepting.close();
        if tokio::time::timeout(FINISH_TIME, self.accepting.wait()).await.is_err() {
            tracing::warn!(
                left = self.accepting.len(),
                "requests were still being stored at the end"
            );
        }
    }
}

async fn hand_in(inlet: &Inlet, inbound: Inbound, reader: Reader) -> Result<Reader, Refusal> {
    let crowd = crowd(&inbound.what);
    let batch = Batch {
        account: inbound.account.clone(),
        events: vec![inbound],
        marks: Vec::new(),
        missed: false,
    };
    let refusal = match inlet.accept(batch).await {
        Ok(verdicts) => match verdicts.into_iter().next() {
            Some(Verdict::Accepted) => return Ok(reader),
            Some(Verdict::Denied { say }) => {
                let say = say.unwrap_or_else(|| "you may not use this conversation".to_owned());
                Refusal::new(StatusCode::FORBIDDEN, say)
            }
            Some(Verdict::Busy) => unavailable(crowd),
            Some(Verdict::Duplicate | Verdict::Ignored) | None => unavailable("the request was not taken"),
        },
        Err(AcceptError::Stopping) => unavailable("the server is stopping"),
        Err(AcceptError::Store(error)) => {
            tracing::error!(path = %reader.path(), error, "a request could not be stored");
            unavailable("the request could not be stored")
        }
    };
    tracing::info!(path = %reader.path(), status = refusal.status.as_u16(), "a request was not accepted");
    reader.dismiss();
    Err(refusal)
}

/// What to say when there are too many: a request with a history of its own belongs to no conversation.
fn crowd(what: &What) -> &'static str {
    match what {
        What::Request(request) if matches!(request.history, RequestHistory::Supplied(_)) => {
            "too many requests without a conversation are running"
        }
        _ => "too many requests of this conversation are waiting",
    }
}

fn unavailable(text: &str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use tertulia_interface::{Accept, Standing};
    use tertulia_message::command::CommandSpec;
    use tertulia_message::path::{InterfaceName, InterfacePath};
    use tertulia_message::{Account, Addressed, Generation, Level, Mark, PersonId, Request};
    use tertulia_output::links::Links;

    use super::*;
    use crate::{Access, HttpLimits, Readiness, Server, Trouble};

    struct Always;

    #[async_trait]
    impl Readiness for Always {
        async fn troubles(&self) -> Vec<Trouble> {
            Vec::new()
        }
    }

    /// A daemon whose store never comes back.
    struct Stuck;

    #[async_trait]
    impl Accept for Stuck {
        async fn accept(&self, _: Batch) -> Result<Vec<Verdict>, AcceptError> {
            std::future::pending().await
        }

        async fn marks(&self, _: &Account, _: &str) -> Result<Vec<Mark>, AcceptError> {
            Ok(Vec::new())
        }

        fn commands(&self) -> &'static [CommandSpec] {
            &[]
        }

        async fn hang_up(&self, _: &Account, _: &str) {}

        fn reached(&self, _interface: &str, _is_reached: bool) {}

        fn standing(&self, _person: &PersonId, _path: &InterfacePath) -> Standing {
            Standing {
                level: Level::User,
                is_governed: true,
            }
        }
    }

    fn event(id: &str) -> Inbound {
        Inbound {
            account: Account {
                interface: "ollama_serve".to_owned(),
                identity: "local".to_owned(),
            },
            path: "ollama_serve/a".parse().unwrap(),
            id: id.to_owned(),
            sender: PersonId::new("ollama_serve", "local"),
            sender_name: "local".to_owned(),
            addressed: Addressed::Direct,
            what: What::Left,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        }
    }

    #[test]
    fn only_a_remembered_request_is_one_of_its_conversation() {
        let request = |history| {
            What::Request(Box::new(Request {
                history,
                model: String::new(),
                system: None,
                tools: Vec::new(),
                generation: Generation::default(),
            }))
        };
        let remembered = crowd(&request(RequestHistory::Stored(Vec::new())));
        assert!(remembered.contains("of this conversation"));
        let passing = crowd(&request(RequestHistory::Supplied(Vec::new())));
        assert!(passing.contains("without a conversation"));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever_for_a_store_that_is_stuck() {
        let config = OllamaConfig {
            name: InterfaceName::parse("ollama_serve").unwrap(),
            models: Vec::new(),
            access: Access::default(),
            limits: HttpLimits {
                connections: 1,
                ..HttpLimits::default()
            },
            links: Links::default(),
            clock: Arc::new(|| "2026-11-30T08:00:00Z".parse().unwrap()),
            readiness: Arc::new(Always),
        };
        let bound = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let door = OllamaDoor::new(config, bound);
        let hall = Hall::new(&door, Inlet::new(Arc::new(Stuck)), CancellationToken::new());
        for id in ["taken up", "not even taken up"] {
            let admitted = tokio::time::timeout(ACCEPT_TIME * 2, hall.admit(event(id))).await;
            let refusal = admitted.unwrap().err().unwrap();
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE, "{id}");
        }
    }
}
