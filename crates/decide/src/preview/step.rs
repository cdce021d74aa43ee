//! What happens between two waits for machines.

use serde::Serialize;

use super::MachineCount;

/// One step of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Machines that are made, by class; their names are not known beforehand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<MachineCount>,
    /// Names of machines that are deleted, in that order. Those that the change itself made have invented names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<String>,
    /// Names of machines whose nodes are chosen for an update in place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updating: Vec<String>,
    /// Names of machines that get fields of the template which need no new VM.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
    /// Machines after it, those on their way out included.
    pub machines: usize,
    /// Machines that are available after it.
    pub available: usize,
}

impl Step {
    /// Nothing happens to any machine.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.created.is_empty()
            && self.deleted.is_empty()
            && self.updating.is_empty()
            && self.rewritten.is_empty()
    }
}
