//! gardener/machine-controller-manager #718: the target's API server was down, the controller was not frozen, and deleted the nodes'
//! machines one after the other.

use super::prelude::*;
use millwright_simkube::{Gate, RequestInfo, Verdict};
use std::sync::Arc;

/// The target cluster does not answer; its probes are lists of nodes.
fn cut_off(world: &World) {
    let conductor = world.conductor.clone();
    let down = move |request: &RequestInfo| {
        let verdict = Gate::judge(&conductor, request);
        if request.resource == "nodes" || request.resource == "pods" { Verdict::Reset } else { verdict }
    };
    world.kube.set_gate(Arc::new(down));
    world.kube.watch_faults(millwright_simkube::Watches::of("nodes"), millwright_simkube::WatchFault::Cut);
}

#[test]
fn nothing_is_deleted_while_the_target_cannot_be_seen() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        cut_off(&world);
        world.rest(Duration::from_secs(300)).await;
        scale(&world, 0);
        world.rest(Duration::from_secs(1200)).await;
        let machines = world.operator.list("machines");
        let deleted = machines.iter().filter(|machine| machine["metadata"]["deletionTimestamp"].is_string());
        assert_eq!((machines.len(), deleted.count()), (3, 0));
        world.kube.set_gate(Arc::new(world.conductor.clone()));
        world
            .until("the deployment's machines are gone", || world.operator.list("machines").len() == 1)
            .await;
    });
    played.clean();
}

#[test]
fn nodes_that_cannot_be_seen_cost_no_machine() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        let before = vm_ids(&world);
        cut_off(&world);
        // Meanwhile no kubelet can report either.
        for node in world.operator.list("nodes") {
            let name = node["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let silent = world.operator.modify("nodes", "", &name, |node| {
                node["status"]["conditions"][0]["status"] = "Unknown".into();
            });
            silent.unwrap();
        }
        world.rest(Duration::from_secs(3600)).await;
        assert_eq!(vm_ids(&world), before);
        for node in world.operator.list("nodes") {
            let name = node["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let well = world.operator.modify("nodes", "", &name, |node| {
                node["status"]["conditions"][0]["status"] = "True".into();
            });
            well.unwrap();
        }
        world.kube.set_gate(Arc::new(world.conductor.clone()));
        world.rest(Duration::from_secs(3600)).await;
        assert_eq!((vm_ids(&world), running(&world)), (before, 3));
    });
    played.clean();
}
