//! How far a fleet trusts what it sees, for all who act on it.

use std::time::Duration;

use millwright_api::{Machine, ObjectView};
use millwright_decide::freeze::{FreezeSettings, Observation, SightStep};
use millwright_decide::{MachineSettings, Trust};

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

    /// The flags with the machine's own overrides. A drain may take as much longer as we were blind meanwhile: it is
    /// counted from the request for deletion, which no thaw moves.
    pub(crate) fn settings_for(&self, machine: &Machine) -> MachineSettings {
        let mut settings = self.parts.settings.for_machine(machine);
        if let Some(deleted) = machine.deleted_at()
            && settings.drain_timeout > Duration::ZERO
        {
            let blind = self.sight.lock().blind_time(deleted, self.now());
            settings.drain_timeout = settings.drain_timeout.saturating_add(blind);
        }
        settings
    }
}
