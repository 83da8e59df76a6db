//! What an engine is assembled from.

use std::collections::BTreeMap;
use std::sync::Arc;

use tertulia_core::authorize::AccessRules;
use tertulia_core::policy::Deadlines;
use tertulia_core::record::TurnSettings;
use tertulia_interface::Interface;
use tertulia_message::Account;
use tertulia_ports::{Provider, Store, Tool};

/// What an engine is assembled from.
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The providers by configured name.
    pub providers: BTreeMap<String, Arc<dyn Provider>>,
    /// The tools that models may call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The interfaces by configured name.
    pub interfaces: BTreeMap<String, Arc<dyn Interface>>,
    /// The rest.
    pub settings: Settings,
}

/// How the engine behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may speak where.
    pub access: AccessRules,
    /// The bot's own identities, where they are known beforehand: ignored as senders.
    pub own: Vec<Account>,
    /// Provider, model and system prompt of a new turn.
    pub turn: TurnSettings,
    /// How long to wait for what.
    pub deadlines: Deadlines,
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

impl Default for Settings {
    fn default() -> Self {
        Self {
            access: AccessRules::default(),
            own: Vec::new(),
            turn: TurnSettings {
                provider: String::new(),
                model: String::new(),
                system: String::new(),
            },
            deadlines: Deadlines::default(),
            rounds: 10,
            answer_bytes: 1 << 20,
            queue_bound: 50,
            history_entries: 400,
            sessions: 1024,
            passing_requests: 256,
        }
    }
}
