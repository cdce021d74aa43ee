//! Going back and standing still: `spec.rollbackTo` and `spec.paused`, as users write them.

use serde_json::{Value, json};

use crate::fleet::{Fleet, items};
use crate::history::is_live;
use crate::runtime::run;
use crate::standing::Standing;

const REVISION: &str = "deployment.kubernetes.io/revision";

fn class(name: &str) -> Value {
    json!({ "spec": { "template": { "spec": { "class": { "name": name } } } } })
}

async fn settled_with_class(fleet: &Fleet, count: usize, class: &str) {
    fleet
        .until(&format!("all machines are of {class}"), async |fleet| {
            let now = fleet.history.now();
            now.values().all(|machine| machine.spec.class.name == class).then_some(())
        })
        .await;
    for name in fleet.settled(count).await {
        assert_eq!(fleet.history.now()[&name].spec.class.name, class);
    }
}

/// How often an event of that reason was told about the deployment.
async fn told(fleet: &Fleet, reason: &str) -> u64 {
    let about = format!("--field-selector=involvedObject.name={},reason={reason}", fleet.namespace);
    let events = items(fleet.get(&["events", &about]).await);
    events.iter().map(|event| event["count"].as_u64().unwrap_or(1)).sum()
}

#[test]
fn a_rollback_brings_back_the_class_of_an_earlier_revision_within_the_limits() {
    run(async {
        let fleet = Fleet::start("back", &[]).await;
        fleet.apply(&fleet.class("v2")).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        fleet.settled(2).await;
        fleet.patch(&class("v2")).await;
        settled_with_class(&fleet, 2, "v2").await;

        let begin = fleet.history.len();
        fleet.patch(&json!({ "spec": { "rollbackTo": { "revision": 1 } } })).await;
        settled_with_class(&fleet, 2, "v1").await;
        fleet.history.each_since(begin, |moment| {
            let live = moment.values().filter(|machine| is_live(machine)).count();
            assert!((2..=3).contains(&live), "{live} machines at a time");
        });
        let deployment = fleet.get(&["machinedeployment", &fleet.namespace]).await.unwrap();
        assert_eq!(deployment["spec"]["template"]["spec"]["class"]["name"], "v1");
        assert!(deployment["spec"]["rollbackTo"].is_null(), "{}", deployment["spec"]["rollbackTo"]);
        assert_eq!(deployment["metadata"]["annotations"][REVISION], "3");
        assert_eq!(items(fleet.get(&["machinesets"]).await).len(), 2, "going back needs no third set");
        assert_eq!(told(&fleet, "DeploymentRollback").await, 1);
        fleet.close().await;
    });
}

#[test]
fn a_rollback_to_a_revision_that_is_not_there_changes_nothing_and_is_told_each_time() {
    run(async {
        let fleet = Fleet::start("nowhere", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        let standing = Standing::of(&fleet);
        for times in 1..=2 {
            fleet.patch(&json!({ "spec": { "rollbackTo": { "revision": 99 } } })).await;
            fleet
                .until("the wish is gone and answered", async |fleet| {
                    let deployment = fleet.get(&["machinedeployment", &fleet.namespace]).await?;
                    let is_answered = told(fleet, "DeploymentRollbackRevisionNotFound").await == times;
                    (deployment["spec"]["rollbackTo"].is_null() && is_answered).then_some(())
                })
                .await;
        }
        fleet.settled(1).await;
        standing.must_be_untouched(&fleet);
        fleet.close().await;
    });
}

#[test]
fn a_paused_deployment_scales_and_rolls_only_when_it_is_resumed() {
    run(async {
        let fleet = Fleet::start("paused", &[]).await;
        fleet.apply(&fleet.class("v2")).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        fleet.settled(2).await;
        let standing = Standing::of(&fleet);

        fleet.patch(&json!({ "spec": { "paused": true } })).await;
        progressing(&fleet, "Unknown", "DeploymentPaused").await;
        fleet.patch(&class("v2")).await;
        fleet.scale(3).await;
        fleet
            .until("a third machine of the old class", async |fleet| {
                (fleet.available().len() == 3).then_some(())
            })
            .await;
        standing.must_be_there(&fleet);
        let classes: Vec<_> =
            fleet.history.now().values().map(|machine| machine.spec.class.name.clone()).collect();
        assert_eq!(classes, ["v1"; 3]);
        assert_eq!(items(fleet.get(&["machinesets"]).await).len(), 1);

        fleet.patch(&json!({ "spec": { "paused": false } })).await;
        settled_with_class(&fleet, 3, "v2").await;
        progressing(&fleet, "True", "NewMachineSetAvailable").await;
        fleet.close().await;
    });
}

async fn progressing(fleet: &Fleet, status: &str, reason: &str) {
    fleet
        .until(&format!("Progressing is {status}, {reason}"), async |fleet| {
            let deployment = fleet.get(&["machinedeployment", &fleet.namespace]).await?;
            let conditions = deployment["status"]["conditions"].as_array()?;
            let is_it =
                |c: &Value| c["type"] == "Progressing" && c["status"] == status && c["reason"] == reason;
            conditions.iter().any(is_it).then_some(())
        })
        .await;
}
