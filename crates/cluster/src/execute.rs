//! Performs what was decided: I/O only, no judgement. Every action is idempotent; a crash before, during
//! or after it is repaired by the next look.

mod bootstrap_token;
mod class;
mod cloud;
mod deployment;
mod drain;
mod error;
mod machine;
mod machineset;
mod milestones;
mod node;
mod node_status;
mod presence;
mod secret;
mod vm_class;
mod vm_request;
mod vm_status;
mod volume_attachments;

#[cfg(test)]
mod tests;

pub(crate) use class::class_finalizers;
pub(crate) use cloud::{ask_at, askings, in_time, note};
pub(crate) use deployment::machine_deployment;
pub(crate) use error::ExecuteError;
pub(crate) use machine::machine;
pub(crate) use machineset::machine_set;
pub(crate) use secret::secret_finalizers;
pub(crate) use vm_class::{class_of_vm, goes_by_record};
pub(crate) use vm_request::{OrphanRequest, deadline, orphan_request};
