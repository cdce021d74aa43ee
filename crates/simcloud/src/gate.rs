//! The token that callers must show.
//!
//! Only its digest is kept and compared, so the time a comparison takes says nothing about the token.

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use crate::secret::Secret;

#[derive(Debug)]
pub(crate) struct Gate {
    digest: Mutex<[u8; 32]>,
}

impl Gate {
    pub(crate) fn new(token: &Secret) -> Self {
        Self { digest: Mutex::new(digest(token.reveal())) }
    }

    pub(crate) fn set(&self, token: &Secret) {
        *self.digest.lock() = digest(token.reveal());
    }

    pub(crate) fn admits(&self, token: &str) -> bool {
        digest(token) == *self.digest.lock()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}
