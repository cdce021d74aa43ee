//! What a change of a deployment does to its machines.

use jiff::Timestamp;
use millwright_api::keys::annotations::MAINTENANCE_WINDOW;
use millwright_api::{MachineDeployment, ObjectView};
use millwright_decide::RolloutSettings;
use millwright_decide::preview::{Change, preview};
use serde::Deserialize as _;
use serde_json::Value;

use super::{Occasion, frozen, pace, without_effect};
use crate::{Facts, Known};

/// The lines; nothing when the objects can't be read, for then somebody else says so.
pub(super) fn lines(
    before: Option<&Value>,
    after: &Value,
    facts: &dyn Facts,
    occasion: Occasion,
    now: Timestamp,
) -> Vec<String> {
    let before = match before.map(MachineDeployment::deserialize) {
        None => None,
        Some(Ok(before)) => Some(before),
        Some(Err(_)) => return Vec::new(),
    };
    let Ok(after) = MachineDeployment::deserialize(after) else { return Vec::new() };
    if after.is_deleting() || !is_worth_telling(before.as_ref(), &after, occasion) {
        return Vec::new();
    }
    let Known::Yes(around) = facts.surroundings(before.as_ref().unwrap_or(&after)) else {
        return not_known(before.as_ref(), &after, occasion).into_iter().collect();
    };
    let class = match facts.class(&after.spec.template.spec.class.name) {
        Known::Yes(class) => class,
        Known::No => None,
    };
    let bound = pace::bound(around.machines.len());
    let frozen = frozen::line(&after, &around.sets);
    let change = Change {
        before: before.as_ref(),
        after: &after,
        class,
        sets: around.sets,
        machines: around.machines,
        nodes: around.nodes,
        // The controller's flags are not known here.
        settings: &RolloutSettings::default(),
        now,
    };
    let told = preview(&change, bound);
    let mut lines = told.summary();
    if lines.is_empty() && occasion == Occasion::DryRun {
        lines.extend(without_effect::line(&told.changes));
    }
    if !lines.is_empty() {
        lines.extend(frozen);
    }
    lines
}

fn is_worth_telling(
    before: Option<&MachineDeployment>,
    after: &MachineDeployment,
    occasion: Occasion,
) -> bool {
    match (occasion, before) {
        (Occasion::DryRun, _) => true,
        (Occasion::Write, None) => false,
        (Occasion::Write, Some(before)) => {
            let mut scaled = before.spec.clone();
            scaled.replicas = after.spec.replicas;
            scaled != after.spec
                || before.annotation(MAINTENANCE_WINDOW) != after.annotation(MAINTENANCE_WINDOW)
        }
    }
}

/// Whoever asked what another template would do is told that nobody can say.
fn not_known(
    before: Option<&MachineDeployment>,
    after: &MachineDeployment,
    occasion: Occasion,
) -> Option<String> {
    let asks = occasion == Occasion::DryRun
        && before.is_some_and(|before| before.spec.template != after.spec.template);
    asks.then(|| {
        "What this change does to machines can't be told: the webhook does not know those of this namespace (flag --facts, or \
         its watches fail)."
            .to_owned()
    })
}
