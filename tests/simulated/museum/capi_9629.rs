//! kubernetes-sigs/cluster-api #9629: after a restart a deployment that was being deleted was scaled up again.

use super::prelude::*;

#[test]
fn a_deployment_that_is_being_deleted_makes_no_machines_after_a_restart() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        world.delete("machinedeployments", "pool");
        world.rest(Duration::from_millis(300)).await;
        let before = creations(&world);
        world.kill();
        world
            .until("the deployment's machines are gone", || world.operator.list("machines").len() == 1)
            .await;
        world.rest(Duration::from_secs(600)).await;
        assert_eq!(creations(&world), before);
    });
    played.clean();
}

fn creations(world: &World) -> usize {
    world.writes().iter().filter(|l| l.point.signature.text.starts_with("create machines")).count()
}
