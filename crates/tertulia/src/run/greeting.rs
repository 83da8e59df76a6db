//! What a person reads who started us without a configuration.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;

use super::assemble::MODEL;
use crate::terminal::harmless;

/// Prints what was done and what to try next.
pub(super) fn print(found: &[String], address: Option<SocketAddr>) {
    // what a server calls its model is its own affair
    let text = harmless(&text(found, address));
    // a closed standard output is no reason to end
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints the code with which the operator becomes the first admin. It is shown here and nowhere else, so it is no log line;
/// standard error is what a terminal and a journal both show. `prefix` is how commands begin where clients keep those with a
/// slash for themselves, as on Matrix.
pub(super) fn print_claim(code: &str, prefix: Option<&str>) {
    let _ = std::io::stderr().lock().write_all(claim(code, prefix).as_bytes());
}

fn claim(code: &str, prefix: Option<&str>) -> String {
    let elsewhere = prefix.map(|prefix| format!(" (on Matrix: {prefix}claim {code})"));
    let elsewhere = elsewhere.unwrap_or_default();
    format!("Nobody governs this bot yet. Within 15 minutes send it, in a direct message: /claim {code}{elsewhere}\n")
}

fn text(found: &[String], address: Option<SocketAddr>) -> String {
    let mut text = format!("Tertulia {}\n", env!("CARGO_PKG_VERSION"));
    for sentence in found {
        text.push_str(sentence);
        text.push('\n');
    }
    if let Some(address) = address {
        let body = format!(r#"{{"model":"{MODEL}","messages":[{{"role":"user","content":"hello"}}]}}"#);
        // writing to a string does not fail
        let _ = write!(
            text,
            "Ollama's API is served on http://{address}\nTry:\n  \
             curl http://{address}/api/chat -d '{body}'\n  \
             tertulia chat --url http://{address}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_comes_with_the_prefix_of_matrix() {
        assert!(claim("AB-CD", None).ends_with("message: /claim AB-CD\n"));
        assert!(claim("AB-CD", Some("!")).ends_with("message: /claim AB-CD (on Matrix: !claim AB-CD)\n"));
    }

    #[test]
    fn it_says_what_was_found_and_what_to_try() {
        let text = text(
            &["Nothing was found.".to_owned()],
            Some("127.0.0.1:80".parse().unwrap()),
        );
        for part in [
            "\nNothing was found.\n",
            "curl http://127.0.0.1:80/api/chat -d '{\"model\":\"tertulia\",",
            "tertulia chat --url http://127.0.0.1:80\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
