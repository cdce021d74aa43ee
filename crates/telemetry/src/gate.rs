//! A check that its owner opens and shuts, for facts that nobody can look up later: a cache that is
//! filled, a lease that is held.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Check;

/// Open, or shut for a reason. Clones share one state.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Mutex<Option<String>>>);

impl Gate {
    /// A gate that is shut until its owner opens it.
    pub fn shut_until(reason: impl Into<String>) -> Self {
        Self(Arc::new(Mutex::new(Some(reason.into()))))
    }

    /// A gate that is open until its owner shuts it.
    #[must_use]
    pub fn opened() -> Self {
        Self(Arc::default())
    }

    /// From now on it holds.
    pub fn open(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// From now on it does not hold.
    pub fn shut(&self, reason: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.into());
    }
}

impl Check for Gate {
    fn state(&self) -> Result<(), String> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(reason) => Err(reason.clone()),
        }
    }
}
