//! Births: which requests, and what becomes of what goes wrong on the way.

use millwright_api::MachineCode;
use millwright_provider::{CreateOutcome, ProviderState};
use serde_json::{Value, json};

use crate::script::{Desk, disks, error, nics, page, tags, vm, vms};

fn nic(state: &str, tags: &Value) -> Value {
    json!({ "name": "pool-a-1-nic", "tags": tags, "properties": { "provisioningState": state } })
}

fn in_progress(outcome: CreateOutcome) -> ProviderState {
    let CreateOutcome::InProgress { state, provider_id, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(provider_id, None, "an id that is written down would end the creation");
    state
}

const OPERATION: &str = "https://management.azure.com/subscriptions/subscription-0123/providers/Microsoft.Compute/locations/w/operations/1?x=y";

/// Azure takes the interface at once and the VM as a long operation.
fn willing(desk: &Desk) {
    desk.script.answer(&format!("PUT {}/", nics()), 201, nic("Succeeded", &tags()));
    desk.script.answer_with(
        &format!("PUT {}/", vms()),
        201,
        vm("pool-a-1", "Creating", &tags()),
        &[("azure-asyncoperation", OPERATION), ("retry-after", "7")],
    );
}

#[tokio::test(start_paused = true)]
async fn a_birth_is_two_puts_and_never_waits() {
    let mut desk = Desk::new();
    willing(&desk);
    let outcome = desk.create().await.unwrap();
    assert_eq!(
        desk.script.calls(),
        [
            "GET /Microsoft.Network/networkInterfaces",
            "PUT /Microsoft.Network/networkInterfaces/pool-a-1-nic",
            "PUT /Microsoft.Compute/virtualMachines/pool-a-1"
        ]
    );
    let put = desk.script.seen().pop().unwrap();
    assert_eq!(put.headers["if-none-match"], "*", "nobody's VM is ever overwritten");
    assert!(put.headers["authorization"].is_sensitive());
    let CreateOutcome::InProgress { retry_after, .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(retry_after.as_secs(), 7);
    desk.remember(in_progress(outcome));

    let list = format!("GET {}?", vms());
    desk.script.answer(&list, 200, page(&[vm("pool-a-1", "Creating", &tags())]));
    desk.remember(in_progress(desk.create().await.unwrap()));
    tokio::time::advance(std::time::Duration::from_secs(10)).await;
    desk.script.answer(&list, 200, page(&[vm("POOL-A-1", "Succeeded", &tags())]));
    let CreateOutcome::Created(instance) = desk.create().await.unwrap() else { panic!("it is there") };
    assert_eq!(
        (instance.provider_id.as_str(), instance.node_name.as_str()),
        ("azure:///westeurope/pool-a-1", "pool-a-1")
    );
    assert_eq!(desk.script.calls().len(), 5, "one list for each look: {:?}", desk.script.calls());
}

#[tokio::test(start_paused = true)]
async fn an_interface_that_takes_its_time_is_waited_for_in_another_call() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.script.answer(&format!("PUT {}/", nics()), 201, nic("Updating", &tags()));
    desk.remember(in_progress(desk.create().await.unwrap()));
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[nic("Updating", &tags())]));
    desk.remember(in_progress(desk.create().await.unwrap()));
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[nic("Succeeded", &tags())]));
    desk.remember(in_progress(desk.create().await.unwrap()));
    let puts: Vec<String> = desk.script.calls().into_iter().filter(|call| call.starts_with("PUT")).collect();
    assert_eq!(puts.len(), 2, "{puts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_strangers_interface_of_that_name_is_never_overwritten() {
    let desk = Desk::new();
    willing(&desk);
    let stranger = json!({ "kubernetes.io-cluster-one-two": "1", "kubernetes.io-role-node": "1" });
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[nic("Succeeded", &stranger)]));
    let error = desk.create().await.unwrap_err();
    assert_eq!(error.code, MachineCode::AlreadyExists);
    assert!(desk.script.calls().iter().all(|call| call.starts_with("GET")));
}

#[tokio::test(start_paused = true)]
async fn a_refused_vm_leaves_nothing_of_this_attempt() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.script.answer(&format!("PUT {}/", vms()), 409, error("SkuNotAvailable", "not in this zone"));
    desk.script.answers(
        &format!("GET {}?", nics()),
        vec![(200, page(&[])), (200, page(&[nic("Succeeded", &tags())]))],
    );
    desk.script.answer(&format!("DELETE {}/", nics()), 202, json!(null));
    let refused = desk.create().await.unwrap_err();
    assert_eq!(refused.code, MachineCode::ResourceExhausted);
    assert_eq!(
        desk.script.calls().last().unwrap(),
        "DELETE /Microsoft.Network/networkInterfaces/pool-a-1-nic"
    );
    // The next attempt begins anew and does not go on waiting for what was refused.
    desk.remember(refused.state.unwrap());
    let seen = desk.script.calls().len();
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[]));
    willing(&desk);
    desk.create().await.unwrap();
    assert_eq!(desk.script.calls()[seen..].len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_throttled_birth_keeps_its_interface_for_the_next_try() {
    let desk = Desk::new();
    willing(&desk);
    let busy = error("OperationNotAllowed", "too many requests have been received");
    desk.script.answer_with(&format!("PUT {}/", vms()), 429, busy, &[("retry-after", "7")]);
    let throttled = desk.create().await.unwrap_err();
    assert_eq!((throttled.code, throttled.retry_after.unwrap().as_secs()), (MachineCode::Unavailable, 7));
    assert!(!desk.script.calls().iter().any(|call| call.starts_with("DELETE")));
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_fails_later_is_deleted_and_says_why() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.remember(in_progress(desk.create().await.unwrap()));
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Failed", &tags())]));
    let failed =
        json!({ "status": "Failed", "error": { "code": "ZonalAllocationFailed", "message": "no room" } });
    desk.script.answer(
        "GET /subscriptions/subscription-0123/providers/Microsoft.Compute/locations/w/operations/1",
        200,
        failed,
    );
    desk.script.answer(&format!("DELETE {}/", vms()), 202, json!(null));
    let error = desk.create().await.unwrap_err();
    assert_eq!(error.code, MachineCode::ResourceExhausted);
    assert!(error.message.contains("ZonalAllocationFailed: no room"), "{error}");
    assert_eq!(desk.script.calls().last().unwrap(), "DELETE /Microsoft.Compute/virtualMachines/pool-a-1");
    assert!(error.state.unwrap().as_str().contains("begin"));
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_died_is_never_waited_for_again() {
    for (said, code, keeps_its_interface) in [
        ("InternalExecutionError", MachineCode::Unavailable, true),
        ("RetryableError", MachineCode::Aborted, true),
        ("ZonalAllocationFailed", MachineCode::ResourceExhausted, false),
    ] {
        let mut desk = Desk::new();
        willing(&desk);
        desk.remember(in_progress(desk.create().await.unwrap()));
        let made = if keeps_its_interface { page(&[nic("Succeeded", &tags())]) } else { page(&[]) };
        desk.script.answer(&format!("GET {}?", nics()), 200, made);
        let failed = json!({ "status": "Failed", "error": { "code": said, "message": "not this time" } });
        let operation =
            "GET /subscriptions/subscription-0123/providers/Microsoft.Compute/locations/w/operations/1";
        desk.script.answer(operation, 200, failed);
        let error = desk.create().await.unwrap_err();
        assert_eq!(error.code, code, "{said}");
        desk.remember(error.state.expect("the attempt is over, and the machine must not go on with it"));
        let seen = desk.script.calls().len();
        in_progress(desk.create().await.unwrap());
        let calls = desk.script.calls()[seen..].to_vec();
        assert!(
            calls.contains(&"PUT /Microsoft.Compute/virtualMachines/pool-a-1".to_owned()),
            "{said}: {calls:?}"
        );
        assert!(!calls.iter().any(|call| call.contains("operations")), "{said}: {calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_failed_says_why_itself_when_its_operation_is_forgotten() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.remember(ProviderState::new(r#"{"v":1,"step":"vm"}"#).unwrap());
    let mut failed = vm("pool-a-1", "Failed", &tags());
    desk.script.answer(&format!("GET {}?", vms()), 200, page(std::slice::from_ref(&failed)));
    failed["properties"]["instanceView"] = json!({ "statuses": [{ "code": "ProvisioningState/failed/AllocationFailed", "message": "no room" }] });
    desk.script.answer(&format!("GET {}/", vms()), 200, failed);
    desk.script.answer(&format!("DELETE {}/", vms()), 202, json!(null));
    assert_eq!(desk.create().await.unwrap_err().code, MachineCode::ResourceExhausted);
}

#[tokio::test(start_paused = true)]
async fn a_running_vm_whose_last_change_failed_is_taken_up_and_never_deleted() {
    let desk = Desk::new();
    willing(&desk);
    let mut failed = vm("pool-a-1", "Failed", &tags());
    failed["properties"]["instanceView"] = json!({ "statuses": [
        { "code": "ProvisioningState/failed/AttachDiskWhileBeingDetached", "message": "a volume" },
        { "code": "PowerState/running" } ] });
    desk.script.answer(&format!("PUT {}/", vms()), 412, error("PreconditionFailed", "it is there"));
    desk.script.answer(&format!("GET {}/", vms()), 200, failed);
    assert!(matches!(desk.create().await.unwrap(), CreateOutcome::Created(_)));
    assert!(!desk.script.calls().iter().any(|call| call.starts_with("DELETE")));
}

#[tokio::test(start_paused = true)]
async fn an_image_that_is_not_there_leaves_no_interface_behind() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.spec["properties"]["storageProfile"]["imageReference"] = json!({ "urn": "p:o:s:1.0.0" });
    let image =
        "GET /subscriptions/subscription-0123/providers/Microsoft.Compute/locations/westeurope/publishers/";
    desk.script.answer(image, 404, error("PlatformImageNotFound", "the image is gone"));
    assert_eq!(desk.create().await.unwrap_err().code, MachineCode::NotFound);
    assert!(!desk.script.calls().iter().any(|call| call.starts_with("PUT")), "{:?}", desk.script.calls());
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_runs_and_only_did_not_report_is_kept() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.remember(in_progress(desk.create().await.unwrap()));
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Failed", &tags())]));
    let failed =
        json!({ "status": "Failed", "error": { "code": "OSProvisioningTimedOut", "message": "no report" } });
    desk.script.answer(
        "GET /subscriptions/subscription-0123/providers/Microsoft.Compute/locations/w/operations/1",
        200,
        failed,
    );
    assert!(matches!(desk.create().await.unwrap(), CreateOutcome::Created(_)));
}

#[tokio::test(start_paused = true)]
async fn an_earlier_vm_is_taken_up_and_a_strangers_is_not() {
    let mine = vm("pool-a-1", "Succeeded", &tags());
    let strangers = vm("pool-a-1", "Succeeded", &json!({ "kubernetes.io-role-node": "1" }));
    let anothers = vm(
        "pool-a-1",
        "Succeeded",
        &json!({ "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1", "machine-uid": "another" }),
    );
    for (there, outcome) in [
        (mine, None),
        (strangers, Some(MachineCode::AlreadyExists)),
        (anothers, Some(MachineCode::AlreadyExists)),
    ] {
        let desk = Desk::new();
        willing(&desk);
        desk.script.answer(&format!("PUT {}/", vms()), 412, error("PreconditionFailed", "it is there"));
        desk.script.answer(&format!("GET {}/", vms()), 200, there.clone());
        assert_eq!(desk.create().await.err().map(|error| error.code), outcome, "{there}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_never_goes_to_an_address_that_somebody_wrote_into_the_state() {
    let mut desk = Desk::new();
    willing(&desk);
    let planted = r#"{"v":1,"step":"vm","operation":"https://thief.example.com/operations/1"}"#;
    desk.remember(ProviderState::new(planted).unwrap());
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Failed", &tags())]));
    desk.script.answer(&format!("DELETE {}/", vms()), 202, json!(null));
    desk.create().await.unwrap_err();
    assert!(desk.script.seen().iter().all(|seen| seen.headers["x-host"] != "thief.example.com"));
}

#[tokio::test(start_paused = true)]
async fn an_agreement_is_accepted_once_and_its_plan_is_in_every_vm() {
    let mut desk = Desk::new();
    willing(&desk);
    desk.spec["properties"]["storageProfile"]["imageReference"] = json!({ "urn": "p:o:s:1.0.0" });
    let image = "GET /subscriptions/subscription-0123/providers/Microsoft.Compute/locations/westeurope/publishers/p/artifacttypes/vmimage/offers/o/skus/s/versions/1.0.0";
    desk.script.answer(image, 200, json!({ "name": "1.0.0", "properties": { "plan": { "name": "n", "publisher": "p", "product": "o" } } }));
    let agreement = "/subscriptions/subscription-0123/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/p/offers/o/plans/n/agreements/current";
    let text = json!({ "properties": { "accepted": false, "signature": "abc" } });
    desk.script.answer(&format!("GET {agreement}"), 200, text.clone());
    desk.script.answer(&format!("PUT {agreement}"), 200, text);
    for _ in 0..2 {
        desk.create().await.unwrap();
    }
    let seen = desk.script.seen();
    let accepted: Vec<&crate::script::Seen> =
        seen.iter().filter(|seen| seen.line.starts_with(&format!("PUT {agreement}"))).collect();
    assert_eq!(accepted.len(), 1);
    let body: Value = serde_json::from_str(&accepted[0].body).unwrap();
    assert_eq!(body, json!({ "properties": { "accepted": true, "signature": "abc" } }));
    let sent: Value = serde_json::from_str(&seen.last().unwrap().body).unwrap();
    assert_eq!(sent["plan"], json!({ "name": "n", "publisher": "p", "product": "o" }));
}

#[tokio::test(start_paused = true)]
async fn everything_a_class_can_say_is_sent() {
    let mut desk = Desk::new();
    willing(&desk);
    let id = |kind: &str| format!("/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/{kind}/x");
    let identity =
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/x";
    desk.spec["cloudConfiguration"] = json!({ "name": "AzureChina" });
    desk.spec["subnetInfo"]["vnetResourceGroup"] = json!("net");
    desk.spec["properties"] = json!({
        "hardwareProfile": { "vmSize": "Standard_Unheard_Of" },
        "storageProfile": {
            "imageReference": { "communityGalleryImageID": "/CommunityGalleries/c/Images/i/Versions/1" },
            "diskControllerType": "NVMe",
            "osDisk": { "createOption": "FromImage", "caching": "ReadOnly", "diskSizeGB": 50, "managedDisk": {
                "storageAccountType": "PremiumV9_LRS", "securityProfile": { "securityEncryptionType": "DiskWithVMGuestState" } } },
            "dataDisks": [
                { "lun": 0, "name": "kubelet", "storageAccountType": "Premium_LRS", "diskSizeGB": 10 },
                { "lun": 1, "caching": "ReadWrite", "storageAccountType": "Premium_LRS", "diskSizeGB": 20, "imageRef": { "urn": "p:o:s:2.0.0" } }
            ]
        },
        "osProfile": { "adminUsername": "core", "linuxConfiguration": { "ssh": { "publicKeys": { "keyData": "ssh-rsa AAAA\n" } } } },
        "networkProfile": { "acceleratedNetworking": true },
        "virtualMachineScaleSet": { "id": id("virtualMachineScaleSets") },
        "identityID": identity,
        "diagnosticsProfile": { "enabled": true },
        "securityProfile": { "securityType": "ConfidentialVM", "uefiSettings": { "vtpmEnabled": true, "secureBootEnabled": false } },
        "capacityReservation": { "capacityReservationGroupID": id("capacityReservationGroups") }
    });
    desk.script.answer(
        &format!("PUT {}/", disks()),
        201,
        json!({ "properties": { "provisioningState": "Succeeded" } }),
    );
    desk.create().await.unwrap();
    let seen = desk.script.seen();
    assert!(seen[1..].iter().all(|seen| seen.headers["x-host"] == "management.chinacloudapi.cn"));
    let sent = |path: &str| -> Value {
        let put = seen.iter().find(|seen| seen.line.starts_with(&format!("PUT {path}"))).unwrap();
        serde_json::from_str(&put.body).unwrap()
    };
    let nic = sent(&nics());
    assert_eq!(
        nic,
        json!({ "location": "westeurope", "tags": tags(), "properties": {
            "enableAcceleratedNetworking": true, "enableIPForwarding": true,
            "ipConfigurations": [{ "name": "pool-a-1-nic", "properties": { "privateIPAllocationMethod": "Dynamic", "subnet": {
                "id": "/subscriptions/subscription-0123/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s" } } }] } })
    );
    assert_eq!(
        sent(&disks()),
        json!({ "location": "westeurope", "tags": tags(), "sku": { "name": "Premium_LRS" }, "properties": { "diskSizeGB": 20,
            "creationData": { "createOption": "FromImage", "imageReference": { "id":
                "/subscriptions/subscription-0123/providers/Microsoft.Compute/locations/westeurope/publishers/p/artifactTypes/VMImage/offers/o/skus/s/versions/2.0.0" } } } })
    );
    assert_eq!(
        sent(&vms()),
        json!({
            "location": "westeurope", "tags": tags(),
            "identity": { "type": "UserAssigned", "userAssignedIdentities": { identity: {} } },
            "properties": {
                "hardwareProfile": { "vmSize": "Standard_Unheard_Of" },
                "storageProfile": {
                    "imageReference": { "communityGalleryImageId": "/CommunityGalleries/c/Images/i/Versions/1" },
                    "osDisk": { "name": "pool-a-1-os-disk", "caching": "ReadOnly", "createOption": "FromImage", "diskSizeGB": 50, "deleteOption": "Delete",
                        "managedDisk": { "storageAccountType": "PremiumV9_LRS", "securityProfile": { "securityEncryptionType": "DiskWithVMGuestState" } } },
                    "dataDisks": [
                        { "lun": 0, "name": "pool-a-1-kubelet-0-data-disk", "caching": "None", "createOption": "Empty", "diskSizeGB": 10,
                          "managedDisk": { "storageAccountType": "Premium_LRS" }, "deleteOption": "Delete" },
                        { "lun": 1, "name": "pool-a-1-1-data-disk", "caching": "ReadWrite", "createOption": "Attach",
                          "managedDisk": { "id": format!("{}/pool-a-1-1-data-disk", disks()) }, "deleteOption": "Delete" }
                    ],
                    "diskControllerType": "NVMe"
                },
                "osProfile": { "computerName": "pool-a-1", "adminUsername": "core", "customData": "I2Nsb3VkLWNvbmZpZw==",
                    "linuxConfiguration": { "disablePasswordAuthentication": true, "ssh": { "publicKeys": [
                        { "path": "/home/core/.ssh/authorized_keys", "keyData": "ssh-rsa AAAA" }] } } },
                "networkProfile": { "networkInterfaces": [{ "id": format!("{}/pool-a-1-nic", nics()), "properties": { "primary": true, "deleteOption": "Delete" } }] },
                "securityProfile": { "uefiSettings": { "secureBootEnabled": false, "vTpmEnabled": true }, "securityType": "ConfidentialVM" },
                "diagnosticsProfile": { "bootDiagnostics": { "enabled": true } },
                "virtualMachineScaleSet": { "id": id("virtualMachineScaleSets") },
                "capacityReservation": { "capacityReservationGroup": { "id": id("capacityReservationGroups") } }
            }
        })
    );
}
