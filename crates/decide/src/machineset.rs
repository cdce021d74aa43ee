//! Decides the next steps for one machine set: which machines belong to it, how many to create, and
//! which to delete. Pure; the machines come from an index that already contains our own writes, so a
//! machine that was just created is never created twice.

mod action;
mod auto_preservation;
mod claim;
mod marks;
mod new_machine;
pub(crate) mod overshoot;
mod plan;
mod propagate;
mod ranking;
mod replacement;
mod scale;
mod status;
mod view;

pub use action::{SetAction, SetMarks, TemplatePatch};
pub use plan::{SetPlan, plan};
pub use ranking::deletion_order;
pub use view::{FailedStep, SetFailure, SetMemory, SetView};
