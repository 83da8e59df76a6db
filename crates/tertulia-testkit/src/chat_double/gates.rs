//! Rate limits that hold for a while, and whether the bot knows of them.

use std::collections::BTreeMap;
use std::time::Duration;

use tertulia_message::RateScope;

use super::calls::Spot;

#[derive(Debug, Clone)]
struct Gate {
    set: Duration,
    until: Duration,
    wait: Duration,
    known: bool,
}

/// The limits that hold at the moment.
#[derive(Debug, Default)]
pub(super) struct Gates {
    account: Option<Gate>,
    spots: BTreeMap<Spot, Gate>,
}

/// A call into a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shut {
    pub(super) after: Duration,
    pub(super) scope: RateScope,
    /// True if the bot knew.
    pub(super) violation: bool,
}

impl Gates {
    /// Forbids calls for a while.
    pub(super) fn shut(&mut self, at: Duration, spot: &Spot, after: Duration, scope: RateScope) {
        let gate = Gate {
            set: at,
            until: at + after,
            wait: after,
            known: true,
        };
        match scope {
            RateScope::Account => self.account = Some(gate),
            RateScope::Path => {
                self.spots.insert(spot.clone(), gate);
            }
        }
    }

    /// Whether a call is forbidden. One that the bot knew to be forbidden makes the wait longer.
    pub(super) fn check(&mut self, at: Duration, spot: &Spot, grace: Duration) -> Option<Shut> {
        self.account.take_if(|gate| gate.until <= at);
        self.spots.retain(|_, gate| gate.until > at);
        if let Some(gate) = &mut self.account {
            return Some(gate.refuse(at, RateScope::Account, grace));
        }
        let gate = self.spots.get_mut(spot)?;
        Some(gate.refuse(at, RateScope::Path, Duration::ZERO))
    }

    /// Whether a call would be forbidden.
    pub(super) fn holds(&self, at: Duration, spot: &Spot) -> bool {
        let gates = self.account.iter().chain(self.spots.get(spot));
        gates.into_iter().any(|gate| gate.until > at)
    }

    /// The bot has forgotten what it was told.
    pub(super) fn forgive(&mut self, at: Duration) {
        for gate in self.account.iter_mut().chain(self.spots.values_mut()) {
            gate.known = false;
            gate.set = at;
        }
    }
}

impl Gate {
    fn refuse(&mut self, at: Duration, scope: RateScope, grace: Duration) -> Shut {
        let under_way = !grace.is_zero() && at <= self.set + grace;
        let violation = self.known && !under_way;
        if violation {
            self.wait = self.wait.saturating_mul(2);
            self.until = at + self.wait;
        }
        if !self.known {
            self.known = true;
            self.set = at;
        }
        Shut {
            after: self.until.saturating_sub(at),
            scope,
            violation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn a_call_into_a_known_limit_makes_it_longer() {
        let (mut gates, spot) = (Gates::default(), Spot::chat("a"));
        gates.shut(secs(0), &spot, secs(10), RateScope::Path);
        let shut = gates.check(secs(4), &spot, Duration::ZERO).unwrap();
        assert!(shut.violation);
        assert_eq!(shut.after, secs(20));
        assert!(gates.check(secs(4), &Spot::chat("b"), Duration::ZERO).is_none());
        assert!(gates.check(secs(24), &spot, Duration::ZERO).is_none());
    }

    #[test]
    fn what_the_bot_cannot_know_is_refused_and_forgiven() {
        let (mut gates, spot) = (Gates::default(), Spot::chat("a"));
        gates.shut(secs(0), &spot, secs(10), RateScope::Account);
        let under_way = gates.check(secs(1), &Spot::chat("b"), secs(1)).unwrap();
        assert!(!under_way.violation);
        gates.forgive(secs(5));
        assert!(!gates.check(secs(7), &spot, secs(1)).unwrap().violation);
        assert!(gates.check(secs(9), &spot, secs(1)).unwrap().violation);
    }
}
