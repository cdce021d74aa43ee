//! What the machines of a group are doing, in numbers that can be kept up to date one machine at a time.

use millwright_api::{Machine, MachinePhase, ObjectView};

/// Machines of a group by what they are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupTally {
    /// Machines that are not being deleted.
    pub staying: usize,
    /// Those of them that are being made or replaced: they neither run, nor are judged, nor are preserved.
    pub changing: usize,
    /// Machines that are being deleted.
    pub leaving: usize,
}

impl GroupTally {
    /// What one machine adds.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let status = &machine.status.current_status;
        if machine.is_deleting() || status.phase == MachinePhase::Terminating {
            return Self { leaving: 1, ..Self::default() };
        }
        let rests = status.preserve_expiry_time.is_some()
            || matches!(status.phase, MachinePhase::Running | MachinePhase::Unknown);
        Self { staying: 1, changing: usize::from(!rests), leaving: 0 }
    }

    /// Nothing is in progress.
    #[must_use]
    pub fn is_quiet(self) -> bool {
        self.changing == 0 && self.leaving == 0
    }

    /// Counts more machines.
    pub fn add(&mut self, other: Self) {
        self.staying += other.staying;
        self.changing += other.changing;
        self.leaving += other.leaving;
    }

    /// Counts machines no more.
    pub fn remove(&mut self, other: Self) {
        self.staying = self.staying.saturating_sub(other.staying);
        self.changing = self.changing.saturating_sub(other.changing);
        self.leaving = self.leaving.saturating_sub(other.leaving);
    }
}
