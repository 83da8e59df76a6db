//! What a server's refusal teaches about a model: which parameter it does not take.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::model::{ChatLimit, ChatRole, ChatThinking, Traits};
use crate::failure::Evidence;

/// Of how many models it is remembered what they do not take.
const MODELS: usize = 64;

/// Something that may be refused while the rest of the request is fine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Parameter {
    MaxTokens,
    MaxCompletionTokens,
    SystemRole,
    DeveloperRole,
    Temperature,
    TopP,
    Stop,
    Seed,
    StreamOptions,
    Thinking,
    Schema,
    Json,
    Neighbours,
}

/// What a refusal teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lesson {
    pub(crate) parameter: Parameter,
    /// It is true of the model, and not of this one value.
    pub(crate) lasting: bool,
}

/// What is not to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Unwanted(BTreeSet<Parameter>);

/// What was learnt of the models of one server, by their names in lower case.
#[derive(Debug, Default)]
pub(crate) struct Learnt(Mutex<BTreeMap<String, Unwanted>>);

const REFUSING_CODES: [&str; 5] = [
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "unrecognized_parameter",
    "extra_forbidden",
];
const REFUSING_WORDS: [&str; 11] = [
    "not support",
    "unsupported",
    "not permitted",
    "unrecognized",
    "unknown parameter",
    "unknown field",
    "unexpected keyword",
    "extra inputs",
    "cannot be disabled",
    "unknown variant",
    "only user and assistant roles are supported",
];

impl Parameter {
    const ALL: [Self; 13] = [
        Self::MaxTokens,
        Self::MaxCompletionTokens,
        Self::SystemRole,
        Self::DeveloperRole,
        Self::Temperature,
        Self::TopP,
        Self::Stop,
        Self::Seed,
        Self::StreamOptions,
        Self::Thinking,
        Self::Schema,
        Self::Json,
        Self::Neighbours,
    ];

    /// The words by which servers name it.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::MaxTokens => &["max_tokens"],
            Self::MaxCompletionTokens => &["max_completion_tokens"],
            Self::SystemRole | Self::DeveloperRole => &["role", "roles"],
            Self::Temperature => &["temperature"],
            Self::TopP => &["top_p"],
            Self::Stop => &["stop"],
            Self::Seed => &["seed"],
            Self::StreamOptions => &["stream_options"],
            Self::Thinking => &["reasoning_effort", "thinking", "reasoning", "chat_template_kwargs"],
            Self::Schema | Self::Json => &["response_format"],
            Self::Neighbours => &["alternate", "alternating"],
        }
    }
}

impl Lesson {
    /// Reads a refusal of a request that carries what `carried` says.
    pub(crate) fn of(evidence: &Evidence, carried: impl Fn(Parameter) -> bool) -> Option<Self> {
        let message = evidence.message.to_lowercase();
        if wants_turns(evidence.status, &message) && carried(Parameter::Neighbours) {
            return Some(Self {
                parameter: Parameter::Neighbours,
                lasting: true,
            });
        }
        if !matches!(evidence.status, Some(400 | 422)) {
            return None;
        }
        let by_code = evidence
            .words
            .iter()
            .any(|word| REFUSING_CODES.contains(&word.as_str()));
        if !by_code && !REFUSING_WORDS.iter().any(|words| message.contains(words)) {
            return None;
        }
        let sent = || Parameter::ALL.into_iter().filter(|parameter| carried(*parameter));
        let parameter = match evidence.param.as_deref() {
            Some(param) => sent().find(|parameter| place(param, *parameter).is_some()),
            // the first that is named is the one that is meant
            None => sent()
                .filter_map(|parameter| Some((place(&message, parameter)?, parameter)))
                .min()
                .map(|(_, parameter)| parameter),
        }?;
        let of_one_value = match parameter {
            Parameter::Thinking => !message.contains("parameter"),
            Parameter::Schema => message.contains("invalid schema"),
            _ => false,
        };
        Some(Self {
            parameter,
            lasting: !of_one_value,
        })
    }
}

/// The model's template insists on turns; some servers take its refusal for a fault of their own.
fn wants_turns(status: Option<u16>, message: &str) -> bool {
    matches!(status, Some(400 | 422 | 500))
        && place(message, Parameter::Neighbours).is_some()
        && ["role", "assistant"].iter().any(|word| message.contains(word))
}

/// Where a text names a parameter, as a word of its own.
fn place(text: &str, parameter: Parameter) -> Option<usize> {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = |at: usize, name: &str| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(part_of_word) && !behind.is_some_and(part_of_word)
    };
    let first = |name: &&str| {
        text.match_indices(*name)
            .map(|(at, _)| at)
            .find(|at| is_word(*at, name))
    };
    parameter.names().iter().filter_map(first).min()
}

impl Unwanted {
    /// Whether this is new.
    pub(crate) fn insert(&mut self, parameter: Parameter) -> bool {
        self.0.insert(parameter)
    }

    /// The traits without what is unwanted.
    pub(crate) fn taken_from(&self, known: Traits) -> Traits {
        let wanted = |parameter| !self.0.contains(&parameter);
        let roles = [
            (known.system_role, true),
            (ChatRole::System, known.system_role == ChatRole::Developer),
        ];
        let takes = |role: ChatRole| match role {
            ChatRole::System => wanted(Parameter::SystemRole),
            ChatRole::Developer => wanted(Parameter::DeveloperRole),
            ChatRole::User => true,
        };
        let role = roles.into_iter().find(|(role, may)| *may && takes(*role));
        Traits {
            limit: self.limit(known.limit),
            system_role: role.map_or(ChatRole::User, |(role, _)| role),
            temperature: known.temperature && wanted(Parameter::Temperature),
            top_p: known.top_p && wanted(Parameter::TopP),
            stop: known.stop && wanted(Parameter::Stop),
            seed: known.seed && wanted(Parameter::Seed),
            stream_options: known.stream_options && wanted(Parameter::StreamOptions),
            thinking: if wanted(Parameter::Thinking) {
                known.thinking
            } else {
                ChatThinking::None
            },
            schema: known.schema && wanted(Parameter::Schema),
            json: known.json && wanted(Parameter::Json),
            neighbours: known.neighbours && wanted(Parameter::Neighbours),
        }
    }

    /// Where the one field is refused, the other is tried.
    fn limit(&self, known: ChatLimit) -> ChatLimit {
        let wanted = |parameter| !self.0.contains(&parameter);
        let (old, new) = (wanted(Parameter::MaxTokens), wanted(Parameter::MaxCompletionTokens));
        match known {
            ChatLimit::MaxTokens if old => ChatLimit::MaxTokens,
            ChatLimit::MaxTokens | ChatLimit::MaxCompletionTokens if new => ChatLimit::MaxCompletionTokens,
            ChatLimit::MaxCompletionTokens if old => ChatLimit::MaxTokens,
            _ => ChatLimit::None,
        }
    }
}

impl Learnt {
    pub(crate) fn of(&self, model: &str) -> Unwanted {
        self.models().get(&model.to_lowercase()).cloned().unwrap_or_default()
    }

    pub(crate) fn remember(&self, model: &str, parameter: Parameter) {
        let (mut models, model) = (self.models(), model.to_lowercase());
        if models.len() >= MODELS && !models.contains_key(&model) {
            models.pop_first();
        }
        models.entry(model).or_default().insert(parameter);
    }

    fn models(&self) -> MutexGuard<'_, BTreeMap<String, Unwanted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
