//! Says that a rollout meets a set that makes no machines.

use std::sync::Arc;

use millwright_api::keys::labels;
use millwright_api::{MachineDeployment, MachineSet, ObjectView};

/// A line when somebody or something has frozen the deployment or one of its sets.
pub(super) fn line(deployment: &MachineDeployment, sets: &[Arc<MachineSet>]) -> Option<String> {
    let is_frozen = |label: Option<&str>| label == Some("True");
    let set = sets.iter().any(|set| is_frozen(set.label(labels::FREEZE)));
    if !set && !is_frozen(deployment.label(labels::FREEZE)) {
        return None;
    }
    Some(
        "It is frozen (label freeze=True): no machine is made until that is lifted; docs/operations/safety.md says how."
            .to_owned(),
    )
}
