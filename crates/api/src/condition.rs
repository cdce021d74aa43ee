//! Conditions as the kinds carry them. Own types: a null transition time, which Go writes for a zero
//! time, must not make an object undecodable.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

use crate::wire::{null_as_default, time};

/// Values of a condition's `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Nobody can say.
    Unknown,
}

impl ConditionStatus {
    /// The text in the object.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

macro_rules! condition {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $time_doc:literal])+ $time:ident,)+ }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            /// What is judged.
            #[serde(rename = "type", deserialize_with = "null_as_default")]
            pub type_: String,
            /// `True`, `False` or `Unknown`.
            #[serde(deserialize_with = "null_as_default")]
            pub status: String,
            /// One word for machines.
            #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
            pub reason: String,
            /// A sentence for people.
            #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
            pub message: String,
            $($(#[doc = $time_doc])+
            #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "time")]
            pub $time: Option<Time>,)+
        }

        impl $name {
            /// The status is `True`.
            #[must_use]
            pub fn is_true(&self) -> bool {
                self.status == ConditionStatus::True.as_str()
            }
        }
    };
}

condition! {
    /// An entry of `status.conditions` of a Machine: a copy of its node's condition.
    NodeCondition {
        /// When the kubelet last reported it.
        last_heartbeat_time,
        /// When the status last changed.
        last_transition_time,
    }
}

condition! {
    /// An entry of `status.machineSetCondition` of a MachineSet.
    MachineSetCondition {
        /// When the status last changed.
        last_transition_time,
    }
}

condition! {
    /// An entry of `status.conditions` of a MachineDeployment.
    DeploymentCondition {
        /// When it was written last.
        last_update_time,
        /// When the status last changed.
        last_transition_time,
    }
}
