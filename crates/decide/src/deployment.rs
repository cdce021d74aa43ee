//! Decides the next steps for one machine deployment: its newest set, the rollout from old sets to it,
//! scaling, clean-up and status. Pure; counts are taken from the machines themselves, not from the sets'
//! status, so that a rollout never acts on counts that lag behind its own writes.

mod action;
mod annotations;
mod autoscaler_capacity;
mod autoscaler_keys;
mod claim;
mod cleanup;
mod condition;
mod deletion_marks;
mod fences;
mod freeze_label;
mod hash;
mod hash_label;
mod held;
mod hold;
mod in_place;
mod new_set;
mod node_marks;
mod node_trouble;
mod plan;
mod progress;
mod recreate;
mod rollback;
mod rolling;
mod scale;
mod standing;
mod status;
mod template;
mod view;

pub use action::{
    DeploymentAction, DeploymentPatch, Lock, MachineMarks, MachineMove, RollbackOutcome, RollbackRequest,
    SetPatch,
};
pub use fences::Fences;
pub use hash::{encode_hash, template_hash};
pub(crate) use held::hold_message;
pub use node_marks::looks_the_same;
pub use node_trouble::NodeTrouble;
pub use plan::{DeploymentPlan, plan};
pub use template::rolls_nothing;
pub(crate) use template::{same_configuration, same_node_template};
pub use view::{DeploymentMemory, DeploymentView, SetFacts};
