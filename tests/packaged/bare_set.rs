//! MachineSets that nobody made for us, and owners that come late.

use serde_json::{Value, json};

use crate::fleet::{Fleet, items};
use crate::runtime::run;
use crate::standing::Standing;

#[test]
fn a_bare_machine_set_adopts_makes_releases_and_deletes_machines() {
    run(async {
        let fleet = Fleet::start("bare", &[]).await;
        let labels = json!({ "name": fleet.namespace });
        let machine = json!({
            "apiVersion": "machine.sapcloud.io/v1alpha1",
            "kind": "Machine",
            "metadata": { "name": format!("{}-orphan", fleet.namespace), "labels": labels },
            "spec": { "class": { "kind": "MachineClass", "name": "v1" } },
        });
        fleet.apply(&machine).await;
        let orphan = running(&fleet, 1).await.remove(0);
        let standing = Standing::of(&fleet);

        fleet.apply(&set(&fleet, 3)).await;
        let three = running(&fleet, 3).await;
        standing.must_be_there(&fleet);
        for name in &three {
            assert_eq!(owner(&fleet, name).await, json!(fleet.namespace), "{name}");
        }

        let name_label = "name=somebody-elses";
        fleet.kubectl_must(&["label", "machine", &orphan, name_label, "--overwrite"]).await;
        let four = running(&fleet, 4).await;
        assert!(four.contains(&orphan), "a machine that is let go stays");
        fleet
            .until("it has no owner", async |fleet| owner(fleet, &orphan).await.is_null().then_some(()))
            .await;
        standing.must_be_there(&fleet);

        fleet.kubectl_must(&["scale", "machineset", &fleet.namespace, "--replicas=1"]).await;
        running(&fleet, 2).await;
        fleet.kubectl_must(&["delete", "machineset", &fleet.namespace, "--timeout=80s"]).await;
        assert_eq!(running(&fleet, 1).await, std::slice::from_ref(&orphan));
        fleet.kubectl_must(&["delete", "machine", &orphan, "--timeout=80s"]).await;
        fleet.close().await;
    });
}

#[test]
fn a_deployment_that_comes_later_adopts_the_set_that_fits_and_replaces_no_machine() {
    run(async {
        let fleet = Fleet::start("late", &[]).await;
        fleet.apply(&set(&fleet, 2)).await;
        running(&fleet, 2).await;
        let standing = Standing::of(&fleet);
        let mut deployment = fleet.deployment("v1", 2);
        deployment["spec"]["template"] = set(&fleet, 2)["spec"]["template"].take();
        fleet.apply(&deployment).await;
        fleet.settled(2).await;
        let sets = items(fleet.get(&["machinesets"]).await);
        assert_eq!(sets.len(), 1);
        assert_eq!(sets[0]["metadata"]["ownerReferences"][0]["name"], json!(fleet.namespace));
        standing.must_be_untouched(&fleet);
        fleet.close().await;
    });
}

/// A set called as the namespace is.
fn set(fleet: &Fleet, replicas: u32) -> Value {
    let labels = json!({ "name": fleet.namespace });
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineSet",
        "metadata": { "name": fleet.namespace, "labels": labels },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "class": { "kind": "MachineClass", "name": "v1" } },
            },
        },
    })
}

/// Waits until there are exactly so many machines, all with a VM and at work.
async fn running(fleet: &Fleet, count: usize) -> Vec<String> {
    fleet
        .until(&format!("{count} machines run and nothing else is left"), async |fleet| {
            let available = fleet.available();
            let all = [available.len(), fleet.history.now().len(), fleet.cloud().vms().len()];
            (all == [count; 3]).then_some(available)
        })
        .await
}

/// The name of a machine's owner.
async fn owner(fleet: &Fleet, machine: &str) -> Value {
    let machine = fleet.get(&["machine", machine]).await.unwrap();
    machine["metadata"]["ownerReferences"][0]["name"].clone()
}
