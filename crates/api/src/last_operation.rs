//! The last operation on a machine: what users read first when something is wrong, and the place
//! where the deletion flow keeps its step.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

use crate::wire::{null_as_default, time};
use crate::{OperationState, OperationType};

/// `status.lastOperation` of Machine and MachineSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LastOperation {
    /// Says what is going on, in words; during a deletion it contains a [`crate::DeletionStep`] marker.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub description: String,
    /// Name of the machine code of a failed creation; autoscalers read `ResourceExhausted` here.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub error_code: String,
    /// When it was written last.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "time")]
    pub last_update_time: Option<Time>,
    /// How far it is.
    #[serde(skip_serializing_if = "is_unset_state")]
    pub state: OperationState,
    /// What it is.
    #[serde(rename = "type", skip_serializing_if = "is_unset_type")]
    pub type_: OperationType,
}

impl LastOperation {
    /// The same operation in all but its time.
    #[must_use]
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        self.description == other.description
            && self.error_code == other.error_code
            && self.state == other.state
            && self.type_ == other.type_
    }
}

fn is_unset_state(state: &OperationState) -> bool {
    *state == OperationState::Empty
}

fn is_unset_type(type_: &OperationType) -> bool {
    *type_ == OperationType::Empty
}
