//! Chance that can be repeated: the seed is printed, and `TERTULIA_SEED` sets it.

/// A sequence of numbers that looks like chance (`SplitMix64`).
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// The sequence of this run.
    pub(super) fn of_this_run() -> Self {
        let given = std::env::var("TERTULIA_SEED").ok();
        let given = given.and_then(|seed| seed.parse().ok());
        Self(given.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0))
    }

    pub(super) fn seed(&self) -> u64 {
        self.0
    }

    /// An independent sequence.
    pub(super) fn branch(&self, nth: u64) -> Self {
        let mut branch = Self(self.0 ^ nth.wrapping_mul(0xa076_1d64_78bd_642f));
        branch.next();
        branch
    }

    /// A number below `end`, or 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
