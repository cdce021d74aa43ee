//! gardener/machine-controller-manager #657: the controller was restarted while the API server answered with nothing, took every VM
//! for an orphan and deleted all workers.

use super::prelude::*;
use millwright_simkube::{Gate, RequestInfo, Verb, Verdict, WatchFault, Watches};
use std::sync::Arc;

const UNSEEN: [&str; 3] = ["machines", "machinesets", "machinedeployments"];

/// Lists show the world before there were machines, sets and deployments, and watches never tell of any. The classes are there.
fn empty_past(world: &World) {
    let conductor = world.conductor.clone();
    world.kube.set_gate(Arc::new(move |request: &RequestInfo| {
        let verdict = Gate::judge(&conductor, request);
        let looks =
            UNSEEN.contains(&request.resource.as_str()) && [Verb::List, Verb::Watch].contains(&request.verb);
        if looks { Verdict::StaleList { versions_behind: 100_000 } } else { verdict }
    }));
    for resource in UNSEEN {
        world.kube.watch_faults(Watches::of(resource), WatchFault::BookmarksOnly);
    }
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
        world.kube.heal_watches();
        world.kube.watch_faults(Watches::all(), WatchFault::Cut);
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
