//! The first lines of blocks of code.

/// The first line of a block of code.
#[derive(Debug)]
pub(super) struct Opener {
    /// The line, with the blanks behind it.
    pub(super) text: String,
    pub(super) tick: char,
    pub(super) ticks: usize,
}

/// What a run of backticks or tildes begins.
#[derive(Debug)]
pub(super) enum Head {
    /// More has to be read.
    Maybe,
    /// No block; so many of them.
    None(usize),
    /// A block of code in some language.
    Plain(Opener),
    /// A block that may be a call.
    Open(Opener),
}

/// The longest first or last line that is waited for, in bytes.
pub(super) const LONGEST: usize = 60;
/// What models call the language of their calls.
const LANGUAGES: [&str; 11] = [
    "",
    "json",
    "jsonc",
    "json5",
    "xml",
    "text",
    "plaintext",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_code",
];

/// How many of a letter a text begins with.
pub(super) fn run(text: &str, letter: char) -> usize {
    text.len() - text.trim_start_matches(letter).len()
}

/// What a text begins that begins with `tick`.
pub(super) fn head(text: &str, tick: char, at_line_start: bool) -> Head {
    let ticks = run(text, tick);
    if ticks == text.len() && ticks <= LONGEST {
        return Head::Maybe;
    }
    if !(3..=LONGEST).contains(&ticks) || !at_line_start {
        return Head::None(ticks);
    }
    let (line, is_whole) = match text.split_once('\n') {
        Some((line, _)) => (line.len() + 1, true),
        None => (text.len(), false),
    };
    let info = text.get(ticks..line).unwrap_or_default().trim();
    if tick == '`' && info.contains('`') {
        return Head::None(ticks);
    }
    if !is_whole && text.len() <= LONGEST {
        return Head::Maybe;
    }
    let opener = Opener {
        text: text.get(..line).unwrap_or_default().to_owned(),
        tick,
        ticks,
    };
    if is_whole && LANGUAGES.contains(&info.to_lowercase().as_str()) {
        Head::Open(opener)
    } else {
        Head::Plain(opener)
    }
}
