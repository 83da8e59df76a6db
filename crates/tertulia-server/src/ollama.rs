//! The door for programs that speak Ollama's API.

mod address;
mod admit;
mod answer;
mod catalog;
mod chat;
mod duration;
mod fields;
mod form;
mod generate;
mod messages;
mod options;
mod pictures;
mod ready;
mod refused;
mod routes;
mod work;

use std::sync::Arc;

use async_trait::async_trait;
use catalog::Models;
pub use catalog::{ModelCard, ModelSkill};
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::{InterfaceName, InterfacePath};
use tertulia_message::{DeliverError, FileRef, Found, Limits, Outbound, Receipt, Signal};
use tertulia_output::links::Links;
use tokio_util::sync::CancellationToken;

use crate::Clock;
use crate::access::Access;
use crate::guard::Guard;
use crate::limits::HttpLimits;
use crate::open::OpenRequests;
use crate::readiness::Readiness;
use crate::server::Bound;

/// What the door needs to know.
#[derive(Clone)]
pub struct OllamaConfig {
    /// The name of the interface, such as `ollama_serve`.
    pub name: InterfaceName,
    /// The models it offers.
    pub models: Vec<ModelCard>,
    /// Who may use it.
    pub access: Access,
    /// What a client may take of it.
    pub limits: HttpLimits,
    /// How messages that are no text become links.
    pub links: Links,
    /// The daemon's clock.
    pub clock: Clock,
    /// Whether the daemon can do its work.
    pub readiness: Arc<dyn Readiness>,
}

/// An interface that answers as an Ollama server.
pub struct OllamaDoor {
    config: Arc<OllamaConfig>,
    models: Arc<Models>,
    guard: Arc<Guard>,
    bound: Bound,
    open: Arc<OpenRequests>,
}

impl OllamaDoor {
    /// A door at a bound port. It answers nobody before it listens.
    #[must_use]
    pub fn new(config: OllamaConfig, bound: Bound) -> Self {
        Self {
            models: Arc::new(Models::new(config.models.clone())),
            guard: Arc::new(Guard::new(&config.access, bound.address(), form::refuse)),
            config: Arc::new(config),
            bound,
            open: Arc::default(),
        }
    }

    /// From now on these models are offered, to those who were let in before.
    pub fn offer(&self, models: Vec<ModelCard>) {
        self.models.replace(models);
    }

    /// From now on these models are offered, to those whom `access` lets in. An answer that is being read by somebody whom
    /// it does not let in any more breaks off.
    pub fn replace(&self, models: Vec<ModelCard>, access: &Access) {
        self.offer(models);
        self.guard.replace(access);
    }
}

#[async_trait]
impl Interface for OllamaDoor {
    fn limits(&self, _path: &InterfacePath) -> Limits {
        Limits::of_door()
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        let hall = admit::Hall::new(self, inlet.clone(), stop.clone());
        let app = routes::routes(hall.clone(), Arc::clone(&self.guard));
        let served = CancellationToken::new();
        let serve = async {
            self.bound.serve(app, &self.config.limits, &stop).await;
            hall.finish().await;
            served.cancel();
        };
        tokio::join!(serve, self.open.report_gone(&inlet, &served));
        Ok(())
    }

    async fn deliver(&self, _outbound: &Outbound) -> Result<Receipt, DeliverError> {
        Err(DeliverError::Refused("an HTTP door has no messages to post".to_owned()))
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        self.open.signal(path, re, signal);
    }

    async fn find(&self, _outbound: &Outbound) -> Found {
        Found::Absent
    }

    async fn fetch(&self, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Gone)
    }
}
