//! What kubectl prints of a change before it is made is what then happens.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::history::{is_available, is_live};
use crate::runtime::run;

/// Asks what a patch of the deployment would do, until the webhook has seen the machines as they are.
async fn asked(fleet: &Fleet, patch: &Value, part: &str) -> String {
    let patch = patch.to_string();
    let arguments = [
        "patch",
        "machinedeployment",
        &fleet.namespace,
        "--type=merge",
        "--dry-run=server",
        "--patch",
        &patch,
    ];
    fleet
        .until(&format!("kubectl prints {part:?}"), async |fleet| {
            let said = fleet.kubectl(&arguments).await;
            assert!(said.status.success(), "{}", said.stderr);
            said.stderr.contains(part).then_some(said.stderr)
        })
        .await
}

fn to_v2() -> Value {
    json!({ "spec": { "template": { "spec": { "class": { "name": "v2" } } } } })
}

/// Rolls three machines with these limits; yields how many were there at the most, and available at the least.
async fn roll(fleet: &Fleet) -> (usize, usize) {
    let old: BTreeSet<String> = fleet.settled(3).await.into_iter().collect();
    let begin = fleet.history.len();
    fleet.patch(&to_v2()).await;
    fleet
        .until("no old machine is left", async |fleet| {
            fleet.history.now().keys().all(|name| !old.contains(name)).then_some(())
        })
        .await;
    let new = fleet.settled(3).await;
    let moments = fleet.history.since(begin);
    let seen: BTreeSet<&String> = moments.iter().flat_map(|moment| moment.keys()).collect();
    assert_eq!(seen.len(), old.len() + new.len(), "each was replaced once: {seen:?}");
    let most = moments.iter().map(|moment| moment.values().filter(|machine| is_live(machine)).count());
    let least = moments.iter().map(|moment| moment.values().filter(|machine| is_available(machine)).count());
    (most.max().unwrap(), least.min().unwrap())
}

#[test]
fn a_dry_run_tells_the_plan_of_a_rollout_with_surge_and_the_rollout_keeps_to_it() {
    run(async {
        let fleet = Fleet::start("told-up", &[]).await;
        fleet.apply(&fleet.class("v2")).await;
        fleet.apply(&fleet.deployment("v1", 3)).await;
        fleet.settled(3).await;
        let plan = "This change replaces 3 machines (3 of class v1) in 6 steps, 0 kept; at most 4 machines at a time, no node is \
                    missing in between.";
        asked(&fleet, &to_v2(), plan).await;
        // A dry run changes nothing.
        assert_eq!(fleet.history.now().len(), 3);
        assert_eq!(roll(&fleet).await, (4, 3));
        fleet.close().await;
    });
}

#[test]
fn a_dry_run_tells_the_plan_of_a_rollout_without_surge_and_the_rollout_keeps_to_it() {
    run(async {
        let fleet = Fleet::start("told-down", &[]).await;
        fleet.apply(&fleet.class("v2")).await;
        let mut deployment = fleet.deployment("v1", 3);
        deployment["spec"]["strategy"]["rollingUpdate"] = json!({ "maxSurge": 0, "maxUnavailable": 1 });
        fleet.apply(&deployment).await;
        fleet.settled(3).await;
        let told = asked(&fleet, &to_v2(), "This change replaces 3 machines (3 of class v1)").await;
        assert!(told.contains("at most 3 machines at a time, at most 1 node is missing at a time"), "{told}");
        assert_eq!(roll(&fleet).await, (3, 2));
        fleet.close().await;
    });
}

#[test]
fn a_real_change_is_told_too_and_scaling_is_told_only_to_those_who_ask() {
    run(async {
        let fleet = Fleet::start("told", &[]).await;
        fleet.apply(&fleet.class("v2")).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        fleet.settled(2).await;
        let smaller = json!({ "spec": { "replicas": 1 } });
        asked(&fleet, &smaller, "deletes 1 machine (1 of class v1)").await;
        let patch = |patch: &Value| {
            ["patch", "machinedeployment", &fleet.namespace, "--type=merge", "--patch", &patch.to_string()]
                .map(str::to_owned)
        };
        let scaled = patch(&smaller);
        let said = fleet.kubectl(&scaled.each_ref().map(String::as_str)).await;
        assert!(said.status.success() && !said.stderr.contains("Warning"), "{}", said.stderr);
        fleet.settled(1).await;
        let paused = json!({ "spec": { "paused": true, "template": to_v2()["spec"]["template"] } });
        let said = fleet.kubectl(&patch(&paused).each_ref().map(String::as_str)).await;
        assert!(said.stderr.contains("Nothing is replaced while spec.paused is true"), "{}", said.stderr);
        fleet.close().await;
    });
}

#[test]
fn a_changed_class_in_use_says_that_machines_keep_what_they_were_made_with() {
    run(async {
        let fleet = Fleet::start("told-class", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let before = fleet.settled(1).await;
        let mut class = fleet.class("v1");
        class["providerSpec"]["diskGiB"] = json!(33);
        let keeps = "1 machine keeps what it was made with";
        // The watch may tell of the machine a moment later than it is asked.
        let patch = json!({ "providerSpec": class["providerSpec"] }).to_string();
        let arguments =
            ["patch", "machineclass", "v1", "--type=merge", "--dry-run=server", "--patch", patch.as_str()];
        fleet
            .until("a dry run tells of the machine", async |fleet| {
                fleet.kubectl(&arguments).await.stderr.contains(keeps).then_some(())
            })
            .await;
        let said = fleet.try_apply(&class).await;
        assert!(said.status.success() && said.stderr.contains(keeps), "{}", said.stderr);
        assert_eq!(fleet.settled(1).await, before);
        fleet.close().await;
    });
}
