//! Decides how a node is emptied: which pods must go, in which order, how long to wait for each, and
//! when waiting ends. Pure and resumable: what was tried for each pod is kept in [`DrainMemory`],
//! so nothing blocks and nothing starts from scratch.

mod filter;
mod memory;
mod order;
mod plan;
mod pod;
mod slot;

pub use memory::{DrainMemory, EvictionOutcome, EvictionRecord, PodListing};
pub use plan::{DrainProgress, DrainUrgency, plan};
pub use pod::{PodIdentity, PodOnNode};
pub use slot::{DrainSlot, SlotUse};
