//! A new class, seen from outside the whole time.

use std::collections::BTreeSet;

use serde_json::json;

use crate::fleet::Fleet;
use crate::history::{is_available, is_live};
use crate::runtime::run;

const NEW_CLASS: &str = r#"{"spec":{"template":{"spec":{"class":{"name":"v2"}}}}}"#;

async fn roll(fleet: &Fleet, replicas: usize) -> usize {
    let old: BTreeSet<String> = fleet.settled(replicas).await.into_iter().collect();
    fleet.apply(&fleet.class("v2")).await;
    let begin = fleet.history.len();
    fleet
        .kubectl_must(&["patch", "machinedeployment", &fleet.namespace, "--type=merge", "-p", NEW_CLASS])
        .await;
    fleet
        .until("no old machine is left", async |fleet| {
            let now = fleet.history.now();
            now.keys().all(|name| !old.contains(name)).then_some(())
        })
        .await;
    for name in fleet.settled(replicas).await {
        assert_eq!(fleet.history.now()[&name].spec.class.name, "v2");
    }
    begin
}

async fn rolls_within(prefix: &str, surge: usize, unavailable: usize) {
    let replicas = 3;
    let fleet = Fleet::start(prefix, &[]).await;
    let mut deployment = fleet.deployment("v1", 3);
    deployment["spec"]["strategy"]["rollingUpdate"] =
        json!({ "maxSurge": surge, "maxUnavailable": unavailable });
    fleet.apply(&deployment).await;
    let begin = roll(&fleet, replicas).await;
    for moment in fleet.history.since(begin) {
        let live = moment.values().filter(|machine| is_live(machine)).count();
        let available = moment.values().filter(|machine| is_available(machine)).count();
        assert!(live <= replicas + surge, "{live} machines at a time");
        assert!(available + unavailable >= replicas, "only {available} available");
    }
    fleet.close().await;
}

#[test]
fn a_rolling_update_with_surge_never_has_fewer_than_wanted() {
    run(rolls_within("roll-up", 1, 0));
}

#[test]
fn a_rolling_update_without_surge_never_has_more_than_wanted() {
    run(rolls_within("roll-down", 0, 1));
}

#[test]
fn recreate_leaves_no_overlap() {
    run(async {
        let fleet = Fleet::start("recreate", &[]).await;
        let mut deployment = fleet.deployment("v1", 2);
        deployment["spec"]["strategy"] = json!({ "type": "Recreate" });
        fleet.apply(&deployment).await;
        let begin = roll(&fleet, 2).await;
        for moment in fleet.history.since(begin) {
            let classes: BTreeSet<_> = moment.values().map(|machine| &machine.spec.class.name).collect();
            assert!(classes.len() <= 1, "machines of {classes:?} at the same time");
        }
        fleet.close().await;
    });
}
