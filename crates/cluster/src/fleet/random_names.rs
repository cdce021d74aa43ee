//! Random suffixes for names of machines.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use millwright_decide::NameSource;

/// Characters of generated names: as the API server's, without vowels.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Draws suffixes from the process's hash seed, which the system gives at random. Names need no secrecy.
pub(crate) struct RandomNames {
    state: RandomState,
    count: u64,
}

impl RandomNames {
    pub(crate) fn seeded() -> Self {
        Self { state: RandomState::new(), count: 0 }
    }
}

impl NameSource for RandomNames {
    fn suffix(&mut self) -> String {
        self.count += 1;
        let mut hasher = self.state.build_hasher();
        hasher.write_u64(self.count);
        let mut rest = hasher.finish();
        let size = ALPHABET.len() as u64;
        (0..5)
            .map(|_| {
                let letter = ALPHABET[usize::try_from(rest % size).unwrap_or(0)];
                rest /= size;
                char::from(letter)
            })
            .collect()
    }
}
