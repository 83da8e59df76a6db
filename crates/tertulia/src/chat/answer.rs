//! An answer while it comes: Ollama's lines in, text out.

use std::io::IsTerminal;

use serde_json::Value;

use super::write;
use crate::failure::Failure;
use crate::terminal::harmless;

const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// The longest line that is taken, in bytes.
const LONGEST: usize = 16 << 20;

/// Where the answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Screen {
    /// A terminal: thinking is shown dim, and nothing may steer it.
    Terminal,
    /// A pipe or a file, which gets the answer alone.
    Pipe,
}

impl Screen {
    pub(super) fn of_process() -> Self {
        if std::io::stdout().is_terminal() {
            Self::Terminal
        } else {
            Self::Pipe
        }
    }
}

/// An answer of which pieces come in.
pub(super) struct Answer {
    screen: Screen,
    rest: Vec<u8>,
    /// How much of the rest has no line break in it.
    searched: usize,
    is_dim: bool,
    is_done: bool,
    has_shown: bool,
}

impl Answer {
    pub(super) fn new(screen: Screen) -> Self {
        Self {
            screen,
            rest: Vec::new(),
            searched: 0,
            is_dim: false,
            is_done: false,
            has_shown: false,
        }
    }

    /// Takes bytes as they come, and shows what is complete.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let shown = self.take(bytes);
        let (text, failure) = match shown {
            Ok(text) => (text, Ok(())),
            Err((text, failure)) => (text, Err(failure)),
        };
        write(text.as_bytes())?;
        self.has_shown |= !text.is_empty();
        failure
    }

    /// True if there is something on the screen.
    pub(super) fn has_shown(&self) -> bool {
        self.has_shown
    }

    /// The answer has ended; it is an error if it was not complete.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        self.read(b"\n")?;
        if self.is_done {
            Ok(())
        } else {
            Err(Failure::broken("the answer broke off before its end"))
        }
    }

    /// What to show for some more bytes; with an error, what comes before it.
    fn take(&mut self, bytes: &[u8]) -> Result<String, (String, Failure)> {
        self.rest.extend_from_slice(bytes);
        let mut text = String::new();
        while let Some(end) = self.rest.iter().skip(self.searched).position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=self.searched + end).collect();
            self.searched = 0;
            match self.line(line.trim_ascii()) {
                Ok(shown) => text.push_str(&shown),
                Err(failure) => return Err((text + self.dim(false), failure)),
            }
        }
        self.searched = self.rest.len();
        if self.rest.len() > LONGEST {
            return Err((text, Failure::broken("the daemon sent a line that is too long")));
        }
        Ok(text)
    }

    fn line(&mut self, line: &[u8]) -> Result<String, Failure> {
        if line.is_empty() {
            return Ok(String::new());
        }
        let line: Value = serde_json::from_slice(line)
            .map_err(|_| Failure::broken("what answers there does not speak Ollama's API"))?;
        if let Some(error) = line.get("error") {
            let error = error.as_str().unwrap_or("an error without words");
            return Err(Failure::broken(format!("the daemon says: {}", harmless(error))));
        }
        self.is_done |= line.get("done").and_then(Value::as_bool).unwrap_or_default();
        let part = |key| {
            line.get("message")
                .and_then(|message| message.get(key))
                .and_then(Value::as_str)
        };
        let mut text = String::new();
        if let Some(thinking) = part("thinking").filter(|text| !text.is_empty() && self.screen == Screen::Terminal) {
            text.push_str(self.dim(true));
            text.push_str(&harmless(thinking));
        }
        if let Some(content) = part("content").filter(|text| !text.is_empty()) {
            if self.is_dim {
                text.push_str(self.dim(false));
                text.push('\n');
            }
            match self.screen {
                Screen::Terminal => text.push_str(&harmless(content)),
                Screen::Pipe => text.push_str(content),
            }
        }
        if self.is_done {
            text.push_str(self.dim(false));
        }
        Ok(text)
    }

    fn dim(&mut self, dim: bool) -> &'static str {
        let before = std::mem::replace(&mut self.is_dim, dim);
        match (before, dim) {
            (false, true) => DIM,
            (true, false) => PLAIN,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THINKING: &str = r#"{"message":{"content":"","thinking":"hm"},"done":false}"#;
    const CONTENT: &str = r#"{"message":{"content":"a\u001b[2Jb"},"done":false}"#;
    const END: &str = r#"{"message":{"content":""},"done":true}"#;

    #[track_caller]
    fn check(screen: Screen, lines: &[&str], expected: &str) {
        let bytes = lines.join("\n") + "\n";
        for size in [1, 7, 4096] {
            let mut answer = Answer::new(screen);
            let pieces = bytes.as_bytes().chunks(size);
            let text: String = pieces
                .map(|piece| answer.take(piece).map_err(|(_, failure)| failure).unwrap())
                .collect();
            assert_eq!(text, expected);
            assert!(answer.is_done);
        }
    }

    #[test]
    fn a_terminal_sees_thinking_dim_and_is_not_steered() {
        check(
            Screen::Terminal,
            &[THINKING, CONTENT, END],
            "\u{1b}[2mhm\u{1b}[0m\na[2Jb",
        );
        check(Screen::Terminal, &[THINKING, END], "\u{1b}[2mhm\u{1b}[0m");
    }

    #[test]
    fn a_pipe_gets_the_answer_alone() {
        check(Screen::Pipe, &[THINKING, CONTENT, END], "a\u{1b}[2Jb");
    }

    #[test]
    fn an_error_ends_the_answer() {
        let mut answer = Answer::new(Screen::Pipe);
        let (text, failure) = answer
            .take(b"{\"message\":{\"content\":\"a\"}}\n{\"error\":\"no\"}\n")
            .unwrap_err();
        assert_eq!(
            (text.as_str(), failure.to_string().as_str()),
            ("a", "the daemon says: no")
        );
        assert!(answer.end().is_err());
    }
}
