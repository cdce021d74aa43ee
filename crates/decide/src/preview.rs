//! Runs a change of a deployment forward without doing it: which machines would be made, replaced, updated in place
//! or kept, in how many steps, and how many nodes would be missing at most.
//!
//! The steps are those of the production decisions, carried out in a [`World`] of plain objects in which everything
//! works: a machine that is made runs at the next step, and one that is deleted is gone. How long a step takes, and what
//! may fail, is left to those who watch the real one. Nothing is read, written or waited for.

mod change;
mod changed_field;
mod end;
mod forward;
mod machine_count;
mod names;
mod report;
mod step;
mod stillness;
mod summary;
mod world;

pub use change::Change;
pub use changed_field::{ChangedField, Reach};
pub use end::End;
pub use forward::{Bound, preview};
pub use machine_count::MachineCount;
pub use report::Preview;
pub use step::Step;
pub use stillness::Stillness;
pub use world::{Outcome, Planner, World};
