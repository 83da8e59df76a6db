//! A strict double of Replicate on loopback: it takes only what a model's schema knows, lets a stream be read once, and
//! writes down everything.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use tertulia_providers::{Replicate, ReplicateConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::door;
use crate::asking::CANARY;

/// The double; it ends when it is dropped.
pub(crate) struct ReplicateDouble {
    pub(super) address: SocketAddr,
    pub(super) shared: Arc<Shared>,
    /// It owns its cancellations, so that it must live on.
    provider: OnceLock<Arc<Replicate>>,
    _task: JoinSet<()>,
}

/// What becomes of one prediction.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// What the answer to its making says beside its addresses.
    pub(crate) made: Value,
    /// What each look finds; the last for ever.
    pub(crate) looks: Vec<Look>,
    /// Without one, there is no address of a stream.
    pub(crate) stream: Option<Stream>,
    /// Replaces addresses that the server names.
    pub(crate) urls: Value,
}

#[derive(Debug, Clone)]
pub(crate) enum Look {
    Is(Value),
    Fails(u16),
}

#[derive(Debug, Clone)]
pub(crate) enum Stream {
    /// These events with a wait before each, then the end.
    Events(Vec<(&'static str, String)>, Duration),
    /// An output every so often, for ever.
    Endless(Duration),
    /// It opens, and nothing comes.
    Silent,
    /// It never opens.
    Shut,
    Refuses(u16),
}

/// Everything that happened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    /// Bodies and paths of the predictions that were made.
    pub(crate) made: Vec<(String, Value)>,
    pub(crate) opened: Vec<usize>,
    pub(crate) looked: Vec<usize>,
    pub(crate) cancelled: Vec<usize>,
    pub(crate) refusals: Vec<String>,
}

pub(super) struct Shared {
    pub(super) address: SocketAddr,
    pub(super) scenes: Mutex<VecDeque<Scene>>,
    pub(super) going: Mutex<BTreeMap<usize, Scene>>,
    pub(super) log: watch::Sender<Log>,
}

impl ReplicateDouble {
    pub(crate) const MODEL: &str = "acme/chatty-8b";
    /// A model of the community.
    pub(crate) const FOREIGN: &str = "someone/odd-1b";
    pub(crate) const VERSION: &str = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa";
    /// A model of pictures and sounds.
    pub(crate) const MEDIUM: &str = "acme/muse";
    /// What lies at `/v1/out/{ending}` beside the predictions.
    pub(crate) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";
    pub(crate) const SOUND: &[u8] = b"OggS";
    pub(crate) const DEFAULT_ANSWER: &str = "This is the double speaking.";

    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            address,
            scenes: Mutex::default(),
            going: Mutex::default(),
            log: watch::Sender::default(),
        });
        let router = door::router(Arc::clone(&shared));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            shared,
            provider: OnceLock::new(),
            _task: task,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn config(&self) -> ReplicateConfig {
        ReplicateConfig {
            poll: Duration::from_millis(5),
            ..ReplicateConfig::of(ServerConfig {
                api_key: Some(CANARY.into()),
                model: Self::MODEL.into(),
                ..ServerConfig::at("replicate", self.base_url())
            })
        }
    }

    pub(crate) fn provider(&self) -> Arc<Replicate> {
        let made = || Arc::new(Replicate::new(self.config()).unwrap());
        Arc::clone(self.provider.get_or_init(made))
    }

    pub(crate) fn push(&self, scene: Scene) {
        self.shared.scenes.lock().unwrap().push_back(scene);
    }

    pub(crate) fn log(&self) -> Log {
        self.shared.log.borrow().clone()
    }

    /// Waits until the log is as wanted; `false` when that did not happen within 20 seconds.
    pub(crate) async fn until(&self, wanted: impl FnMut(&Log) -> bool) -> bool {
        let mut changes = self.shared.log.subscribe();
        let seen = changes.wait_for(wanted);
        tokio::time::timeout(Duration::from_secs(20), seen).await.is_ok()
    }
}

impl Scene {
    pub(crate) fn streamed(stream: Stream) -> Self {
        Self {
            made: json!({"status": "starting"}),
            looks: vec![Look::Is(json!({"status": "processing"}))],
            stream: Some(stream),
            urls: json!({}),
        }
    }

    pub(crate) fn polled(looks: impl IntoIterator<Item = Value>) -> Self {
        Self {
            looks: looks.into_iter().map(Look::Is).collect(),
            stream: None,
            ..Self::streamed(Stream::Silent)
        }
    }

    pub(crate) fn text(pieces: &[&str], pause: Duration) -> Self {
        let outputs = pieces.iter().map(|piece| ("output", (*piece).to_owned()));
        let end = [("logs", "3 tokens".to_owned()), ("done", "{}".to_owned())];
        let metrics = json!({"predict_time": 0.5, "input_token_count": 9, "output_token_count": 3});
        Self {
            looks: vec![Look::Is(
                json!({"status": "succeeded", "output": pieces, "metrics": metrics}),
            )],
            ..Self::streamed(Stream::Events(outputs.chain(end).collect(), pause))
        }
    }
}

impl Shared {
    pub(super) fn going(&self) -> MutexGuard<'_, BTreeMap<usize, Scene>> {
        self.going.lock().unwrap()
    }

    pub(super) fn note(&self, what: impl FnOnce(&mut Log)) {
        self.log.send_modify(what);
    }
}
