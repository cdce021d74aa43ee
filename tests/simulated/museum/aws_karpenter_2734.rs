//! aws/karpenter-provider-aws #2734: a new VM got the address and so the node name of one that was gone, the controller knew the old
//! node by that name, and the new VM ran on for nobody.

use super::prelude::*;

#[test]
fn a_node_of_the_same_name_from_an_earlier_vm_never_stands_in_for_the_new_one() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        // What is left of an earlier VM of that name.
        world.apply(serde_json::json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "solo", "labels": {"kubernetes.io/hostname": "solo"}},
            "spec": {"providerID": "local:///local-a/i-gone"},
            "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]},
        }));
        world.apply(objects::machine("solo"));
        world.start();
        world
            .until("it runs with its own node", || {
                let node = world.operator.get("nodes", "", "solo").unwrap_or_default();
                let vms = world.cloud.vms();
                let own = vms
                    .iter()
                    .any(|vm| node["spec"]["providerID"].as_str().is_some_and(|id| id.ends_with(&vm.id)));
                own && world.phase("solo") == "Running"
            })
            .await;
        assert_eq!(world.cloud.vms().len(), 1);
    });
    played.clean();
}
