//! The upstream autoscaler's clusterapi provider: a mark on the machine, and the size through the scale subresource.

use serde_json::{Value, json};

use super::whole::{change, is_conflict, read, replace};
use crate::fleet::Fleet;
use crate::runtime::run;

const DELETE: &str = "machine.sapcloud.io/delete-machine";

async fn set_size(fleet: &Fleet, size: usize) {
    let patch = json!({ "spec": { "replicas": size } }).to_string();
    fleet
        .kubectl_must(&[
            "patch",
            "machinedeployment",
            &fleet.namespace,
            "--subresource=scale",
            "--type=merge",
            "-p",
            &patch,
        ])
        .await;
}

/// Go's own way to print a time, which is no RFC 3339.
fn mark(machine: &mut Value) {
    machine["metadata"]["annotations"][DELETE] = json!("2026-11-21 08:00:00.123456789 +0000 UTC m=+42.0");
}

#[test]
fn the_machine_that_the_upstream_autoscaler_marks_goes_with_the_next_smaller_size() {
    run(async {
        let fleet = Fleet::start("ca-upstream", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let first = fleet.settled(1).await.remove(0);
        let mut old = read(&fleet, "machine", &first).await;
        set_size(&fleet, 3).await;
        let mut machines = fleet.settled(3).await;
        machines.sort();
        // Somebody wrote in between: the mark is refused, and nothing has happened.
        fleet.kubectl_must(&["label", "machine", &first, "note=x"]).await;
        mark(&mut old);
        let said = replace(&fleet, &old).await;
        assert!(is_conflict(&said), "{}", said.stderr);
        let chosen = machines.last().unwrap().clone();
        change(&fleet, "machine", &chosen, mark).await;
        set_size(&fleet, 2).await;
        let left = fleet.settled(2).await;
        assert_eq!(left, machines[..2], "{chosen} was chosen");
        // A mark that is taken back chooses nobody.
        change(&fleet, "machine", &left[1], mark).await;
        change(&fleet, "machine", &left[1], |machine| {
            machine["metadata"]["annotations"].as_object_mut().unwrap().remove(DELETE);
        })
        .await;
        change(&fleet, "machine", &left[0], mark).await;
        set_size(&fleet, 1).await;
        assert_eq!(fleet.settled(1).await, left[1..]);
        set_size(&fleet, 0).await;
        fleet.settled(0).await;
        let deployment = read(&fleet, "machinedeployment", &fleet.namespace).await;
        assert_eq!(deployment["spec"]["replicas"], json!(0), "it must be there to be read");
        fleet.close().await;
    });
}

#[test]
fn the_upstream_autoscaler_finds_what_it_reads_of_machines_and_nodes() {
    run(async {
        let fleet = Fleet::start("ca-reads", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let name = fleet.settled(1).await.remove(0);
        let machine = read(&fleet, "machine", &name).await;
        assert_eq!(machine["status"]["nodeRef"]["kind"], json!("Node"));
        assert_eq!(machine["status"]["nodeRef"]["name"], json!(name));
        assert_eq!(machine["status"]["phase"], json!("Running"));
        assert_eq!(machine["metadata"]["ownerReferences"][0]["kind"], json!("MachineSet"));
        fleet
            .until("the node names its machine", async |fleet| {
                let node = read(fleet, "node", &name).await;
                let annotations = &node["metadata"]["annotations"];
                (annotations["machine.sapcloud.io/machine"] == json!(name)
                    && annotations["machine.sapcloud.io/cluster-namespace"] == json!(fleet.namespace))
                .then_some(())
            })
            .await;
        let node = read(&fleet, "node", &name).await;
        assert_eq!(node["spec"]["providerID"], machine["spec"]["providerID"], "it compares them as text");
        fleet.close().await;
    });
}
