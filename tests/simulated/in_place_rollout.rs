//! Whole pools whose nodes are updated in place: all controllers in one process, and on each node an agent that obeys the
//! node's condition. No VM is made or deleted that the number of replicas does not ask for.

use std::collections::BTreeSet;
use std::time::Duration;

use millwright_simkube::Operator;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::world::objects;
use crate::world::{Plan, Setting, World, in_world};

const CANDIDATE: &str = "node.machine.sapcloud.io/candidate-for-update";
const SELECTED: &str = "node.machine.sapcloud.io/selected-for-update";
const RESULT: &str = "node.machine.sapcloud.io/update-result";
const CRITICAL: &str = "node.gardener.cloud/critical-components-not-ready";

/// The agents of all nodes, and what starts critical components.
struct Agents(JoinHandle<()>);

impl Agents {
    fn start(world: &World) -> Self {
        let operator = world.kube.operator();
        Self(tokio::spawn(async move {
            loop {
                for node in operator.list("nodes") {
                    look_after(&operator, &node);
                }
                tokio::time::sleep(Duration::from_secs(7)).await;
            }
        }))
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn look_after(operator: &Operator, node: &Value) {
    let is_ready = reason(node) == "ReadyForUpdate" && node["metadata"]["labels"][RESULT].is_null();
    let waits = taints(node).any(|key| key == CRITICAL);
    if !is_ready && !waits {
        return;
    }
    // A node that is gone meanwhile needs nobody.
    let _ = operator.modify("nodes", "", node["metadata"]["name"].as_str().unwrap_or_default(), |node| {
        if is_ready {
            node["metadata"]["labels"][RESULT] = json!("successful");
        }
        if let Some(list) = node["spec"]["taints"].as_array_mut() {
            list.retain(|taint| taint["key"] != CRITICAL);
        }
    });
}

fn reason(node: &Value) -> &str {
    let conditions = node["status"]["conditions"].as_array().into_iter().flatten();
    let mut own = conditions.filter(|condition| condition["type"] == "InPlaceUpdate");
    own.next().and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

fn taints(node: &Value) -> impl Iterator<Item = &Value> {
    node["spec"]["taints"].as_array().into_iter().flatten().map(|taint| &taint["key"])
}

fn pool(replicas: u32, orchestration: &str) -> Value {
    let mut pool = objects::deployment("pool", replicas);
    let update = json!({"maxSurge": 0, "maxUnavailable": 1, "orchestrationType": orchestration});
    pool["spec"]["strategy"] = json!({"type": "InPlaceUpdate", "inPlaceUpdate": update});
    pool
}

fn change_pool(world: &World, change: impl FnOnce(&mut Value)) {
    world.operator.modify("machinedeployments", objects::NAMESPACE, "pool", change).unwrap();
}

/// A new version of what runs on the nodes.
fn roll(world: &World) {
    change_pool(world, |pool| {
        pool["spec"]["template"]["metadata"]["annotations"] = json!({"checksum/nodes": "2"});
    });
}

fn with_label(world: &World, key: &str) -> Vec<String> {
    let nodes = world.operator.list("nodes").into_iter();
    nodes
        .filter(|node| node["metadata"]["labels"][key].is_string())
        .map(|node| node["metadata"]["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Machines of the set of that revision.
fn machines_of(world: &World, revision: &str) -> Vec<String> {
    let sets = world.operator.list("machinesets");
    let set = sets
        .iter()
        .find(|set| set["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == revision);
    let Some(set) = set else { return Vec::new() };
    let machines = world.operator.list("machines").into_iter();
    machines
        .filter(|machine| machine["metadata"]["ownerReferences"][0]["uid"] == set["metadata"]["uid"])
        .map(|machine| machine["metadata"]["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn vms(world: &World) -> BTreeSet<String> {
    world.cloud.vms().into_iter().map(|vm| vm.id).collect()
}

fn says_complete(world: &World) -> bool {
    let pool = world.operator.get("machinedeployments", objects::NAMESPACE, "pool").unwrap_or_default();
    let conditions = pool["status"]["conditions"].as_array().into_iter().flatten();
    pool["status"]["observedGeneration"] == pool["metadata"]["generation"]
        && conditions.into_iter().any(|condition| condition["reason"] == "NewMachineSetAvailable")
}

/// Nothing of the update is left on any node.
fn must_be_clean(world: &World) {
    for key in [CANDIDATE, SELECTED, RESULT] {
        assert_eq!(with_label(world, key), Vec::<String>::new(), "{key}");
    }
    for node in world.operator.list("nodes") {
        assert_ne!(node["spec"]["unschedulable"], json!(true), "{}", node["metadata"]["name"]);
        assert_eq!(taints(&node).count(), 0, "{}", node["spec"]);
        let annotations = &node["metadata"]["annotations"];
        for key in ["scale-down-disabled", "scale-down-disabled-by-mcm"] {
            assert!(
                annotations[format!("cluster-autoscaler.kubernetes.io/{key}")].is_null(),
                "{annotations}"
            );
        }
    }
    for machine in world.operator.list("machines") {
        assert!(machine["metadata"]["labels"][RESULT].is_null(), "{}", machine["metadata"]);
    }
}

async fn ends_empty(world: &World) {
    world.delete("machinedeployments", "pool");
    world.until("no machine is left", || world.operator.list("machines").is_empty()).await;
    world.delete("machineclasses", objects::CLASS);
    world.until_empty().await;
}

async fn begin(world: &World, replicas: u32, orchestration: &str) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    world.apply(pool(replicas, orchestration));
    world.start();
    let count = usize::try_from(replicas).unwrap();
    world.until_running(count).await;
    world.until("it is complete", || says_complete(world)).await;
}

#[test]
fn three_nodes_are_updated_one_by_one_although_replicas_change_and_the_controller_dies_meanwhile() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        let _agents = Agents::start(&world);
        begin(&world, 3, "Auto").await;
        let before = vms(&world);
        let first = world.operator.list("machines")[0]["metadata"]["name"].as_str().unwrap().to_owned();
        world.apply(objects::pod("web-1", &first, "web"));
        roll(&world);
        world
            .until("one is updated", || {
                assert!(with_label(&world, SELECTED).len() <= 1, "one may be missed");
                machines_of(&world, "2").len() == 1
            })
            .await;
        change_pool(&world, |pool| pool["spec"]["replicas"] = json!(4));
        world.kill();
        world
            .until("all are updated", || {
                assert!(with_label(&world, SELECTED).len() <= 1, "one may be missed");
                machines_of(&world, "2").len() == 4
            })
            .await;
        world.until("it says so", || says_complete(&world)).await;
        assert!(before.is_subset(&vms(&world)), "no VM was replaced");
        assert_eq!(vms(&world).len(), 4);
        assert!(world.operator.list("pods").is_empty(), "it was drained");
        world.rest(Duration::from_secs(60)).await;
        must_be_clean(&world);
        world.must_rest().await;
        // And once more, with fewer in the middle.
        change_pool(&world, |pool| {
            pool["spec"]["template"]["metadata"]["annotations"] = json!({"checksum/nodes": "3"});
        });
        world.until("one is updated", || machines_of(&world, "3").len() == 1).await;
        change_pool(&world, |pool| pool["spec"]["replicas"] = json!(2));
        world
            .until("both are updated", || {
                machines_of(&world, "3").len() == 2 && world.operator.list("machines").len() == 2
            })
            .await;
        world.until("it says so", || says_complete(&world)).await;
        world.rest(Duration::from_secs(60)).await;
        must_be_clean(&world);
        world.must_rest().await;
        ends_empty(&world).await;
    });
    played.clean();
}

#[test]
fn with_manual_two_nodes_wait_for_their_user_and_nothing_is_written_meanwhile() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        let _agents = Agents::start(&world);
        begin(&world, 2, "Manual").await;
        let before = vms(&world);
        roll(&world);
        world.until("both are candidates", || with_label(&world, CANDIDATE).len() == 2).await;
        world.rest(Duration::from_secs(60)).await;
        world.must_rest().await;
        assert_eq!(with_label(&world, SELECTED), Vec::<String>::new());
        for count in 1..=2 {
            let next = with_label(&world, CANDIDATE).remove(0);
            world
                .operator
                .modify("nodes", "", &next, |node| node["metadata"]["labels"][SELECTED] = json!("true"))
                .unwrap();
            world.until("it is updated", || machines_of(&world, "2").len() == count).await;
            world.until("it takes pods", || with_label(&world, SELECTED).is_empty()).await;
        }
        world.until("it says so", || says_complete(&world)).await;
        assert_eq!(vms(&world), before);
        world.rest(Duration::from_secs(60)).await;
        must_be_clean(&world);
        world.must_rest().await;
        ends_empty(&world).await;
    });
    played.clean();
}
