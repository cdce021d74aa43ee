//! I4: what the controller gives up itself never leaves fewer machines at work than the deployment allows.

use millwright_simkube::Operator;
use serde_json::Value;

use super::objects::controller;

/// What is wrong with giving up this machine, which was as `before`.
pub(super) fn fewer_than_allowed(operator: &Operator, before: &Value) -> Option<String> {
    // What did no work is no loss, and what users choose is their own choice.
    if !is_at_work(before) || is_chosen(before) {
        return None;
    }
    let sets = operator.list("machinesets");
    let set = sets.iter().find(|set| set["metadata"]["uid"] == controller(before)["uid"])?;
    let deployments = operator.list("machinedeployments");
    let owner = &controller(set)["uid"];
    let deployment = deployments.iter().find(|deployment| deployment["metadata"]["uid"] == *owner)?;
    if deployment["metadata"]["deletionTimestamp"].is_string()
        || set["metadata"]["deletionTimestamp"].is_string()
    {
        return None;
    }
    let wanted = deployment["spec"]["replicas"].as_i64().unwrap_or(1);
    let allowed = may_be_missing(&deployment["spec"]["strategy"], wanted)?;
    let of_deployment: Vec<&Value> = sets
        .iter()
        .filter(|set| controller(set)["uid"] == *owner)
        .map(|set| &set["metadata"]["uid"])
        .collect();
    let machines = operator.list("machines");
    let left = machines
        .iter()
        .filter(|machine| is_at_work(machine) && machine["metadata"]["uid"] != before["metadata"]["uid"])
        .filter(|machine| of_deployment.contains(&&controller(machine)["uid"]))
        .count();
    let least = wanted - allowed;
    (i64::try_from(left).is_ok_and(|left| left < least)).then(|| {
        let (machine, deployment) = (&before["metadata"]["name"], &deployment["metadata"]["name"]);
        format!("I4: {machine} is given up, which leaves {left} machines at work of deployment {deployment}, which needs {least}")
    })
}

fn is_at_work(machine: &Value) -> bool {
    machine["metadata"]["deletionTimestamp"].is_null()
        && machine["status"]["currentStatus"]["phase"] == "Running"
}

/// An autoscaler or a person has marked it.
fn is_chosen(machine: &Value) -> bool {
    let annotations = machine["metadata"]["annotations"].as_object();
    annotations.into_iter().flatten().any(|(key, value)| {
        key.ends_with("/delete-machine") || key == "machinepriority.machine.sapcloud.io" && value == "1"
    })
}

/// How many may be missing while the deployment changes; nothing for a strategy that lets all go at once.
fn may_be_missing(strategy: &Value, wanted: i64) -> Option<i64> {
    let bounds = match strategy["type"].as_str() {
        Some("Recreate") => return None,
        Some("InPlaceUpdate") => &strategy["inPlaceUpdate"],
        _ => &strategy["rollingUpdate"],
    };
    let number = |value: &Value, absent: i64| match value {
        Value::String(percent) => {
            let percent: i64 = percent.trim_end_matches('%').parse().unwrap_or_default();
            wanted * percent / 100
        }
        other => other.as_i64().unwrap_or(absent),
    };
    let (surge, missing) = (number(&bounds["maxSurge"], 1), number(&bounds["maxUnavailable"], 0));
    // Neither more nor fewer would be no way at all.
    Some(if missing == 0 && surge == 0 { 1 } else { missing })
}
