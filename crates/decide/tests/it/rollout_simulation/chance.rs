//! Chance that is the same in every run of a seed.

/// A small generator (xorshift64*); good enough to shuffle controllers.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(drawn).unwrap() % bound
    }

    /// True once in so many draws.
    pub(super) fn once_in(&mut self, draws: usize) -> bool {
        self.below(draws) == 0
    }
}
