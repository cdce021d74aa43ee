//! gardener/machine-controller-manager #657: the controller was restarted while the API server answered with nothing, took every VM
//! for an orphan and deleted all workers.

use super::prelude::*;
use millwright_simkube::{Gate, RequestInfo, Verdict};
use std::sync::Arc;

/// Lists show the world before there were machines, sets and deployments. The classes are there.
fn empty_past(world: &World) {
    let conductor = world.conductor.clone();
    world.kube.set_gate(Arc::new(move |request: &RequestInfo| {
        let verdict = Gate::judge(&conductor, request);
        let lists = ["machines", "machinesets", "machinedeployments"].contains(&request.resource.as_str())
            && request.verb == millwright_simkube::Verb::List;
        if lists { Verdict::StaleList { versions_behind: 100_000 } } else { verdict }
    }));
}

#[test]
fn an_api_server_that_shows_no_machines_never_costs_a_vm() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        let before = vm_ids(&world);
        empty_past(&world);
        world.kill();
        world.rest(Duration::from_secs(2 * 3600)).await;
        assert_eq!(vm_ids(&world), before, "no VM went, and none came");
        world.kube.set_gate(Arc::new(world.conductor.clone()));
        world.kube.watch_faults(millwright_simkube::Watches::all(), millwright_simkube::WatchFault::Cut);
        world.kill();
        world.rest(Duration::from_secs(3600)).await;
        assert_eq!(vm_ids(&world), before);
    });
    played.clean();
}

#[test]
fn an_api_server_that_answers_nothing_for_twenty_minutes_never_costs_a_vm() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        let before = vm_ids(&world);
        world
            .conductor
            .set_plan(Plan::Everything { party: Party::Api, strike: Strike::Api(Verdict::refuse(503)) });
        world.kill();
        world.rest(Duration::from_secs(20 * 60)).await;
        world.conductor.set_plan(Plan::Calm);
        world.rest(Duration::from_secs(2 * 3600)).await;
        assert_eq!(vm_ids(&world), before);
        assert_eq!(running(&world), 3);
    });
    played.clean();
}
