//! kubermatic/machine-controller #269: a machine that was being deleted without our finalizer, but with another's, was started to be
//! created and could never be deleted.

use super::prelude::*;

#[test]
fn a_deleted_machine_with_somebody_elses_finalizer_is_neither_created_nor_held() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        let mut machine = objects::machine("solo");
        machine["metadata"]["finalizers"] = serde_json::json!(["foregroundDeletion"]);
        world.apply(machine);
        world.delete("machines", "solo");
        world.start();
        world.rest(Duration::from_secs(600)).await;
        assert!(world.cloud.vms().is_empty());
        assert!(world.writes().iter().all(|l| !l.point.signature.text.contains("machines/solo")));
        world
            .operator
            .modify("machines", NAMESPACE, "solo", |machine| {
                machine["metadata"]["finalizers"] = serde_json::json!([]);
            })
            .unwrap();
        world.until("it is gone", || world.machine("solo").is_none()).await;
    });
    played.clean();
}
