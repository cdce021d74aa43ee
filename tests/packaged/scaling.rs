//! More machines and fewer.

use crate::fleet::Fleet;
use crate::kube_names::PRIORITY;
use crate::runtime::run;

#[test]
fn a_scale_up_keeps_what_is_there_and_a_scale_down_takes_the_lowest_priority_first() {
    run(async {
        let fleet = Fleet::start("scale", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let first = fleet.settled(1).await.remove(0);
        fleet.scale(3).await;
        let machines = fleet.settled(3).await;
        assert!(machines.contains(&first));
        // Neither the oldest nor the first by name would have to go by any other rule.
        let chosen = machines.iter().max().unwrap();
        let priority = format!("{PRIORITY}=1");
        fleet.kubectl_must(&["annotate", "machine", chosen, &priority, "--overwrite"]).await;
        fleet.scale(2).await;
        let left = fleet.settled(2).await;
        assert!(!left.contains(chosen), "{chosen} should have gone, {left:?} are left");
        fleet.scale(0).await;
        fleet.settled(0).await;
        fleet.close().await;
    });
}
