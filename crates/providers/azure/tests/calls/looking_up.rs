//! Looking VMs up, one and all.

use millwright_api::MachineCode;
use millwright_provider::{LeftoverKind, ListedKind};
use serde_json::{Value, json};

use crate::script::{Desk, SUBSCRIPTION, disks, error, nics, page, tags, vm, vms};

#[tokio::test(start_paused = true)]
async fn a_fresh_vm_that_the_list_does_not_show_is_not_gone() {
    let mut desk = Desk::new();
    desk.machine.provider_id = Some("azure:///westeurope/pool-a-1".into());
    desk.script.answer(&format!("GET {}/", vms()), 200, vm("pool-a-1", "Succeeded", &tags()));
    assert_eq!(desk.status().await.unwrap().provider_id, "azure:///westeurope/pool-a-1");
    desk.script.answer(&format!("GET {}/", vms()), 404, error("ResourceNotFound", "none"));
    assert_eq!(desk.status().await.unwrap_err().code, MachineCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn only_azure_itself_can_say_that_a_vm_is_gone() {
    let desk = Desk::new();
    for (status, body) in [
        (404, json!("a proxy")),
        (404, error("SubscriptionNotFound", "")),
        (404, error("InvalidResourceType", "")),
        (502, json!(null)),
    ] {
        for line in [format!("GET {}?", vms()), format!("GET {}/", vms())] {
            let desk = Desk::new();
            desk.script.answer(&line, status, body.clone());
            let error = desk.status().await.unwrap_err();
            assert_ne!(error.code, MachineCode::NotFound, "{line} {status} {body}: {error}");
        }
    }
    desk.script.answer(&format!("GET {}?", vms()), 404, error("ResourceGroupNotFound", "none"));
    assert_eq!(desk.status().await.unwrap_err().code, MachineCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn machines_that_ask_at_once_are_answered_by_one_list() {
    let desk = Desk::new();
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Succeeded", &tags())]));
    let (one, two, three) = tokio::join!(desk.status(), desk.status(), desk.status());
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(desk.script.calls(), ["GET /Microsoft.Compute/virtualMachines"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_is_whole_or_an_error_and_leads_nowhere_else() {
    let next = format!("https://management.azure.com{}?$skiptoken=2", vms());
    let first = json!({ "value": [vm("pool-a-1", "Succeeded", &tags())], "nextLink": next });
    let second = format!("GET {}?$skiptoken=2", vms());

    let desk = Desk::new();
    desk.script.answer(&format!("GET {}?api", vms()), 200, first.clone());
    desk.script.answer(&second, 200, page(&[vm("pool-a-2", "Succeeded", &tags())]));
    assert_eq!(desk.list().await.unwrap().len(), 2);

    desk.script.answer(&second, 503, json!(null));
    assert_eq!(desk.list().await.unwrap_err().code, MachineCode::Unavailable);

    desk.script.answer(&second, 200, first);
    assert_eq!(desk.list().await.unwrap_err().code, MachineCode::Unavailable, "the same page for ever");

    let stray = json!({ "value": [], "nextLink": "https://thief.example.com/x" });
    desk.script.answer(&format!("GET {}?api", vms()), 200, stray);
    assert_eq!(desk.list().await.unwrap_err().code, MachineCode::Unavailable);
    assert!(desk.script.seen().iter().all(|seen| seen.headers["x-host"] != "thief.example.com"));
}

#[tokio::test(start_paused = true)]
async fn a_list_names_what_is_left_over_and_no_machine_that_never_was() {
    let desk = Desk::new();
    let part = |name: &str, vm: Option<&str>| -> Value {
        let vm = vm.map(|vm| json!({ "id": format!("{}/{vm}", vms()) }));
        json!({ "name": name, "tags": tags(), "managedBy": vm.as_ref().map(|vm| vm["id"].clone()),
                "properties": { "provisioningState": "Succeeded", "virtualMachine": vm } })
    };
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Succeeded", &tags())]));
    let interfaces = [
        part("pool-a-1-nic", Some("pool-a-1")),
        part("pool-a-2-nic", Some("pool-a-2")),
        part("nic", None),
        part("x", None),
    ];
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&interfaces));
    let all = [
        part("pool-a-1-os-disk", Some("pool-a-1")),
        part("pool-a-3-os-disk", None),
        part("pool-a-3-0-data-disk", None),
        part("pvc-1", None),
    ];
    desk.script.answer(&format!("GET {}?", disks()), 200, page(&all));
    let listed: Vec<(String, ListedKind)> =
        desk.list().await.unwrap().into_iter().map(|entry| (entry.machine_name, entry.kind)).collect();
    let (nic, disk) = (ListedKind::Leftover(LeftoverKind::Nic), ListedKind::Leftover(LeftoverKind::Disk));
    let expected = [("pool-a-1", ListedKind::Vm), ("pool-a-2", nic), ("pool-a-3", disk), ("pool-a-3", disk)];
    assert_eq!(listed, expected.map(|(name, kind)| (name.to_owned(), kind)));
}

#[tokio::test(start_paused = true)]
async fn capitals_in_a_list_make_no_orphan_of_a_machines_vm() {
    let desk = Desk::new();
    let part = json!({ "name": "POOL-A-2-NIC", "tags": tags(), "properties": {} });
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("POOL-A-1", "Succeeded", &tags())]));
    desk.script.answer(&format!("GET {}?", nics()), 200, page(&[part]));
    let listed = desk.list().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|entry| entry.machine_name.as_str()).collect();
    assert_eq!(names, ["pool-a-1", "pool-a-2"], "as their machines are called");
    assert_eq!(listed[0].id, desk.status().await.unwrap().provider_id);
}

#[tokio::test(start_paused = true)]
async fn an_id_may_be_that_of_the_node_but_not_of_another_group() {
    let mut desk = Desk::new();
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Succeeded", &tags())]));
    let id = |group: &str| {
        format!(
            "azure:///subscriptions/{SUBSCRIPTION}/resourceGroups/{group}/providers/Microsoft.Compute/virtualMachines/pool-a-1"
        )
    };
    desk.machine.provider_id = Some(id("RG"));
    assert_eq!(desk.status().await.unwrap().provider_id, "azure:///westeurope/pool-a-1");
    desk.machine.provider_id = Some(id("other"));
    assert_eq!(desk.status().await.unwrap_err().code, MachineCode::InvalidArgument);
}

#[tokio::test(start_paused = true)]
async fn azure_is_left_alone_for_a_moment_when_it_says_that_nothing_is_left() {
    for (header, granted, pause) in [
        (
            "x-ms-ratelimit-remaining-resource",
            "Microsoft.Compute/GetVM;12,Microsoft.Compute/HighCostGet;0",
            5,
        ),
        ("x-ms-ratelimit-remaining-subscription-reads", "0", 1),
        ("x-ms-ratelimit-remaining-subscription-reads", "10", 0),
    ] {
        let desk = Desk::new();
        let list = page(&[vm("pool-a-1", "Succeeded", &tags())]);
        desk.script.answer_with(&format!("GET {}?", vms()), 200, list, &[(header, granted)]);
        desk.status().await.unwrap();
        let asked = tokio::time::Instant::now();
        desk.status().await.unwrap();
        assert_eq!(asked.elapsed().as_secs(), pause, "{header}: {granted}");
    }
}
