//! A node with a disruption budget, a daemon and a critical pod goes in good order; another goes by force.

use std::time::Duration;

use serde_json::json;

use super::{last_look, look};
use crate::world::objects::{self, NAMESPACE};
use crate::world::{EndState, World};

pub(super) async fn play(world: &World) -> Vec<EndState> {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    world.apply(objects::machine("solo"));
    world.apply(objects::machine("forced"));
    world.start();
    world.until_running(2).await;
    pods(world);
    let up = look(world).await;

    world.delete("machines", "solo");
    let gone = |name: &str| world.operator.get("pods", "work", name).is_none();
    world.until("one of two is evicted", || gone("web-1") || gone("web-2")).await;
    // Its replacement comes up elsewhere.
    world.apply(objects::pod("web-3", "forced", "web"));
    world.until("the drained machine is gone", || world.machine("solo").is_none()).await;

    world.delete("machines", "forced");
    world.rest(Duration::from_secs(120)).await;
    world.invariants.forced.lock().push("forced".to_owned());
    let labelled = world.operator.modify("machines", NAMESPACE, "forced", |machine| {
        machine["metadata"]["labels"]["force-deletion"] = json!("True");
    });
    labelled.unwrap();
    world.until("the forced machine is gone", || world.machine("forced").is_none()).await;
    world.delete("machineclasses", objects::CLASS);
    let empty = last_look(world).await;
    vec![up, empty]
}

fn pods(world: &World) {
    // Two of an app of which one must stay: the second has to wait until the first is replaced.
    world.apply(objects::pod("web-1", "solo", "web"));
    world.apply(objects::pod("web-2", "solo", "web"));
    world.apply(objects::budget("web", 1));
    let mut daemon = objects::pod("daemon", "solo", "daemon");
    daemon["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "d", "controller": true}]);
    world.apply(daemon);
    let mut critical = objects::pod("critical", "solo", "critical");
    critical["spec"]["priorityClassName"] = json!("system-cluster-critical");
    world.apply(critical);
    world.apply(objects::pod("held", "forced", "held"));
    world.apply(objects::budget("held", 1));
}
