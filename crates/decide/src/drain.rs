//! Decides how a node is emptied: which pods must go, in which order, how long to wait for each and for its volumes,
//! and when waiting ends. Pure and resumable: what was tried and seen is kept in [`DrainMemory`], so nothing blocks
//! and nothing starts from scratch.

mod attached;
mod describe;
mod eviction;
mod filter;
mod graceful;
mod leftovers;
mod memory;
mod order;
mod plan;
mod pod;
mod refused;
mod schedule;
mod slot;
mod volumes;

pub use eviction::{EvictionOutcome, EvictionRecord, EvictionWay};
pub use leftovers::Leftovers;
pub use memory::{BudgetListing, DrainMemory, PodListing};
pub use plan::{DrainProgress, DrainUrgency, DrainView, NextLook, plan};
pub use pod::{PodIdentity, PodOnNode};
pub use slot::{DrainSlot, SlotUse};
pub use volumes::{LookUp, PodVolume, PodVolumes, VolumeStage};

pub(crate) use describe::{said_since, waits_for_the_same};
pub(crate) use slot::{describe_wait, said_waits_since};
pub(crate) use volumes::later;
