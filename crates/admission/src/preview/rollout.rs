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
    if !is_worth_telling(before, after, occasion) {
        return Vec::new();
    }
    let before = match before.map(MachineDeployment::deserialize) {
        None => None,
        Some(Ok(before)) => Some(before),
        Some(Err(_)) => return Vec::new(),
    };
    let Ok(after) = MachineDeployment::deserialize(after) else { return Vec::new() };
    if after.is_deleting() {
        return Vec::new();
    }
    let Known::Yes(around) = facts.surroundings(before.as_ref().unwrap_or(&after)) else {
        return not_known(before.as_ref(), &after, occasion).into_iter().collect();
    };
    let class = match facts.class(&after.spec.template.spec.class.name) {
        Known::Yes(class) => class,
        Known::No => None,
    };
    let Some(bound) = pace::bound(&after, &around) else {
        return too_many(occasion).into_iter().collect();
    };
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

/// Asked of raw JSON, because most writes end here: of controllers, and of autoscalers.
fn is_worth_telling(before: Option<&Value>, after: &Value, occasion: Occasion) -> bool {
    match (occasion, before) {
        (Occasion::DryRun, _) => true,
        (Occasion::Write, None) => false,
        (Occasion::Write, Some(before)) => {
            let window = |object: &Value| {
                object.pointer("/metadata/annotations").and_then(|all| all.get(MAINTENANCE_WINDOW)).cloned()
            };
            differ_but_for_replicas(before.get("spec"), after.get("spec")) || window(before) != window(after)
        }
    }
}

fn differ_but_for_replicas(old: Option<&Value>, new: Option<&Value>) -> bool {
    let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new) else { return old != new };
    old.keys().chain(new.keys()).any(|key| key != "replicas" && old.get(key) != new.get(key))
}

fn too_many(occasion: Occasion) -> Option<String> {
    (occasion == Occasion::DryRun).then(|| {
        format!(
            "What this change does to machines is not counted here: there are more than {} of them.",
            pace::LARGEST
        )
    })
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
