//! Names, UIDs and name suffixes. They look as the API server's do, but come from counters.

use super::Store;

/// What the API server makes names from: no vowels, so that no words come out.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const SUFFIX: usize = 5;
const LONGEST_BASE: usize = 63 - SUFFIX;

impl Store {
    pub(super) fn next_uid(&mut self) -> String {
        self.uids += 1;
        format!("{:08x}-0000-4000-8000-{:012x}", self.salt, self.uids)
    }

    pub(super) fn next_name(&mut self, base: &str) -> String {
        let mut number = self.suffixes;
        self.suffixes += 1;
        let mut suffix = [0; SUFFIX];
        for place in suffix.iter_mut().rev() {
            *place = ALPHABET[(number % ALPHABET.len() as u64) as usize];
            number /= ALPHABET.len() as u64;
        }
        let base: String = base.chars().take(LONGEST_BASE).collect();
        base + &String::from_utf8_lossy(&suffix)
    }
}

/// Whether it may be the name of an object: a DNS subdomain.
pub(super) fn is_valid(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(is_plain)
            && label.ends_with(is_plain)
            && label.chars().all(|c| is_plain(c) || c == '-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}
