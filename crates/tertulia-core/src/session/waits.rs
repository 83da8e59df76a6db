//! How long a turn waits for what, and what it does then.

use std::time::Duration;

use tertulia_message::{Ending, Finish, Signal, Spent};

use super::turn::{Phase, Turn};
use super::wires::Wires;
use crate::fault::Fault;
use crate::now::{Mono, Now};
use crate::policy;

/// How long a connected reader waits for the store before it is told.
const STORE_PATIENCE: Duration = Duration::from_secs(30);

impl Turn {
    pub(super) fn look_at_the_clock(&mut self, now: Now, wires: &mut Wires) {
        if let Phase::Pausing(until) = self.phase
            && now.mono >= until
        {
            self.ask(now, wires);
        }
        let Some((due, fault)) = self.deadline() else { return };
        if now.mono < due {
            return;
        }
        if fault == Fault::NotStored {
            self.tell_reader(&fault, wires);
            return;
        }
        self.timed_out(fault, now, wires);
    }

    /// The reader goes with an error; what it asked is settled when the store can write again.
    fn tell_reader(&mut self, fault: &Fault, wires: &mut Wires) {
        self.told = true;
        // what has not begun need not: nobody reads it any more
        self.stopping = true;
        let finish = Finish::Failed {
            code: fault.code(),
            text: fault.public().to_string(),
        };
        let spent = Spent::default();
        self.signal(Signal::Close(Ending { finish, spent }), wires);
    }

    /// When the present wait ends, and as what.
    pub(super) fn deadline(&self) -> Option<(Mono, Fault)> {
        let limits = &self.around.deadlines;
        let total = (self.began.saturating_add(limits.total), Fault::TooSlow(limits.total));
        match &self.phase {
            Phase::Asking(asking) => {
                let own = match asking.last_life {
                    None if !asking.sent => {
                        let patience = policy::in_line(self.chain.has_another());
                        (asking.since.saturating_add(patience), Fault::Busy)
                    }
                    None => (
                        asking.since.saturating_add(limits.first_byte),
                        Fault::NoFirstByte(limits.first_byte),
                    ),
                    Some(at) => (at.saturating_add(limits.idle), Fault::Idle(limits.idle)),
                };
                Some(if own.0 < total.0 { own } else { total })
            }
            Phase::Pausing(_) => Some(total),
            Phase::Beginning(_) | Phase::Arming(_) | Phase::Settling(..) if self.door && !self.told => {
                Some((self.stored_from.saturating_add(STORE_PATIENCE), Fault::NotStored))
            }
            _ => None,
        }
    }
}
