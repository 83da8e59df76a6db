//! A scripted daemon: it writes down what it is handed, and says what a test tells it to say.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use tertulia_interface::{Accept, AcceptError, Batch, Inlet, Interface, Standing, Verdict};
use tertulia_message::command::CommandSpec;
use tertulia_message::path::{InterfaceName, InterfacePath};
use tertulia_message::{
    Account, Ending, Finish, Inbound, Level, Mark, Message, PersonId, Request, Signal, Spent, What,
};
use tertulia_output::links::Links;
use tertulia_server::{
    Access, HttpLimits, ModelCard, ModelSkill, OllamaConfig, OllamaDoor, Readiness, Server, Trouble,
};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What the daemon was handed, and what it is to answer.
pub(crate) struct Daemon {
    pub(crate) verdicts: Mutex<VecDeque<Result<Verdict, AcceptError>>>,
    /// Closed, it keeps every request from being accepted.
    pub(crate) gate: Semaphore,
    events: mpsc::Sender<Inbound>,
    gone: mpsc::Sender<(Account, String)>,
}

#[async_trait]
impl Accept for Daemon {
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        let verdict = self
            .verdicts
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or(Ok(Verdict::Accepted))?;
        let verdicts = batch.events.iter().map(|_| verdict.clone()).collect();
        for event in batch.events {
            assert_eq!(event.account, batch.account);
            if verdict == Verdict::Accepted {
                self.events.send(event).await.unwrap();
            }
        }
        drop(self.gate.acquire().await.unwrap());
        Ok(verdicts)
    }

    async fn marks(&self, _account: &Account, _prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        Ok(Vec::new())
    }

    fn commands(&self) -> &'static [CommandSpec] {
        &[]
    }

    async fn hang_up(&self, account: &Account, id: &str) {
        self.gone.send((account.clone(), id.to_owned())).await.unwrap();
    }

    fn reached(&self, _interface: &str, _is_reached: bool) {}

    fn standing(&self, _person: &PersonId, _path: &InterfacePath) -> Standing {
        Standing {
            level: Level::User,
            is_governed: true,
        }
    }
}

/// Says what a test tells it to be in trouble with.
#[derive(Default)]
pub(crate) struct Troubles(pub(crate) Mutex<Vec<Trouble>>);

#[async_trait]
impl Readiness for Troubles {
    async fn troubles(&self) -> Vec<Trouble> {
        self.0.lock().unwrap().clone()
    }
}

/// A door that listens, with its daemon.
pub(crate) struct Running {
    pub(crate) door: Arc<OllamaDoor>,
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) address: std::net::SocketAddr,
    pub(crate) client: Client,
    pub(crate) stop: CancellationToken,
    events: mpsc::Receiver<Inbound>,
    gone: mpsc::Receiver<(Account, String)>,
    tasks: JoinSet<()>,
}

/// A request that the daemon has, and its way to answer.
pub(crate) struct Turn {
    door: Arc<OllamaDoor>,
    pub(crate) inbound: Inbound,
}

pub(crate) fn card(name: &str) -> ModelCard {
    ModelCard {
        name: name.to_owned(),
        context_length: 8192,
        skills: vec![ModelSkill::Tools, ModelSkill::Vision, ModelSkill::Thinking],
        modified_at: "2026-11-30T08:00:00Z".parse().unwrap(),
    }
}

pub(crate) async fn start() -> Running {
    start_with(|_| {}).await
}

pub(crate) async fn start_with(change: impl FnOnce(&mut OllamaConfig)) -> Running {
    let mut config = OllamaConfig {
        name: InterfaceName::parse("ollama_serve").unwrap(),
        models: vec![card("tertulia"), card("poet")],
        access: Access::default(),
        limits: HttpLimits::default(),
        links: Links::default(),
        clock: Arc::new(|| "2026-11-30T08:00:00.5Z".parse().unwrap()),
        readiness: Arc::new(Troubles::default()),
    };
    change(&mut config);
    let bound = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = bound.address();
    let door = Arc::new(OllamaDoor::new(config, bound));
    let (send_event, events) = mpsc::channel(64);
    let (send_gone, gone) = mpsc::channel(64);
    let daemon = Arc::new(Daemon {
        verdicts: Mutex::default(),
        gate: Semaphore::new(1),
        events: send_event,
        gone: send_gone,
    });
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    let (listening, inlet, token) = (Arc::clone(&door), Inlet::new(Arc::clone(&daemon) as _), stop.clone());
    tasks.spawn(async move { listening.listen(inlet, token).await.unwrap() });
    Running {
        door,
        daemon,
        address,
        client: Client::builder().no_proxy().timeout(PATIENCE).build().unwrap(),
        stop,
        events,
        gone,
        tasks,
    }
}

impl Running {
    pub(crate) fn url(&self, route: &str) -> String {
        format!("http://{}{route}", self.address)
    }

    pub(crate) fn post(&self, route: &str, body: &Value) -> RequestBuilder {
        self.client.post(self.url(route)).body(body.to_string())
    }

    pub(crate) fn get(&self, route: &str) -> RequestBuilder {
        self.client.get(self.url(route))
    }

    /// The next request that the daemon was handed.
    pub(crate) async fn turn(&mut self) -> Turn {
        let inbound = timeout(PATIENCE, self.events.recv()).await.unwrap().unwrap();
        Turn {
            door: Arc::clone(&self.door),
            inbound,
        }
    }

    /// Sends a request, and answers it with `answer` as soon as the daemon has it.
    pub(crate) async fn ask(&mut self, request: RequestBuilder, answer: &[Signal]) -> (Inbound, Response) {
        let (turn, response) = tokio::join!(
            async {
                let turn = self.turn().await;
                for signal in answer {
                    turn.signal(signal.clone()).await;
                }
                turn
            },
            request.send()
        );
        (turn.inbound, response.unwrap())
    }

    /// What the daemon is handed for a chat with this body.
    pub(crate) async fn handed(&mut self, body: &Value) -> Inbound {
        let request = self.post("/api/chat", body);
        let (inbound, response) = self.ask(request, &[close(Finish::Stop)]).await;
        assert_eq!(response.status(), 200);
        inbound
    }

    /// The next reader that was reported as gone.
    pub(crate) async fn gone(&mut self) -> (Account, String) {
        timeout(PATIENCE, self.gone.recv()).await.unwrap().unwrap()
    }

    /// Stops, and gives back who was reported as gone but not yet looked at.
    pub(crate) async fn finish(mut self) -> Vec<(Account, String)> {
        self.stop.cancel();
        while let Some(ended) = timeout(PATIENCE, self.tasks.join_next()).await.unwrap() {
            ended.unwrap();
        }
        let mut left = Vec::new();
        while let Ok(gone) = self.gone.try_recv() {
            left.push(gone);
        }
        left
    }

    /// Sends a signal as the daemon would, to any request.
    pub(crate) async fn door_signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        self.door.signal(path, re, signal).await;
    }

    /// True if the daemon was handed nothing more.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.events.try_recv().is_err()
    }
}

impl Turn {
    pub(crate) async fn signal(&self, signal: Signal) {
        self.door.signal(&self.inbound.path, &self.inbound.id, signal).await;
    }
}

pub(crate) fn request(inbound: &Inbound) -> &Request {
    match &inbound.what {
        What::Request(request) => request,
        other => panic!("not a request: {other:?}"),
    }
}

pub(crate) fn say(text: &str) -> Signal {
    let message = Message {
        id: "answer".to_owned(),
        delta: true,
        ..Message::text(text)
    };
    Signal::Emit(message)
}

pub(crate) fn close(finish: Finish) -> Signal {
    let spent = Spent {
        tokens_in: Some(3),
        tokens_out: Some(2),
        millis: 5,
    };
    Signal::Close(Ending { finish, spent })
}

pub(crate) fn failed(code: &'static str, text: &str) -> Signal {
    close(Finish::Failed {
        code,
        text: text.to_owned(),
    })
}

pub(crate) fn chat(text: &str) -> Value {
    json!({"model": "tertulia", "messages": [{"role": "user", "content": text}]})
}

/// The objects of a streamed answer; every line holds one.
pub(crate) async fn lines(response: Response) -> Vec<Value> {
    assert_eq!(response.headers().get("content-type").unwrap(), "application/x-ndjson");
    let text = response.text().await.unwrap();
    assert!(text.ends_with('\n'), "{text:?}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The object of an answer that is not streamed.
pub(crate) async fn object(response: Response) -> Value {
    let kind = response.headers().get("content-type").unwrap().to_str().unwrap();
    assert!(kind.starts_with("application/json"), "{kind}");
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// The status and text of an error in the form that clients read.
pub(crate) async fn error(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let object = object(response).await;
    assert_eq!(object.as_object().unwrap().len(), 1, "{object}");
    (status, object.get("error").and_then(Value::as_str).unwrap().to_owned())
}
