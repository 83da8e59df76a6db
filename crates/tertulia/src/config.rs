//! The configuration: read in layers, checked against the schema, then made into types of its own.

mod error;
mod file;
mod layers;
mod schema;
mod secrets;
mod settings;
mod validate;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tertulia_core::access::AccessRules;
use tertulia_core::nearest;
use tertulia_core::policy::Deadlines;
use tertulia_core::price::Prices;
use tertulia_interface::Interface;
#[cfg(feature = "matrix")]
use tertulia_matrix::Matrix;
use tertulia_message::InterfaceName;
use tertulia_providers::{
    AnthropicConfig, DeepSeekConfig, GoogleConfig, HuggingFaceConfig, OllamaConfig, OpenAiConfig, OpenRouterConfig,
    ReplicateConfig, ServerConfig,
};
use tertulia_telegram::Telegram;

pub(crate) use error::ConfigError;
pub(crate) use layers::Sources;
pub(crate) use schema::{Given, Shape};
pub(crate) use secrets::{Known, of_variable as key_of_variable, read_file};
pub(crate) use settings::Settings;
pub(crate) use validate::{Service, address_problem, found, kinds};

use crate::environment::Environment;

/// A configuration that can be run.
pub(crate) struct Configuration {
    pub(crate) server: ServerSettings,
    /// The name of the Ollama door, if it is on.
    pub(crate) door: Option<InterfaceName>,
    /// The interfaces that need no port of ours.
    pub(crate) platforms: BTreeMap<String, Platform>,
    /// What interfaces are there without a section of their own, in sentences.
    pub(crate) found: Vec<String>,
    /// The providers by name; with none, the environment is searched for one.
    pub(crate) providers: BTreeMap<String, ProviderSettings>,
    /// How the bot answers where nothing else is set: `personas.default`.
    pub(crate) persona: Persona,
    /// The other personas by name.
    pub(crate) personas: BTreeMap<String, Persona>,
    pub(crate) access: AccessRules,
    /// The names of the tools that models may call.
    pub(crate) tools: Vec<String>,
    /// The directory that everything is kept in.
    pub(crate) directory: PathBuf,
    pub(crate) log: LogSettings,
    pub(crate) limits: Limits,
    /// Every secret that was read.
    pub(crate) secrets: Known,
    /// What all of this was made from.
    pub(crate) settings: Settings,
}

/// The little of a configuration that a client of the daemon needs; the rest may be wrong, or not for its eyes.
pub(crate) struct Glance {
    /// The directory that everything is kept in.
    pub(crate) directory: PathBuf,
    /// The names of the interfaces, also of those that are switched off.
    pub(crate) interfaces: Vec<String>,
}

/// The HTTP server.
pub(crate) struct ServerSettings {
    pub(crate) address: SocketAddr,
    pub(crate) tokens: Vec<SecretString>,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) connections: usize,
}

/// An interface that needs no port of ours.
pub(crate) struct Platform {
    /// It, ready to listen.
    pub(crate) interface: Arc<dyn Interface>,
    /// What else is known of it.
    pub(crate) kind: PlatformKind,
}

/// What a platform is.
pub(crate) enum PlatformKind {
    Telegram(TelegramBot),
    #[cfg(feature = "matrix")]
    Matrix(MatrixAccount),
    /// The chat platform that only tests use.
    #[cfg(feature = "loopback")]
    Loopback,
}

/// A Telegram bot.
pub(crate) struct TelegramBot {
    pub(crate) interface: Arc<Telegram>,
    /// Where the Bot API is served.
    pub(crate) base_url: String,
    pub(crate) token: SecretString,
}

/// A Matrix account.
#[cfg(feature = "matrix")]
pub(crate) struct MatrixAccount {
    pub(crate) interface: Arc<Matrix>,
    /// Where the client API is served.
    pub(crate) homeserver: String,
    /// Its id; without one the server tells whose the token is.
    pub(crate) user: Option<String>,
    /// How commands begin.
    pub(crate) command_prefix: String,
    /// False if encrypted rooms are switched off.
    pub(crate) is_encrypting: bool,
    /// Where its session and keys lie.
    pub(crate) directory: PathBuf,
    /// What it logs in with, each by the word for it.
    pub(crate) secrets: Vec<(&'static str, SecretString)>,
}

/// The most questions to a provider at once where nothing is said.
pub(crate) const AT_ONCE: usize = 1024;

/// A provider.
#[derive(Clone)]
pub(crate) struct ProviderSettings {
    pub(crate) kind: ProviderKind,
    pub(crate) deadlines: Deadlines,
    /// Those that are asked where it cannot answer, by their names.
    pub(crate) fallback: Vec<String>,
    /// What its models cost.
    pub(crate) prices: BTreeMap<String, Prices>,
    /// The most questions to it at once.
    pub(crate) at_once: usize,
    /// The model for turns that name none; may be empty.
    pub(crate) model: String,
}

/// What a provider is.
#[derive(Clone, PartialEq)]
pub(crate) enum ProviderKind {
    /// A server of OpenAI's shape.
    OpenAi(Box<OpenAiConfig>),
    /// Anthropic's Messages API.
    Anthropic(Box<AnthropicConfig>),
    /// Gemini, by its own API.
    Google(Box<GoogleConfig>),
    /// DeepSeek.
    DeepSeek(Box<DeepSeekConfig>),
    /// `OpenRouter`.
    OpenRouter(Box<OpenRouterConfig>),
    /// `HuggingFace`.
    HuggingFace(Box<HuggingFaceConfig>),
    /// Replicate.
    Replicate(Box<ReplicateConfig>),
    /// An Ollama, by its own API.
    Ollama(Box<OllamaConfig>),
    /// The built-in demo, with a pause before each word.
    Demo(Duration),
}

/// How the bot answers.
#[derive(Default)]
pub(crate) struct Persona {
    /// The provider that is named; else the default persona's, and for that one the first by name.
    pub(crate) provider: Option<String>,
    /// The model that is named; else the provider's.
    pub(crate) model: Option<String>,
    /// What conversations begin with; if absent, what the default persona says, or nothing.
    pub(crate) system: Option<String>,
}

/// What is logged, and how.
pub(crate) struct LogSettings {
    pub(crate) json: bool,
    /// A filter in the words of `tracing`, e.g. `info,hyper=warn`.
    pub(crate) level: String,
}

/// Bounds of the engine.
pub(crate) struct Limits {
    pub(crate) queue: u32,
    pub(crate) answer_bytes: usize,
    pub(crate) rounds: u32,
    pub(crate) history_entries: u32,
    pub(crate) passing_requests: usize,
    pub(crate) conversations: usize,
}

impl Platform {
    /// What it is let in with, each by the word for it.
    pub(crate) fn secrets(&self) -> Vec<(&'static str, &SecretString)> {
        match &self.kind {
            PlatformKind::Telegram(bot) => vec![("token", &bot.token)],
            #[cfg(feature = "matrix")]
            PlatformKind::Matrix(account) => account.secrets.iter().map(|(word, secret)| (*word, secret)).collect(),
            #[cfg(feature = "loopback")]
            PlatformKind::Loopback => Vec::new(),
        }
    }
}

impl Persona {
    /// The provider that answers: the one that is named, else the first by name.
    pub(crate) fn answering<'a>(
        &self,
        providers: &'a BTreeMap<String, ProviderSettings>,
    ) -> Option<(&'a str, &'a ProviderSettings)> {
        let found = match &self.provider {
            Some(name) => providers.get_key_value(name),
            None => providers.first_key_value(),
        };
        found.map(|(name, provider)| (name.as_str(), provider))
    }
}

impl ProviderKind {
    /// The word for it in `bot.toml`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::OpenAi(_) => "openai",
            Self::Anthropic(_) => "anthropic",
            Self::Google(_) => "google",
            Self::DeepSeek(_) => "deepseek",
            Self::OpenRouter(_) => "openrouter",
            Self::HuggingFace(_) => "huggingface",
            Self::Replicate(_) => "replicate",
            Self::Ollama(_) => "ollama",
            Self::Demo(_) => "demo",
        }
    }

    /// How its server is reached, if it has one.
    pub(crate) fn server(&self) -> Option<&ServerConfig> {
        match self {
            Self::OpenAi(config) => Some(&config.server),
            Self::Anthropic(config) => Some(&config.server),
            Self::Google(config) => Some(&config.server),
            Self::DeepSeek(config) => Some(&config.server),
            Self::OpenRouter(config) => Some(&config.server),
            Self::HuggingFace(config) => Some(&config.server),
            Self::Replicate(config) => Some(&config.server),
            Self::Ollama(config) => Some(&config.server),
            Self::Demo(_) => None,
        }
    }
}

impl ProviderSettings {
    /// True if it cannot be asked without a model, and has none of its own.
    fn needs_model(&self) -> bool {
        !matches!(self.kind, ProviderKind::Demo(_)) && self.model.is_empty()
    }
}

impl Configuration {
    /// How commands begin on the first Matrix account, whose clients keep those with a slash for themselves.
    pub(crate) fn command_prefix(&self) -> Option<&str> {
        self.platforms.values().find_map(|platform| match &platform.kind {
            #[cfg(feature = "matrix")]
            PlatformKind::Matrix(account) => Some(account.command_prefix.as_str()),
            _ => None,
        })
    }

    /// Reads all layers and checks everything that can be checked without starting anything.
    ///
    /// # Errors
    /// The first thing that is wrong, in one sentence that names where it stands.
    pub(crate) fn read(sources: &Sources, environment: &Environment) -> Result<Self, ConfigError> {
        let merged = layers::Merged::read(sources, environment)?;
        validate::validate(Settings::check(&merged)?, environment)
    }

    /// Reads as little as a client of the daemon needs.
    ///
    /// # Errors
    /// As [`Configuration::read`], of what was read.
    pub(crate) fn glance(sources: &Sources, environment: &Environment) -> Result<Glance, ConfigError> {
        let merged = layers::Merged::read(sources, environment)?;
        validate::glance(&Settings::check(&merged)?, environment)
    }
}
