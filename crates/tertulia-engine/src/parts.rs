//! What an engine is assembled from.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tertulia_core::access::AccessRules;
use tertulia_core::policy::Deadlines;
use tertulia_core::preferences::{Catalog, Persona};
use tertulia_core::price::Prices;
use tertulia_core::session::Fallback;
use tertulia_interface::Interface;
use tertulia_message::Account;
use tertulia_ports::{Provider, Store, Tool};

use crate::error::EngineError;

/// What an engine is assembled from.
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The interfaces by configured name.
    pub interfaces: BTreeMap<String, Arc<dyn Interface>>,
    /// True if there is an interface on which a stranger may become the first admin: a chat platform, not an HTTP door.
    pub claimable: bool,
    /// What can be replaced while everything runs.
    pub live: Live,
    /// Reads the configuration again; without, `/reload` says that there is none.
    pub reload: Option<Arc<dyn Reload>>,
}

/// What can be replaced while everything runs. A turn keeps what it began with.
#[derive(Clone)]
pub struct Live {
    /// The providers by configured name.
    pub providers: BTreeMap<String, ProviderPart>,
    /// The tools that models may call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The personas by name.
    pub personas: BTreeMap<String, Persona>,
    /// What holds where nothing is set; its provider has to be there.
    pub base: Persona,
    /// The rest.
    pub settings: Settings,
}

/// A provider with how it is asked.
#[derive(Clone)]
pub struct ProviderPart {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Its model where nothing else names one; may be empty.
    pub model: String,
    /// How long to wait for what.
    pub deadlines: Deadlines,
    /// The configured names of those that are asked where it cannot answer, in this order.
    pub fallback: Vec<String>,
    /// What its models cost, by their names; to be read by [`ProviderPart::prices_of`].
    pub prices: BTreeMap<String, Prices>,
    /// The most questions to it at once; others wait.
    pub at_once: usize,
}

impl ProviderPart {
    /// What a model costs, where that is known. As with its abilities, upper and lower case do not matter, unless there are
    /// prices for both.
    #[must_use]
    pub fn prices_of(&self, model: &str) -> Option<Prices> {
        let alike = || {
            let name = model.to_lowercase();
            self.prices.iter().find(|(known, _)| known.to_lowercase() == name)
        };
        let found = self.prices.get_key_value(model).or_else(alike);
        found.map(|(_, prices)| *prices)
    }
}

/// Reads the configuration again.
#[async_trait]
pub trait Reload: Send + Sync {
    /// Reads and checks all of it; builds what is new.
    ///
    /// # Errors
    /// One sentence for the operator: what is wrong, and where. Then nothing is changed.
    async fn reload(&self) -> Result<Reloaded, String>;
}

/// A configuration that was read again.
pub struct Reloaded {
    /// What it says.
    pub live: Live,
    /// What it changes that only a restart can bring about, in sentences.
    pub notes: Vec<String>,
}

/// How the engine behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may speak where.
    pub access: AccessRules,
    /// The bot's own identities, where they are known beforehand: ignored as senders.
    pub own: Vec<Account>,
    /// The most rounds of tool calls in a turn.
    pub rounds: u32,
    /// The longest answer, in bytes.
    pub answer_bytes: usize,
    /// The most open messages of a conversation; commands are counted apart, up to the same number.
    pub queue_bound: u32,
    /// The most entries of a history that are read for a turn.
    pub history_entries: u32,
    /// The most conversations at work at once; others wait for their turn, first come, first served.
    pub sessions: usize,
    /// The most requests with a history of their own at once.
    pub passing_requests: usize,
}

impl Live {
    /// Makes sure that what has to be there is there.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        let provider = self.base.provider.clone().unwrap_or_default();
        if self.providers.contains_key(&provider) {
            Ok(())
        } else {
            Err(EngineError::NoProvider(provider))
        }
    }

    /// Those that are asked where this provider cannot answer, each with its own model; names that are not there are left out.
    pub(crate) fn fallbacks(&self, provider: &str) -> Vec<Fallback> {
        let chain = self.providers.get(provider).map(|part| part.fallback.as_slice());
        let chain = chain.unwrap_or_default().iter().filter(|name| *name != provider);
        let found = chain.filter_map(|name| Some((name, self.providers.get(name)?)));
        found
            .map(|(name, part)| Fallback {
                provider: name.clone(),
                model: part.model.clone(),
                capabilities: part.provider.capabilities(&part.model),
                deadlines: part.deadlines,
                prices: part.prices_of(&part.model),
            })
            .collect()
    }

    /// What it offers to choose from.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        let model = |(name, part): (&String, &ProviderPart)| (name.clone(), part.model.clone());
        Catalog {
            providers: self.providers.iter().map(model).collect(),
            personas: self.personas.clone(),
            tools: self.tools.iter().map(|tool| tool.spec().offer.name.clone()).collect(),
            base: self.base.clone(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            access: AccessRules::default(),
            own: Vec::new(),
            rounds: 10,
            answer_bytes: 1 << 20,
            queue_bound: 50,
            history_entries: 400,
            sessions: 1024,
            passing_requests: 256,
        }
    }
}
