//! A leader that ends in good order, in the middle of births: the next one goes on at once.

use std::time::Duration;

use crate::world::objects;
use crate::world::{Setting, in_world};

/// Much less than a lease lasts.
const AT_ONCE: Duration = Duration::from_secs(5);

#[test]
fn a_leader_that_is_told_to_end_gives_its_leases_back_and_leaves_nothing_half_done() {
    for after in [0, 5, 50, 500, 10_000] {
        let played = in_world(Setting::default(), |world| async move {
            world.apply(objects::secret());
            world.apply(objects::class(objects::CLASS));
            world.apply(objects::machine("solo"));
            world.apply(objects::deployment("pool", 2));
            let first = world.controller("c1");
            world.until("it leads", || !world.writes().is_empty()).await;
            world.rest(Duration::from_millis(after)).await;
            let second = world.controller("c2");
            let asked = world.conductor.elapsed();
            first.stop().await.unwrap();
            world
                .until("the next one leads", || {
                    let holders = world.operator.list("leases");
                    holders.iter().all(|lease| lease["spec"]["holderIdentity"] == "c2")
                })
                .await;
            assert!(world.conductor.elapsed() - asked < AT_ONCE);
            world.until_running(3).await;
            assert_eq!(world.cloud.vms().len(), 3);
            drop(second);
        });
        played.clean();
    }
}
