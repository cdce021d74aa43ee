//! What is remembered between the calls of one creation or deletion.

use millwright_provider::{MachineView, ProviderState};
use serde::{Deserialize, Serialize};

use crate::names::is_name;

/// The memory. A text that can not be read counts as none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Progress {
    /// How many creations failed after they had been accepted; each next one needs a request id of its own.
    pub(crate) failed: u32,
    /// The operation that makes the VM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) insert: Option<String>,
    /// The operation that deletes the VM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delete: Option<String>,
}

impl Progress {
    pub(crate) fn of(machine: &MachineView) -> Self {
        let text = machine.state.as_ref().map_or("", |state| state.as_str());
        let mut known: Self = serde_json::from_str(text).unwrap_or_default();
        // They become parts of URLs, and the status of a machine has more authors than this program.
        known.insert = known.insert.filter(|operation| operation.is_empty() || is_name(operation));
        known.delete = known.delete.filter(|operation| is_name(operation));
        known
    }

    pub(crate) fn inserting(&self, operation: &str) -> Self {
        Self { insert: Some(operation.to_owned()), ..self.clone() }
    }

    pub(crate) fn deleting(&self, operation: &str) -> Self {
        Self { delete: Some(operation.to_owned()), insert: None, ..self.clone() }
    }

    /// After a creation that came to nothing.
    pub(crate) fn failed_once_more(&self) -> Self {
        Self { failed: self.failed.saturating_add(1), insert: None, delete: None }
    }

    /// As the host keeps it. Names of operations are short; one that is not is forgotten, which costs a look.
    pub(crate) fn state(&self) -> ProviderState {
        let text = serde_json::to_string(self).unwrap_or_default();
        ProviderState::new(text).unwrap_or_else(|_| {
            let bare = format!("{{\"failed\":{}}}", self.failed);
            ProviderState::new(bare).expect("a number is far below the limit")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back_and_garbage_is_none() {
        let read = |state| Progress::of(&MachineView { state: Some(state), ..MachineView::default() });
        let kept = Progress::default().failed_once_more().inserting("operation-1");
        assert_eq!(read(kept.state()), kept);
        assert_eq!(kept.deleting("operation-2").insert, None);
        assert_eq!(read(ProviderState::new("{]").unwrap()), Progress::default());
        for elsewhere in [Progress::default().inserting("../../../x"), Progress::default().deleting("a?b")] {
            assert_eq!(read(elsewhere.state()), Progress::default(), "a name that leads elsewhere");
        }
        let endless = Progress { failed: 3, ..Progress::default() }.inserting(&"x".repeat(5000));
        assert_eq!(read(endless.state()), Progress { failed: 3, ..Progress::default() });
    }
}
