//! A writer for logs that knows every secret, and writes none.

use std::io::{self, Write};
use std::sync::{Arc, PoisonError, RwLock};

use tracing_subscriber::fmt::MakeWriter;

/// What stands in place of a secret.
const INSTEAD: &str = "[secret]";

/// Shorter ones are no secrets, in bytes: many a local server takes any key, such as `ollama` or `none`, and to replace
/// these words would make logs unreadable.
const SHORTEST: usize = 8;

/// Makes a writer for each event.
#[derive(Clone)]
pub(super) struct Redacting {
    needles: Arc<RwLock<Arc<[String]>>>,
}

/// One event. It is gathered until it is complete, so that no secret slips through in two pieces.
pub(super) struct Event {
    needles: Arc<RwLock<Arc<[String]>>>,
    text: Vec<u8>,
}

impl Redacting {
    pub(super) fn new<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let writer = Self {
            needles: Arc::new(RwLock::new(Arc::default())),
        };
        writer.add(secrets);
        writer
    }

    /// Also hides these; none is ever shown again.
    pub(super) fn add<'a>(&self, secrets: impl Iterator<Item = &'a str>) {
        let new = secrets
            .map(str::trim)
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(spellings);
        let mut known = self.needles.write().unwrap_or_else(PoisonError::into_inner);
        let mut needles: Vec<String> = known.iter().cloned().chain(new).collect();
        // the longest first: one secret may begin with another
        needles.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        needles.dedup();
        *known = needles.into();
    }
}

/// A secret as logs may spell it: as it is, as Rust prints it, and both inside JSON.
fn spellings(secret: &str) -> Vec<String> {
    let printed = inner(&format!("{secret:?}"));
    let in_json = |text: &str| inner(&serde_json::Value::from(text).to_string());
    vec![secret.to_owned(), in_json(secret), in_json(&printed), printed]
}

/// A text without the quotes around it.
fn inner(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or(quoted).to_owned()
}

impl<'a> MakeWriter<'a> for Redacting {
    type Writer = Event;

    fn make_writer(&'a self) -> Event {
        Event {
            needles: Arc::clone(&self.needles),
            text: Vec::new(),
        }
    }
}

impl Event {
    fn redacted(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.text).into_owned();
        let needles = Arc::clone(&self.needles.read().unwrap_or_else(PoisonError::into_inner));
        for needle in needles.iter() {
            if text.contains(needle.as_str()) {
                text = text.replace(needle.as_str(), INSTEAD);
            }
        }
        text
    }
}

impl Write for Event {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // where logs cannot be written there is nobody to tell
        let _ = io::stderr().lock().write_all(self.redacted().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secrets: &[&str], pieces: &[&str], expected: &str) {
        let writer = Redacting::new(secrets.iter().copied());
        let mut event = writer.make_writer();
        for piece in pieces {
            event.write_all(piece.as_bytes()).unwrap();
        }
        assert_eq!(event.redacted(), expected);
        event.text.clear();
    }

    #[test]
    fn secrets_are_replaced_however_they_are_written() {
        check(&["a-canary"], &["it is a-canary\n"], "it is [secret]\n");
        check(&["a-canary"], &["a-can", "ary, a-can", "ary"], "[secret], [secret]");
        check(
            &["a-can\"ary"],
            &[r#"{"a":"a-can\"ary"} "a-can\"ary""#],
            r#"{"a":"[secret]"} "[secret]""#,
        );
        check(
            &["a-can\"ary"],
            &[r#"{"a":"Some(\"a-can\\\"ary\")"}"#],
            r#"{"a":"Some(\"[secret]\")"}"#,
        );
        check(&["a-canary", "a-canary-long"], &["a-canary-long"], "[secret]");
    }

    #[test]
    fn a_secret_that_comes_later_is_hidden_and_the_first_one_stays_so() {
        let writer = Redacting::new(["a-canary"].into_iter());
        let mut event = writer.make_writer();
        writer.add(["a-later-canary"].into_iter());
        event.write_all(b"a-canary, a-later-canary").unwrap();
        assert_eq!(event.redacted(), "[secret], [secret]");
        event.text.clear();
    }

    #[test]
    fn what_is_no_secret_stays() {
        let path = "path=ollama_serve/1\n";
        check(&["", " ", "ollama"], &[path], path);
    }
}
