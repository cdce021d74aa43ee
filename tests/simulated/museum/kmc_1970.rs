//! kubermatic/machine-controller #1970: a handful of machines at rest used up the cloud's 3600 requests an hour.

use super::prelude::*;

#[test]
fn ten_machines_at_rest_cost_a_few_cloud_calls_an_hour() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        world.apply(objects::deployment("pool", 10));
        world.start();
        world.until_running(10).await;
        let count =
            || world.conductor.log().iter().filter(|l| l.point.signature.party == Party::Cloud).count();
        let before = count();
        world.rest(Duration::from_secs(3600)).await;
        assert!(count() - before <= 30, "{} calls in an hour", count() - before);
    });
    played.clean();
}
