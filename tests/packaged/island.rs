//! A target cluster that neither the controller nor its own kubelets can reach.

use millwright_testbed::Way;

use crate::cut_target::{AFTERWARDS, CUT, Kubelets, fleet, frozen};
use crate::runtime::run;
use crate::standing::Standing;

#[test]
fn a_target_that_is_cut_off_with_its_kubelets_costs_no_machine() {
    run(async {
        let (fleet, passage) = fleet("island", Kubelets::ThroughThePassage, &[]).await;
        let standing = Standing::of(&fleet);
        passage.set(Way::Silent);
        frozen(&fleet, 1.0).await;
        // Long enough that every node is called Unknown by its cluster.
        tokio::time::sleep(CUT).await;
        let nodes = fleet.house.kubectl_must(&["get", "nodes", "--no-headers"]).await;
        let silent =
            nodes.lines().filter(|node| node.starts_with(&fleet.namespace) && node.contains("NotReady"));
        assert_eq!(silent.count(), 3, "{nodes}");
        passage.set(Way::Open);
        frozen(&fleet, 0.0).await;
        tokio::time::sleep(AFTERWARDS).await;
        fleet.settled(3).await;
        standing.must_be_untouched(&fleet);
        fleet.close().await;
    });
}
