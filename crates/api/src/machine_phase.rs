//! Phases of a machine, `status.currentStatus.phase`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The phase of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum MachinePhase {
    /// Not set yet: nothing was done for the machine.
    #[default]
    Empty,
    /// The VM exists and its node has not joined yet.
    Pending,
    /// The VM exists and there is no target cluster to join.
    Available,
    /// The node is healthy.
    Running,
    /// The machine is being deleted.
    Terminating,
    /// The node is unhealthy and the health time-out runs.
    Unknown,
    /// Given up: its machine set replaces it.
    Failed,
    /// Creating the VM failed and is tried again.
    CrashLoopBackOff,
    /// The node is drained and updates in place.
    InPlaceUpdating,
    /// The in-place update worked.
    InPlaceUpdateSuccessful,
    /// The in-place update failed.
    InPlaceUpdateFailed,
    /// A text that this version does not know; kept as it is.
    Other(String),
}

impl MachinePhase {
    /// The text that stands in the object.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Pending => "Pending",
            Self::Available => "Available",
            Self::Running => "Running",
            Self::Terminating => "Terminating",
            Self::Unknown => "Unknown",
            Self::Failed => "Failed",
            Self::CrashLoopBackOff => "CrashLoopBackOff",
            Self::InPlaceUpdating => "InPlaceUpdating",
            Self::InPlaceUpdateSuccessful => "InPlaceUpdateSuccessful",
            Self::InPlaceUpdateFailed => "InPlaceUpdateFailed",
            Self::Other(text) => text,
        }
    }
}

impl From<&str> for MachinePhase {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::Empty,
            "Pending" => Self::Pending,
            "Available" => Self::Available,
            "Running" => Self::Running,
            "Terminating" => Self::Terminating,
            "Unknown" => Self::Unknown,
            "Failed" => Self::Failed,
            "CrashLoopBackOff" => Self::CrashLoopBackOff,
            "InPlaceUpdating" => Self::InPlaceUpdating,
            "InPlaceUpdateSuccessful" => Self::InPlaceUpdateSuccessful,
            "InPlaceUpdateFailed" => Self::InPlaceUpdateFailed,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for MachinePhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for MachinePhase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MachinePhase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().unwrap_or_default().into())
    }
}
