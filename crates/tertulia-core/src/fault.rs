//! Failures as people read them: the only bridge from internal errors to a chat.

use std::fmt;
use std::time::Duration;

use crate::provider::{ProviderFault, Stop};

/// Text that anybody in the conversation may read. Made only from a [`Fault`], never from an error's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicText(String);

impl PublicText {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a turn could not be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The provider failed.
    Provider(ProviderFault),
    /// The provider did not begin in time.
    NoFirstByte(Duration),
    /// The provider fell silent.
    Idle(Duration),
    /// The answer took longer than allowed in all.
    TooSlow(Duration),
    /// The provider had no free place for the question.
    Busy,
    /// The model answered nothing.
    Hollow(Hollow),
    /// The model called a tool in a way that cannot be read, also when it was told so.
    BrokenCall,
    /// The answer grew longer than is allowed.
    TooMuch,
    /// The model called tools for more rounds than allowed.
    TooManyRounds(u32),
    /// The daemon was restarted while a tool with effects was at work; whether it did its work is not known.
    ToolInterrupted(String),
    /// The daemon was restarted too often during this turn.
    Interrupted,
    /// The daemon is ending, and the reader cannot wait for its return.
    Leaving,
    /// The store could not write for so long that the reader is told.
    NotStored,
    /// A bug; logged, and the conversation goes on with the next message.
    Internal,
}

/// What there was in place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hollow {
    /// Nothing at all.
    Nothing,
    /// The model thought, and said nothing.
    OnlyThinking,
    /// The provider's filter let nothing through.
    Filtered,
    /// The length limit was reached before the model said anything.
    Length,
}

impl Hollow {
    /// What there is in place of an answer without text, after which a model stopped.
    #[must_use]
    pub fn of(stop: Stop, thought: bool) -> Self {
        match stop {
            Stop::Filtered => Self::Filtered,
            Stop::Length => Self::Length,
            Stop::Done | Stop::ToolCalls if thought => Self::OnlyThinking,
            Stop::Done | Stop::ToolCalls => Self::Nothing,
        }
    }

    /// True if the same question may well be answered the next time, or by somebody else. What a filter has decided is not
    /// evaded, and a length limit is the same for all.
    #[must_use]
    pub fn is_chance(self) -> bool {
        matches!(self, Self::Nothing | Self::OnlyThinking)
    }
}

impl Fault {
    /// A stable word for clients.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Provider(fault) => provider_code(*fault),
            Self::NoFirstByte(_) | Self::Idle(_) | Self::TooSlow(_) => "provider_timeout",
            Self::Busy => "provider_busy",
            Self::Hollow(_) => "empty_answer",
            Self::BrokenCall => "broken_tool_call",
            Self::TooMuch => "answer_too_long",
            Self::TooManyRounds(_) => "too_many_rounds",
            Self::ToolInterrupted(_) | Self::Interrupted | Self::Leaving => "interrupted",
            Self::NotStored => "not_stored",
            Self::Internal => "internal_error",
        }
    }

    /// What people read: one sentence that says what happened and what may help.
    #[must_use]
    pub fn public(&self) -> PublicText {
        PublicText(match self {
            Self::Provider(fault) => provider_text(*fault).to_owned(),
            Self::NoFirstByte(limit) => {
                format!(
                    "The language model did not begin to answer within {}. Please try again.",
                    seconds(*limit)
                )
            }
            Self::Idle(limit) => {
                format!(
                    "The language model fell silent for {} in the middle of its answer.",
                    seconds(*limit)
                )
            }
            Self::TooSlow(limit) => format!("The answer was not complete after {}.", seconds(*limit)),
            Self::Busy => "The language model is busy with other questions. Please try again in a moment.".to_owned(),
            Self::Hollow(hollow) => hollow_text(*hollow).to_owned(),
            Self::BrokenCall => {
                "The language model wanted to use a tool, but said so in a way that cannot be understood. Please rephrase, or \
                 try again."
                    .to_owned()
            }
            Self::TooMuch => "The answer grew too long and was cut here.".to_owned(),
            Self::TooManyRounds(rounds) => format!("Stopped after {rounds} rounds of tool calls without an answer."),
            Self::ToolInterrupted(tool) => {
                format!(
                    "Interrupted by a restart while {tool} was at work; it may have done its work, and was not repeated."
                )
            }
            Self::Interrupted => "Interrupted by repeated restarts. Please ask again.".to_owned(),
            Self::Leaving => "Interrupted by a restart. Please ask again in a moment.".to_owned(),
            Self::NotStored => {
                "This cannot be stored at the moment; perhaps the disk is full. The operator has to look at it."
                    .to_owned()
            }
            Self::Internal => {
                "Something went wrong inside the bot. The operator finds the details in the log.".to_owned()
            }
        })
    }
}

fn seconds(limit: Duration) -> String {
    if limit < Duration::from_secs(1) {
        return format!("{} ms", limit.as_millis());
    }
    format!("{} s", limit.as_secs())
}

fn hollow_text(hollow: Hollow) -> &'static str {
    match hollow {
        Hollow::Nothing => "The language model gave an empty answer. Please rephrase, or try again.",
        Hollow::OnlyThinking => "The language model thought, but gave no answer. Please rephrase, or try again.",
        Hollow::Filtered => "The provider's filter let no answer through. Please rephrase.",
        Hollow::Length => {
            "The language model reached its length limit before it came to an answer. Please ask for less at once."
        }
    }
}

fn provider_code(fault: ProviderFault) -> &'static str {
    match fault {
        ProviderFault::RateLimited { .. } => "provider_rate_limited",
        ProviderFault::Unavailable { .. } => "provider_unavailable",
        ProviderFault::Unreachable => "provider_unreachable",
        ProviderFault::Broken => "provider_broken_stream",
        ProviderFault::Unauthorized => "provider_unauthorized",
        ProviderFault::Billing => "provider_billing",
        ProviderFault::NoSuchModel => "provider_no_such_model",
        ProviderFault::ContextTooLong => "context_too_long",
        ProviderFault::Rejected => "provider_rejected",
        ProviderFault::NotConfigured => "provider_not_configured",
    }
}

fn provider_text(fault: ProviderFault) -> &'static str {
    match fault {
        ProviderFault::RateLimited { .. } => {
            "The language model's provider asks us to slow down. Please try again later."
        }
        ProviderFault::Unavailable { .. } => {
            "The language model's provider is overloaded or down. Please try again later."
        }
        ProviderFault::Unreachable => "The language model's provider cannot be reached. Please try again later.",
        ProviderFault::Broken => "The connection to the language model broke off before its answer was complete.",
        ProviderFault::Unauthorized => {
            "The language model's provider does not accept the configured key. The operator has to look at it."
        }
        ProviderFault::Billing => {
            "The account at the language model's provider has no credit left. The operator has to look at it."
        }
        ProviderFault::NoSuchModel => {
            "The provider does not know the configured model. The operator has to look at it."
        }
        ProviderFault::ContextTooLong => {
            "This is more than the language model can read at once, even without what was said before. \
             Please send less."
        }
        ProviderFault::Rejected => "The language model's provider refused this request.",
        ProviderFault::NotConfigured => "No language model is configured. The operator has to look at it.",
    }
}
