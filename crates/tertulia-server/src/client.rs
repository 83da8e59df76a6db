//! Who a request comes from, as far as HTTP can tell.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

/// The client of a request: everybody who is local, or the holder of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Client {
    /// No token is asked for.
    Local,
    /// The holder of this token, named by its hash.
    Token(Arc<str>),
}

impl Client {
    /// A name that stays as long as the token, and tells nothing about it.
    pub(crate) fn identity(&self) -> &str {
        match self {
            Self::Local => "local",
            Self::Token(name) => name,
        }
    }

    /// The conversation's id within this door: no two tokens ever share one.
    pub(crate) fn conversation(&self, id: &str) -> String {
        match self {
            Self::Local => id.to_owned(),
            Self::Token(name) => format!("{name}:{id}"),
        }
    }
}

/// The tokens, as hashes. Each has a signal that fires when it is good no more.
pub(crate) struct Tokens {
    held: Vec<Held>,
    /// For those who come while no token is asked for.
    local: CancellationToken,
}

struct Held {
    hash: [u8; 32],
    revoked: CancellationToken,
}

impl Tokens {
    pub(crate) fn new(tokens: &[SecretString]) -> Self {
        let held = tokens.iter().map(|token| Held {
            hash: hash(token.expose_secret()),
            revoked: CancellationToken::new(),
        });
        Self {
            held: held.collect(),
            local: CancellationToken::new(),
        }
    }

    /// The client that presents this token, with what fires when it is one no more; none if it is not one of ours.
    ///
    /// Hashes are compared to their ends, so that the time taken tells nothing about a token.
    pub(crate) fn client(&self, presented: Option<&str>) -> Option<(Client, CancellationToken)> {
        if self.held.is_empty() {
            return Some((Client::Local, self.local.clone()));
        }
        let presented = hash(presented?);
        let matches = |found, held: &'_ Held| {
            if same(&held.hash, &presented) {
                Some(held.revoked.clone())
            } else {
                found
            }
        };
        let revoked = self.held.iter().fold(None, matches)?;
        Some((Client::Token(name(&presented).into()), revoked))
    }

    /// Takes over the signals of what stays from those before.
    pub(crate) fn follow(&mut self, before: &Self) {
        for held in &mut self.held {
            if let Some(same) = before.held.iter().find(|old| old.hash == held.hash) {
                held.revoked = same.revoked.clone();
            }
        }
        if self.held.is_empty() && before.held.is_empty() {
            self.local = before.local.clone();
        }
    }

    /// Tells those whom `now` does not know any more.
    pub(crate) fn revoke(&self, now: &Self) {
        for old in &self.held {
            if !now.held.iter().any(|held| held.hash == old.hash) {
                old.revoked.cancel();
            }
        }
        if self.held.is_empty() && !now.held.is_empty() {
            self.local.cancel();
        }
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn same(left: &[u8; 32], right: &[u8; 32]) -> bool {
    let difference = left.iter().zip(right).fold(0, |sum, (l, r)| sum | (l ^ r));
    std::hint::black_box(difference) == 0
}

fn name(hash: &[u8; 32]) -> String {
    let digits: Vec<String> = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("token-{}", digits.concat())
}
