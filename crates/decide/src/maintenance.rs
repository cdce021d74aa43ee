//! Which maintenance windows hold for a deployment, and whether its rollout may take steps.

use jiff::Timestamp;
use millwright_api::keys::annotations;
use millwright_api::{MachineDeployment, MaintenanceState, MaintenanceWindows, ObjectView, Opening};

use crate::Bounds;

/// What the windows of a deployment say now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Maintenance {
    /// Steps may be taken.
    Open {
        /// When to ask again.
        until: Option<Timestamp>,
    },
    /// They may not.
    Closed {
        /// The windows.
        windows: String,
        /// When they open.
        opening: Option<Opening>,
    },
    /// Nobody can tell: then better not.
    Unreadable {
        /// What is wrong with the annotation.
        reason: String,
    },
}

/// The deployment's own windows, or else those of all.
pub(crate) fn maintenance(deployment: &MachineDeployment, bounds: &Bounds, now: Timestamp) -> Maintenance {
    let own = deployment.annotation(annotations::MAINTENANCE_WINDOW);
    let own = match own.map(str::parse::<MaintenanceWindows>).transpose() {
        Ok(own) => own,
        Err(error) => return Maintenance::Unreadable { reason: error.to_string() },
    };
    let Some(windows) = own.as_ref().or(bounds.maintenance.as_ref()) else {
        return Maintenance::Open { until: None };
    };
    match windows.state(now) {
        MaintenanceState::Open { until } => Maintenance::Open { until },
        MaintenanceState::Closed { opening } => Maintenance::Closed { windows: windows.to_string(), opening },
    }
}
