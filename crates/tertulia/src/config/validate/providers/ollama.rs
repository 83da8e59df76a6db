//! The kind `ollama`.

use tertulia_providers::OllamaConfig;

use super::kind::Kind;
use super::section::Section;
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

pub(super) const KIND: Kind = Kind {
    name: "ollama",
    has_server: true,
    keys: &["num_ctx", "keep_alive"],
    media: &[],
    model_keys: &[],
    read,
    service: None,
};

fn read(section: &Section<'_>, known: &mut Known) -> Result<ProviderKind, ConfigError> {
    let server = section.server(OllamaConfig::local().server, known)?;
    let keep_alive = section.text("keep_alive");
    if let Some(text) = keep_alive.filter(|text| !is_duration(text)) {
        let problem = format!("must be a time such as \"5m\", \"300\" seconds, or \"-1\" for ever, not {text:?}");
        return Err(section.wrong("keep_alive", problem));
    }
    Ok(ProviderKind::Ollama(Box::new(OllamaConfig {
        server,
        num_ctx: section.whole("num_ctx"),
        keep_alive: keep_alive.map(str::to_owned),
    })))
}

/// Whether an Ollama takes it for a duration, as it would refuse every question otherwise: whole seconds, or numbers with
/// units, as in `1h30m`.
fn is_duration(text: &str) -> bool {
    let text = text.trim();
    if text.parse::<i64>().is_ok() {
        return true;
    }
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_parts = !rest.is_empty();
    let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(is_of_number);
        let number = rest.strip_suffix(behind).unwrap_or_default();
        let next = behind.trim_start_matches(|letter| !is_of_number(letter));
        let unit = behind.strip_suffix(next).unwrap_or_default();
        if number.parse::<f64>().is_err() || !["ns", "us", "µs", "ms", "s", "m", "h"].contains(&unit) {
            return false;
        }
        rest = next;
    }
    has_parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_what_an_ollama_takes_for_one() {
        for good in ["5m", "300", "-1", "0", "-1m", "1h30m", "1.5h", " 10s ", "250ms"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", " ", "forever", "5 m", "5x", "m", "1.2.3s", "1h30", "-", "1.5"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
