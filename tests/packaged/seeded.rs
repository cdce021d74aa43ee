//! Random choices that come again: the seed is printed, and `MILLWRIGHT_SEED` sets it.

use std::time::Duration;

/// Any number does; the same in every run, so that a red run can be repeated.
const SEED: u64 = 20_261_121;

/// A source of choices (splitmix64).
pub(crate) struct Seeded(u64);

impl Seeded {
    /// Starts from the seed of this run.
    pub(crate) fn new() -> Self {
        let set = std::env::var("MILLWRIGHT_SEED").ok();
        let seed = set.map_or(SEED, |text| text.parse().expect("MILLWRIGHT_SEED is a number"));
        println!("MILLWRIGHT_SEED={seed}");
        Self(seed)
    }

    /// A number from 1 to `most`.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        1 + (mixed ^ (mixed >> 31)) % most
    }

    /// A time up to `most`.
    pub(crate) fn within(&mut self, most: Duration) -> Duration {
        most.mul_f64(f64::from(u32::try_from(self.up_to(1000)).unwrap()) / 1000.0)
    }
}
