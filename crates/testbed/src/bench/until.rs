//! When a phase is over. Each look costs the API server little, because the bench shares the machine with what it measures.

use std::time::Duration;

use serde_json::Value;

use super::{error::BenchError, meter::Meter, observer::Resource, setting::Setting};
use crate::process::last_lines;

const POLL: Duration = Duration::from_millis(100);
pub(super) const LAST_LINES: usize = 25;

/// What a phase ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// So many machines of the newest template are available, and there is nothing else.
    Machines(u32),
    /// There is nothing.
    Nothing,
}

impl Goal {
    fn machines(self) -> u64 {
        match self {
            Self::Machines(count) => count.into(),
            Self::Nothing => 0,
        }
    }
}

/// The MachineDeployment's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    is_current: bool,
    replicas: u64,
    updated: u64,
    ready: u64,
    available: u64,
}

/// Waits for the goal.
pub(super) async fn reached(
    setting: &Setting,
    meter: &mut Meter,
    phase: &str,
    goal: Goal,
    patience: Duration,
) -> Result<(), BenchError> {
    loop {
        if let Some(ended) = setting.first_ended() {
            return Err(ended.into());
        }
        let numbers = Numbers::read(&setting.observer.deployment().await?);
        let state = if numbers.reached(goal) {
            // The deployment is content; are old machines, nodes and VMs gone too?
            match beyond(setting, goal).await? {
                None => return Ok(()),
                Some(beyond) => beyond,
            }
        } else {
            numbers.to_string()
        };
        meter.sample(setting)?;
        setting.screen.state(&format!("{phase}: {state}"));
        if meter.elapsed() >= patience {
            let log = setting.testbed.log_file("millwright-controller");
            let (seconds, last_lines) = (patience.as_secs(), last_lines(&log, LAST_LINES));
            let phase = phase.to_owned();
            return Err(BenchError::TooSlow { phase, seconds, state, last_lines, log });
        }
        tokio::time::sleep(POLL).await;
    }
}

/// What there is beyond or below what the goal allows.
async fn beyond(setting: &Setting, goal: Goal) -> Result<Option<String>, BenchError> {
    let wanted = goal.machines();
    let machines = setting.observer.count(Resource::Machines).await?;
    let nodes = setting.observer.count(Resource::Nodes).await?;
    let vms = setting.cloud.stats().await?.vms;
    let is_there = machines == wanted && nodes == wanted && vms == wanted;
    Ok((!is_there).then(|| format!("{machines} machines, {nodes} nodes, {vms} VMs")))
}

impl Numbers {
    fn read(deployment: &Value) -> Self {
        let number = |name: &str| deployment["status"][name].as_u64().unwrap_or_default();
        Self {
            is_current: deployment["status"]["observedGeneration"] == deployment["metadata"]["generation"],
            replicas: number("replicas"),
            updated: number("updatedReplicas"),
            ready: number("readyReplicas"),
            available: number("availableReplicas"),
        }
    }

    fn reached(self, goal: Goal) -> bool {
        let Self { is_current, replicas, updated, ready, available } = self;
        let wanted = goal.machines();
        is_current && [replicas, updated, ready, available].iter().all(|number| *number == wanted)
    }
}

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { is_current: _, replicas, updated, ready, available } = self;
        write!(f, "{replicas} replicas, {updated} updated, {ready} ready, {available} available")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(observed: u64, updated: u64) -> Value {
        json!({
            "metadata": { "generation": 2 },
            "status": {
                "observedGeneration": observed,
                "replicas": 5, "updatedReplicas": updated, "readyReplicas": 5, "availableReplicas": 5,
            },
        })
    }

    #[test]
    fn a_goal_is_reached_by_numbers_of_the_newest_spec_only() {
        for (object, goal, reached) in [
            (deployment(2, 5), Goal::Machines(5), true),
            (deployment(1, 5), Goal::Machines(5), false),
            (deployment(2, 4), Goal::Machines(5), false),
            (deployment(2, 5), Goal::Nothing, false),
            (json!({ "metadata": { "generation": 1 } }), Goal::Nothing, false),
            (
                json!({ "metadata": { "generation": 1 }, "status": { "observedGeneration": 1 } }),
                Goal::Nothing,
                true,
            ),
        ] {
            assert_eq!(Numbers::read(&object).reached(goal), reached, "{object}");
        }
    }
}
