//! What Gemini wants back with a turn: the signatures of its thoughts, each on the part it came with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tertulia_core::chat::ProviderData;

use super::KIND;

/// The signatures of one answer. An answer with calls is kept even without any: it says that the calls are this
/// model's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Owned {
    /// How long the text was, in bytes: in a text that has changed the places mean nothing.
    pub(crate) length: usize,
    /// Signed pieces of the text, in order; they may be empty.
    #[serde(default)]
    pub(crate) texts: Vec<SignedText>,
    /// Signatures by the place of the call.
    #[serde(default)]
    pub(crate) calls: BTreeMap<usize, String>,
}

/// A signed piece of the text, by its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignedText {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) signature: String,
}

impl Owned {
    /// To be kept with an answer of this model.
    pub(crate) fn pack(&self, model: &str) -> Option<ProviderData> {
        Some(ProviderData {
            kind: KIND.to_owned(),
            model: model.to_owned(),
            bytes: serde_json::to_vec(self).ok()?,
        })
    }

    /// What was kept, if it is of this very model.
    pub(crate) fn unpack(data: &ProviderData, model: &str) -> Option<Self> {
        let own = data.kind == KIND && data.model == model;
        own.then(|| serde_json::from_slice(&data.bytes).ok())?
    }

    /// The text as it came: its pieces, each with its signature.
    pub(crate) fn pieces<'a>(&'a self, text: &'a str) -> Vec<(&'a str, Option<&'a str>)> {
        let split = (self.length == text.len()).then(|| self.split(text)).flatten();
        split
            .unwrap_or_else(|| vec![(text, None)])
            .into_iter()
            .filter(|(piece, signature)| !piece.is_empty() || signature.is_some())
            .collect()
    }

    fn split<'a>(&'a self, text: &'a str) -> Option<Vec<(&'a str, Option<&'a str>)>> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for signed in &self.texts {
            pieces.push((text.get(at..signed.from)?, None));
            pieces.push((text.get(signed.from..signed.to)?, Some(signed.signature.as_str())));
            at = signed.to;
        }
        pieces.push((text.get(at..)?, None));
        Some(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart_where_they_were_signed() {
        let signed = |from, to, signature: &str| SignedText {
            from,
            to,
            signature: signature.to_owned(),
        };
        let owned = Owned {
            length: 6,
            texts: vec![signed(2, 4, "s"), signed(6, 6, "t")],
            calls: BTreeMap::new(),
        };
        let pieces = [("ab", None), ("cd", Some("s")), ("ef", None), ("", Some("t"))];
        assert_eq!(owned.pieces("abcdef"), pieces);
        // changed, or cut within a letter: then the places are wrong
        assert_eq!(owned.pieces("abcde"), [("abcde", None)]);
        assert_eq!(owned.pieces("aébcd"), [("aébcd", None)]);
        assert_eq!(owned.pieces(""), []);
        let backwards = Owned {
            texts: vec![signed(4, 2, "s")],
            ..owned
        };
        assert_eq!(backwards.pieces("abcdef"), [("abcdef", None)]);
    }

    #[test]
    fn only_the_model_itself_gets_it_back() {
        let data = Owned::default().pack("m").unwrap();
        assert_eq!(Owned::unpack(&data, "m"), Some(Owned::default()));
        let other_kind = ProviderData {
            kind: "openrouter".into(),
            ..data.clone()
        };
        let broken = ProviderData {
            bytes: b"{".to_vec(),
            ..data.clone()
        };
        for (data, model) in [(&data, "n"), (&other_kind, "m"), (&broken, "m")] {
            assert_eq!(Owned::unpack(data, model), None);
        }
    }
}
