//! The names of models, and where each is asked.

use reqwest::Url;

use crate::connection::address_below;

/// The name of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    /// Owner and name; a version can stand alone.
    pub(crate) model: Option<(&'a str, &'a str)>,
    /// Models of the community are asked by their version.
    pub(crate) version: Option<&'a str>,
}

impl<'a> Name<'a> {
    /// Reads `owner/name`, `owner/name:version`, or a version.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (model, version) = match text.split_once(':') {
            Some((model, version)) => (Some(model), Some(version)),
            None if text.contains('/') => (Some(text), None),
            None => (None, Some(text)),
        };
        let is_word = |word: &&str| !word.is_empty() && !word.contains(['/', ':', ' ']) && !matches!(*word, "." | "..");
        let model = match model {
            Some(model) => {
                let (owner, name) = model.split_once('/')?;
                Some((owner, name)).filter(|_| is_word(&owner) && is_word(&name))
            }
            None => None,
        };
        let whole = model.is_some() || version == Some(text);
        (whole && version.as_ref().is_none_or(is_word)).then_some(Self { model, version })
    }

    /// Owner and name, by which models are known.
    pub(crate) fn known_as(&self) -> String {
        let model = self.model.map(|(owner, name)| format!("{owner}/{name}"));
        model.unwrap_or_default().to_lowercase()
    }

    /// Where it is described; a version alone is nowhere.
    pub(crate) fn described(&self, base: &Url) -> Option<Url> {
        let (owner, name) = self.model?;
        match self.version {
            Some(version) => address_below(base.as_str(), &["v1", "models", owner, name, "versions", version]),
            None => address_below(base.as_str(), &["v1", "models", owner, name]),
        }
    }

    /// Where it is asked: a version among all, a model at its own place.
    pub(crate) fn asked(&self, base: &Url, version: Option<&str>) -> Option<Url> {
        match (self.model, version) {
            (Some((owner, name)), None) => address_below(base.as_str(), &["v1", "models", owner, name, "predictions"]),
            _ => address_below(base.as_str(), &["v1", "predictions"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_versions_are_told_apart() {
        let base = Url::parse("http://h/x").unwrap();
        let check = |text: &str, asked: &str, described: Option<&str>| {
            let name = Name::read(text).unwrap();
            assert_eq!(name.asked(&base, name.version).unwrap().as_str(), asked, "{text}");
            let place = name.described(&base).map(|url| url.to_string());
            assert_eq!(place.as_deref(), described, "{text}");
        };
        let models = "http://h/x/v1/models/acme/chatty-8b";
        check("acme/chatty-8b", &format!("{models}/predictions"), Some(models));
        check(
            "acme/chatty-8b:5c79",
            "http://h/x/v1/predictions",
            Some(&format!("{models}/versions/5c79")),
        );
        check("5c79", "http://h/x/v1/predictions", None);
        for wrong in [
            "", "a/", "/b", "a/b/c", "a/b:", "a:b", "a/b:c:d", "../b", "a b/c", "a/..:c",
        ] {
            assert_eq!(Name::read(wrong), None, "{wrong}");
        }
        assert_eq!(Name::read("Acme/X:1").unwrap().known_as(), "acme/x");
    }
}
