//! How far a fleet trusts what it sees, for all who act on it.

use std::time::Duration;

use jiff::Timestamp;
use millwright_decide::Trust;
use millwright_decide::freeze::{FreezeSettings, Observation, SightStep};

use super::Fleet;

impl Fleet {
    /// Whether what is seen can be trusted.
    #[must_use]
    pub fn trust(&self) -> Trust {
        self.sight.lock().trust(self.now())
    }

    /// We may write, and nothing of what is seen is in doubt: what is irreversible and can wait, waits for this.
    pub(crate) fn sees_clearly(&self) -> bool {
        self.may_write() && self.sight.lock().is_clear(self.now())
    }

    pub(crate) fn probe_is_due(&self) -> bool {
        self.sight.lock().probe_at() <= self.now()
    }

    pub(crate) fn look(&self, settings: &FreezeSettings, seen: &Observation) -> SightStep {
        self.sight.lock().look(settings, seen, self.now())
    }

    /// How much of the time since then we could not see, as far as this process knows.
    pub(crate) fn blind_time(&self, since: Timestamp) -> Duration {
        self.sight.lock().blind_time(since, self.now())
    }
}
