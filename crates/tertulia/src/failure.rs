//! How a command ends when it cannot do what it was asked for: one sentence and an exit code.

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub(crate) struct Failure {
    /// What a person reads on standard error.
    sentence: String,
    code: u8,
}

impl Failure {
    /// What was given is not valid.
    pub(crate) fn invalid(sentence: impl Into<String>) -> Self {
        Self::new(1, sentence)
    }

    /// Not all of it could be done; what could is done.
    pub(crate) fn partly(sentence: impl Into<String>) -> Self {
        Self::new(2, sentence)
    }

    /// No daemon is there to be asked (`EX_UNAVAILABLE`).
    pub(crate) fn unavailable(sentence: impl Into<String>) -> Self {
        Self::new(69, sentence)
    }

    /// We may not do it, somebody else may (`EX_NOPERM`).
    pub(crate) fn not_permitted(sentence: impl Into<String>) -> Self {
        Self::new(77, sentence)
    }

    /// Something broke that no setting would mend; the supervisor should start the program again.
    pub(crate) fn broken(sentence: impl Into<String>) -> Self {
        Self::new(1, sentence)
    }

    /// Somebody else has what we need; it may be free later (`EX_TEMPFAIL`).
    pub(crate) fn busy(sentence: impl Into<String>) -> Self {
        Self::new(75, sentence)
    }

    /// The configuration is wrong; starting again does not help (`EX_CONFIG`).
    pub(crate) fn config(sentence: impl Into<String>) -> Self {
        Self::new(78, sentence)
    }

    /// True if no daemon is there.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.code == 69
    }

    /// True if somebody else may do it.
    pub(crate) fn is_not_permitted(&self) -> bool {
        self.code == 77
    }

    /// True if somebody else has what we need.
    pub(crate) fn is_busy(&self) -> bool {
        self.code == 75
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    fn new(code: u8, sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code,
        }
    }
}

/// An error with its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace('\n', " ")
}
