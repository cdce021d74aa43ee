//! Deaths: what goes, and what stays.

use millwright_api::MachineCode;
use millwright_provider::{DeleteOutcome, DeleteRequest, Provider as _};
use serde_json::{Value, json};

use crate::script::{Desk, disks, nics, page, tags, vm, vms};

fn deletions(desk: &Desk) -> Vec<String> {
    desk.script.calls().into_iter().filter(|call| call.starts_with("DELETE")).collect()
}

fn part(name: &str, tags: &Value) -> Value {
    json!({ "name": name, "tags": tags, "properties": { "provisioningState": "Succeeded" } })
}

fn obedient(desk: &Desk) {
    for kind in [vms(), nics(), disks()] {
        desk.script.answer(&format!("DELETE {kind}/"), 202, json!(null));
    }
}

fn on(mut desk: Desk, outcome: DeleteOutcome) -> Desk {
    let DeleteOutcome::InProgress { state, .. } = outcome else { panic!("{outcome:?}") };
    desk.remember(state);
    desk
}

#[tokio::test(start_paused = true)]
async fn a_death_is_one_deletion_and_never_waits() {
    let mut desk = Desk::new();
    obedient(&desk);
    desk.machine.provider_id = Some("azure:///westeurope/pool-a-1".into());
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Succeeded", &tags())]));
    let outcome = desk.delete().await.unwrap();
    let mut desk = on(desk, outcome);
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Deleting", &tags())]));
    let outcome = desk.delete().await.unwrap();
    desk = on(desk, outcome);
    tokio::time::advance(std::time::Duration::from_secs(10)).await;
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[]));
    assert_eq!(desk.delete().await.unwrap(), DeleteOutcome::Unproven);
    assert_eq!(deletions(&desk), ["DELETE /Microsoft.Compute/virtualMachines/pool-a-1"]);
}

/// Older VMs were made without the option that lets them take their interface along.
#[tokio::test(start_paused = true)]
async fn the_interface_of_an_older_vm_does_not_stay() {
    let desk = Desk::new();
    obedient(&desk);
    let old = json!({ "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1" });
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[part("pool-a-1-nic", &old)]));
    desk.script.answer(
        &format!("GET {}?", disks()),
        200,
        page(&[part("pool-a-1-os-disk", &old), part("pool-a-1-0-data-disk", &old)]),
    );
    desk.delete().await.unwrap();
    assert_eq!(
        deletions(&desk),
        [
            "DELETE /Microsoft.Network/networkInterfaces/pool-a-1-nic",
            "DELETE /Microsoft.Compute/disks/pool-a-1-os-disk",
            "DELETE /Microsoft.Compute/disks/pool-a-1-0-data-disk"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_only_looks_alike_stays() {
    let desk = Desk::new();
    obedient(&desk);
    let foreign = json!({ "kubernetes.io-cluster-one-two": "1", "kubernetes.io-role-node": "1" });
    let anothers =
        json!({ "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1", "Machine-UID": "another" });
    let mut held = part("pool-a-1-nic", &tags());
    held["properties"]["virtualMachine"] = json!({ "id": format!("{}/other", vms()) });
    let interfaces = [
        part("pool-a-1-nic", &foreign),
        part("nic", &tags()),
        part("pool-a-10-nic", &tags()),
        part("pool-a-1-nic", &anothers),
        held,
    ];
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&interfaces));
    desk.script.answer(
        &format!("GET {}?", disks()),
        200,
        page(&[part("pvc-1", &tags()), part("pool-a-1-data", &tags())]),
    );
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("other", "Succeeded", &tags())]));
    assert_eq!(desk.delete().await.unwrap(), DeleteOutcome::Unproven);
    assert_eq!(deletions(&desk), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_part_whose_vm_is_gone_goes_although_it_still_names_it() {
    let desk = Desk::new();
    obedient(&desk);
    let mut nic = part("pool-a-1-nic", &tags());
    nic["properties"]["virtualMachine"] = json!({ "id": format!("{}/pool-a-1", vms()).to_uppercase() });
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[nic]));
    desk.delete().await.unwrap();
    assert_eq!(deletions(&desk), ["DELETE /Microsoft.Network/networkInterfaces/pool-a-1-nic"]);
}

#[tokio::test(start_paused = true)]
async fn a_fresh_vm_that_the_list_does_not_show_is_not_forgotten() {
    let desk = Desk::new();
    obedient(&desk);
    desk.script.answer(&format!("GET {}/", vms()), 200, vm("pool-a-1", "Creating", &tags()));
    desk.delete().await.unwrap();
    assert_eq!(deletions(&desk), ["DELETE /Microsoft.Compute/virtualMachines/pool-a-1"]);
}

#[tokio::test(start_paused = true)]
async fn a_volume_that_must_stay_is_not_taken_along() {
    let desk = Desk::new();
    obedient(&desk);
    let mut there = vm("pool-a-1", "Succeeded", &tags());
    let id = format!("{}/pvc-1", disks());
    there["properties"]["storageProfile"] =
        json!({ "dataDisks": [{ "name": "pvc-1", "deleteOption": "Delete", "managedDisk": { "id": id } }] });
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[there]));
    let request = DeleteRequest { target: desk.target(), keep_volumes: &[id.to_uppercase()] };
    let error = desk.provider.delete(request).await.unwrap_err();
    assert_eq!(error.code, MachineCode::FailedPrecondition);
    assert_eq!(deletions(&desk), [""; 0]);
}
