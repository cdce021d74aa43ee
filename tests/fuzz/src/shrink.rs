//! Makes an input that breaks a property smaller while it still does.

use std::time::{Duration, Instant};

/// Takes pieces away, large ones first, for as long as `patience` lasts.
pub(crate) fn shrunk(input: &[u8], patience: Duration, breaks: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let begun = Instant::now();
    let mut smallest = input.to_vec();
    let mut piece = smallest.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < smallest.len() {
            if begun.elapsed() > patience {
                return smallest;
            }
            let end = (at + piece).min(smallest.len());
            let smaller = [&smallest[..at], &smallest[end..]].concat();
            if breaks(&smaller) {
                smallest = smaller;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_taken_away() {
        let patience = Duration::from_secs(60);
        let both = |input: &[u8]| input.contains(&b'a') && input.contains(&b'z');
        assert_eq!(shrunk(b"the lazy dog and another", patience, both), b"az");
        assert_eq!(shrunk(b"az", patience, both), b"az");
    }
}
