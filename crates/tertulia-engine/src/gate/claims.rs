//! The code with which the first admin proves to be the operator, as it stands now.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};
use tertulia_core::access::Access;
use tertulia_core::authorize::{Admission, Authorized, Denial, RIGHT, authorize};
use tertulia_core::claim::Claim;
use tertulia_core::now::Now;
use tertulia_core::record::RowBody;
use tertulia_message::{Account, Inbound, PersonId};
use uuid::Uuid;

/// How many guesses are remembered.
const GUESSES: usize = 16;

/// The code that is good now, if one is.
#[derive(Default)]
pub(crate) struct Claims(Mutex<State>);

#[derive(Default)]
struct State {
    code: Option<Claim>,
    /// What became of the latest guesses. A platform hands in again what could not be stored, or what it did not hear was
    /// stored: the same message is one guess. Otherwise a wrong one would cost two tries, and the right one, handed in while
    /// the disk is full, would be lost with the code.
    guesses: VecDeque<Guessed>,
}

struct Guessed {
    account: Account,
    id: String,
    authorized: Authorized,
}

fn digest(salt: &[u8], code: &str) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(code).finalize().into()
}

impl Claims {
    /// Makes a new code and gives it, to be shown once; the one before is good no more.
    pub(crate) fn open(&self, now: Now) -> String {
        // the version stands in the seventh byte, the variant in the ninth: these five are all chance
        let [first, second, third, fourth, fifth, ..] = *Uuid::new_v4().as_bytes();
        let chance = [first, second, third, fourth, fifth];
        let (claim, shown) = Claim::new(chance, *Uuid::new_v4().as_bytes(), digest, now);
        self.lock().code = Some(claim);
        tracing::info!("there is a new claim code; the one before is good no more");
        shown
    }

    /// [`authorize`], with the code if it may be guessed: nobody is admin, and the guesser is not shut out.
    pub(super) fn authorize(
        &self,
        event: Inbound,
        access: &Access,
        own: &[Account],
        now: Now,
    ) -> Result<Authorized, Denial> {
        let mut state = self.lock();
        if let Some(known) = state.known(&event) {
            return Ok(known);
        }
        state.close_in_time(access, now);
        let Some(code) = state.code.as_mut() else {
            drop(state);
            return authorize(event, access, own, None, now);
        };
        let (account, id, person) = (event.account.clone(), event.id.clone(), event.sender.clone());
        let authorized = authorize(event, access, own, Some(code), now)?;
        if let Some(outcome) = guess(&authorized) {
            state.guessed(outcome, &person);
            state.remember(Guessed {
                account,
                id,
                authorized: authorized.clone(),
            });
        }
        Ok(authorized)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn known(&self, event: &Inbound) -> Option<Authorized> {
        let mut guesses = self.guesses.iter();
        let is_it = |guess: &&Guessed| guess.account == event.account && guess.id == event.id;
        guesses.find(is_it).map(|guess| guess.authorized.clone())
    }

    fn remember(&mut self, guess: Guessed) {
        if self.guesses.len() >= GUESSES {
            self.guesses.pop_front();
        }
        self.guesses.push_back(guess);
    }

    fn close_in_time(&mut self, access: &Access, now: Now) {
        let Some(code) = &self.code else { return };
        if access.has_admin(now.wall) {
            tracing::info!("somebody is admin; the claim code is good no more");
        } else if !code.is_open(now) {
            tracing::warn!(
                "the claim code is too old, or was shown where others could read it; `tertulia claim` makes a new one"
            );
        } else {
            return;
        }
        self.code = None;
    }

    /// Says who guessed, and never what.
    fn guessed(&mut self, outcome: &str, person: &PersonId) {
        if outcome == RIGHT {
            self.code = None;
            tracing::info!(%person, "the claim code was given; this person becomes admin");
            return;
        }
        tracing::warn!(%person, left = outcome, "a wrong claim code");
        if outcome == "0" {
            self.code = None;
            tracing::warn!("the claim code was guessed too often; `tertulia claim` makes a new one");
        }
    }
}

/// What became of the guess, if it was one: nothing else puts a word behind this command.
fn guess(authorized: &Authorized) -> Option<&str> {
    let Admission::Row(row) = authorized.admission() else {
        return None;
    };
    match &row.body {
        RowBody::Command { name, arguments, .. } if name == "claim" && !arguments.is_empty() => Some(arguments),
        _ => None,
    }
}
