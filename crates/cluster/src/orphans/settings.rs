//! When and how eagerly orphans are collected.

use std::time::Duration;

/// The flags of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrphanSettings {
    /// Between two sweeps: flag `--machine-safety-orphan-vms-period`.
    pub period: Duration,
    /// Age below which a VM is left alone: flag `--machine-safety-orphan-vms-grace`.
    pub grace: Duration,
    /// What is done with what is found: flag `--machine-safety-orphan-vms-report-only`.
    pub mode: OrphanMode,
}

/// What is done with an orphan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrphanMode {
    /// It is deleted.
    #[default]
    Collect,
    /// It is told once, and stays.
    Report,
}
