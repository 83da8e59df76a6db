//! The models that the door offers, and what it tells about them.

use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tertulia_output::ollama::rfc3339;

use super::admit::Hall;
use super::fields::Fields;
use super::form;
use crate::body;
use crate::refusal::Refusal;

/// The word for what we are, where a model file has its architecture.
const FAMILY: &str = "tertulia";

/// How long a model is said to stay loaded from now on: it always is.
const STAYS: SignedDuration = SignedDuration::from_hours(24);

/// A model that the door offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCard {
    /// Its name, without `:latest`.
    pub name: String,
    /// How many tokens it takes.
    pub context_length: u64,
    /// What it can do beside talking.
    pub skills: Vec<ModelSkill>,
    /// When it last changed; clients only show it.
    pub modified_at: Timestamp,
}

/// What a model can do beside talking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSkill {
    /// Calls the client's tools.
    Tools,
    /// Sees pictures.
    Vision,
    /// Shows its reasoning.
    Thinking,
}

impl ModelSkill {
    fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Vision => "vision",
            Self::Thinking => "thinking",
        }
    }
}

impl ModelCard {
    /// True if a client means this model: with or without `:latest`.
    fn is(&self, asked: &str) -> bool {
        plain(asked) == plain(&self.name)
    }

    /// The name without its tag, as the daemon knows it.
    pub(super) fn plain_name(&self) -> &str {
        plain(&self.name)
    }

    fn full_name(&self) -> String {
        if self.plain_name().contains(':') {
            self.plain_name().to_owned()
        } else {
            format!("{}:latest", self.plain_name())
        }
    }

    fn entry(&self) -> Map<String, Value> {
        let digest: Vec<String> = Sha256::digest(&self.name)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut entry = Map::new();
        entry.insert("name".to_owned(), self.full_name().into());
        entry.insert("model".to_owned(), self.full_name().into());
        entry.insert("modified_at".to_owned(), rfc3339(self.modified_at).into());
        entry.insert("size".to_owned(), 0.into());
        entry.insert("digest".to_owned(), digest.concat().into());
        entry.insert("details".to_owned(), details());
        entry
    }

    fn show(&self) -> Value {
        let skills = self.skills.iter().map(|skill| skill.as_str());
        let skills: Vec<&str> = ["completion"].into_iter().chain(skills).collect();
        json!({
            "modelfile": "", "template": "", "details": details(), "capabilities": skills,
            "parameters": format!("num_ctx {}", self.context_length),
            "model_info": {
                "general.architecture": FAMILY,
                (format!("{FAMILY}.context_length")): self.context_length,
            },
            "modified_at": rfc3339(self.modified_at),
        })
    }
}

fn plain(name: &str) -> &str {
    name.strip_suffix(":latest").unwrap_or(name)
}

fn details() -> Value {
    json!({"parent_model": "", "format": "gguf", "family": FAMILY, "families": [FAMILY],
        "parameter_size": "", "quantization_level": ""})
}

/// The models that are offered, as long as no others are.
pub(super) struct Models(RwLock<Arc<[ModelCard]>>);

impl Models {
    pub(super) fn new(models: Vec<ModelCard>) -> Self {
        Self(RwLock::new(models.into()))
    }

    pub(super) fn replace(&self, models: Vec<ModelCard>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = models.into();
    }

    pub(super) fn all(&self) -> Arc<[ModelCard]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The model that a client asks for.
    pub(super) fn find(&self, asked: &str) -> Result<ModelCard, Refusal> {
        if asked.is_empty() {
            return Err(Refusal::bad("model is required"));
        }
        let models = self.all();
        let unknown = || {
            let names: Vec<String> = models.iter().map(ModelCard::full_name).collect();
            let text = format!("model '{asked}' not found; there is {}", names.join(", "));
            Refusal::new(StatusCode::NOT_FOUND, text)
        };
        models.iter().find(|model| model.is(asked)).cloned().ok_or_else(unknown)
    }
}

/// Reads the body of a request about a model: `model`, or `name` as older clients say.
pub(super) async fn read_model(hall: &Hall, request: Request) -> Result<ModelCard, Refusal> {
    let limits = &hall.config.limits;
    let body = body::read_object(request.into_body(), limits.small_body, limits.body).await?;
    let fields = Fields::new(&body, "ShowRequest");
    let name = match fields.text("model")? {
        "" => fields.text("name")?,
        model => model,
    };
    hall.models.find(name)
}

pub(super) async fn tags(State(hall): State<Hall>) -> Response {
    let models: Vec<_> = hall.models.all().iter().map(ModelCard::entry).collect();
    form::json(&json!({"models": models}))
}

pub(super) async fn running(State(hall): State<Hall>) -> Response {
    let now = (hall.config.clock)();
    let expires = now.checked_add(STAYS).unwrap_or(Timestamp::MAX);
    let models = hall.models.all();
    let models = models.iter().map(|model| {
        let mut entry = model.entry();
        entry.remove("modified_at");
        entry.insert("expires_at".to_owned(), rfc3339(expires).into());
        entry.insert("size_vram".to_owned(), 0.into());
        entry.insert("context_length".to_owned(), model.context_length.into());
        entry
    });
    form::json(&json!({"models": models.collect::<Vec<_>>()}))
}

pub(super) async fn show(State(hall): State<Hall>, request: Request) -> Response {
    form::settle(read_model(&hall, request).await.map(|model| form::json(&model.show())))
}
