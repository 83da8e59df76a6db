//! What is special about a model behind OpenAI's shape, and what the operator says of it.

/// What is special about a model; what is absent stays as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChatModel {
    /// The field that bounds the answer.
    pub limit: Option<ChatLimit>,
    /// The role that carries the system prompt.
    pub system_role: Option<ChatRole>,
    /// It takes `temperature`.
    pub temperature: Option<bool>,
    /// It takes `top_p`.
    pub top_p: Option<bool>,
    /// It takes `stop`.
    pub stop: Option<bool>,
    /// It takes `seed`.
    pub seed: Option<bool>,
    /// It takes `stream_options`, with which it is asked to count tokens.
    pub stream_options: Option<bool>,
    /// How it is asked to think.
    pub thinking: Option<ChatThinking>,
    /// It takes a JSON schema that its answer must follow.
    pub schema: Option<bool>,
}

/// The field that bounds an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatLimit {
    /// None: the length cannot be bounded.
    None,
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// The role that carries the system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// `system`.
    System,
    /// `developer`.
    Developer,
    /// None of its own: it stands in front of the first message of the user.
    User,
}

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatThinking {
    /// Not at all: it cannot, or nothing is to be said about it.
    None,
    /// By `reasoning_effort`, a level.
    Effort,
    /// By `thinking: {"type": "enabled"}`, with `reasoning_effort` for a level.
    Switch,
    /// By `reasoning: {"enabled": true}` or `{"effort": ".."}`.
    Reasoning,
    /// By `chat_template_kwargs: {"enable_thinking": true}`.
    Template,
}

/// How a model is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of habits is what it is")]
pub(crate) struct Traits {
    pub(crate) limit: ChatLimit,
    pub(crate) system_role: ChatRole,
    pub(crate) temperature: bool,
    pub(crate) top_p: bool,
    pub(crate) stop: bool,
    pub(crate) seed: bool,
    pub(crate) stream_options: bool,
    pub(crate) thinking: ChatThinking,
    pub(crate) schema: bool,
    /// It takes the wish for a JSON object, of whatever schema.
    pub(crate) json: bool,
    /// It takes two messages of one role in a row.
    pub(crate) neighbours: bool,
}

impl Traits {
    /// What most servers of the shape take.
    pub(crate) const USUAL: Self = Self {
        limit: ChatLimit::MaxTokens,
        system_role: ChatRole::System,
        temperature: true,
        top_p: true,
        stop: true,
        seed: true,
        stream_options: true,
        thinking: ChatThinking::Effort,
        schema: true,
        json: true,
        neighbours: true,
    };

    /// With what the operator says.
    pub(crate) fn overruled(self, said: ChatModel) -> Self {
        Self {
            limit: said.limit.unwrap_or(self.limit),
            system_role: said.system_role.unwrap_or(self.system_role),
            temperature: said.temperature.unwrap_or(self.temperature),
            top_p: said.top_p.unwrap_or(self.top_p),
            stop: said.stop.unwrap_or(self.stop),
            seed: said.seed.unwrap_or(self.seed),
            stream_options: said.stream_options.unwrap_or(self.stream_options),
            thinking: said.thinking.unwrap_or(self.thinking),
            schema: said.schema.unwrap_or(self.schema),
            json: self.json,
            neighbours: self.neighbours,
        }
    }
}
