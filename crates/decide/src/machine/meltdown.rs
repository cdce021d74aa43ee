//! Keeps one broken zone from taking its whole deployment down: of the machines of one group, only so many at
//! a time may be given up for their health. Which machines are a group is in `meltdown_group`, what they are doing in `group_tally`.

use millwright_api::{IntOrPercent, Rounding};

use super::{GroupTally, MeltdownScope};

/// How many machines may be given up for their health at the same time, and among which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeltdownRule {
    /// `--machine-max-replacements`: a number, or a share of the group's machines; at least 1.
    pub limit: IntOrPercent,
    /// `--machine-replacement-scope`
    pub scope: MeltdownScope,
    /// `--machine-replacement-counts-deletions`
    pub deletions: DeletionWeight,
}

impl Default for MeltdownRule {
    /// As Gardener's controller: one of a deployment's machines, and deletions count.
    fn default() -> Self {
        Self {
            limit: IntOrPercent::Int(1),
            scope: MeltdownScope::Deployment,
            deletions: DeletionWeight::Counts,
        }
    }
}

/// Whether a machine that is being deleted counts as being replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionWeight {
    /// It does, twice, so that a slow deletion holds replacements back.
    Counts,
    /// It does not.
    Ignored,
}

/// Whether one more machine of a group may fail now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeltdownGuard {
    /// It may.
    Allows,
    /// Enough others of the group are being made, replaced or deleted.
    Blocks {
        /// How much may be in progress.
        limit: usize,
        /// How much is in progress; machines that are being deleted count twice.
        in_progress: usize,
        /// Among which machines.
        scope: MeltdownScope,
    },
}

impl MeltdownRule {
    /// The guard for a machine, given what the others of its group are doing, and how many of those were just allowed to
    /// fail, which does not show yet.
    #[must_use]
    pub fn guard(&self, others: GroupTally, promised: usize) -> MeltdownGuard {
        let deletions = match self.deletions {
            DeletionWeight::Counts => 2 * others.leaving,
            DeletionWeight::Ignored => 0,
        };
        let in_progress = others.changing + deletions + promised;
        let limit = self.limit_among(others.staying + 1);
        if in_progress < limit {
            MeltdownGuard::Allows
        } else {
            MeltdownGuard::Blocks { limit, in_progress, scope: self.scope }
        }
    }

    /// A share is rounded down; what can't be read, or is nothing, is one: else no machine would ever be replaced.
    fn limit_among(&self, machines: usize) -> usize {
        let machines = i32::try_from(machines).unwrap_or(i32::MAX);
        let limit = self.limit.resolve(machines, Rounding::Down).unwrap_or(1).max(1);
        usize::try_from(limit).unwrap_or(1)
    }
}

/// What a decision did with the guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeltdownUse {
    /// It did not ask it.
    #[default]
    NotAsked,
    /// It was allowed to give the machine up, and does so: nobody else may before that shows.
    Passed,
    /// It would give the machine up, and has to wait.
    HeldBack,
}

impl MeltdownUse {
    /// What two parts of one plan did together.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        match self {
            Self::NotAsked => other,
            Self::Passed | Self::HeldBack => self,
        }
    }
}
