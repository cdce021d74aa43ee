use super::*;

use serde_json::Value;

use crate::fake::{FakeCloud, FakeServer, class, fleet, machine, status};
use crate::leader::Leadership;
use millwright_provider::LeftoverKind;

const SETTINGS: OrphanSettings =
    OrphanSettings { period: Duration::from_secs(900), grace: Duration::from_secs(60) };

fn vm(id: &str, name: &str, uid: Option<&str>) -> Listed {
    Listed {
        id: id.into(),
        machine_name: name.into(),
        machine_uid: uid.map(str::to_owned),
        created_at: Some(Timestamp::UNIX_EPOCH),
        kind: ListedKind::Vm,
    }
}

fn born(name: &str, id: &str) -> Machine {
    let mut machine = machine(name);
    machine.spec.provider_id = id.into();
    machine
}

fn as_json(machine: &Machine) -> Value {
    serde_json::to_value(machine).expect("plain data")
}

/// What the cloud was asked to do when it shows the VM, the index the machines, and the API server the answer.
async fn swept(listed: Listed, known: &[Machine], live: (u16, Value)) -> (Vec<String>, Vec<String>) {
    let server = FakeServer::answering([live]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    for machine in known {
        fleet.update(|index| index.apply_machine(machine.clone()));
    }
    cloud.listed.lock().push(listed);
    sweep(&fleet, SETTINGS, &mut FirstSeen::new()).await;
    (calls(&cloud), server.asked())
}

fn calls(cloud: &FakeCloud) -> Vec<String> {
    cloud.calls.lock().clone()
}

fn gone() -> (u16, Value) {
    (404, status(404, "NotFound"))
}

#[tokio::test(start_paused = true)]
async fn a_vm_without_machine_is_deleted_by_its_id_after_a_live_look() {
    let (calls, asked) = swept(vm("fake://1", "m", None), &[], gone()).await;
    assert_eq!(calls, ["list", "delete m Some(\"fake://1\")"]);
    assert_eq!(asked, ["GET /apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machines/m"]);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_the_live_look_finds_never_loses_its_vm() {
    for live in [born("m", "fake://1"), machine("m")] {
        let (calls, _) = swept(vm("fake://1", "m", None), &[], (200, as_json(&live))).await;
        assert_eq!(calls, ["list"], "{live:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_live_look_that_fails_deletes_nothing() {
    for live in [(500, status(500, "InternalError")), (403, status(403, "Forbidden")), (0, Value::Null)] {
        let (calls, _) = swept(vm("fake://1", "m", None), &[], live.clone()).await;
        assert_eq!(calls, ["list"], "{live:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_was_restored_with_a_new_uid_never_loses_its_vm() {
    let restored = born("m", "fake://1");
    let (calls, _) = swept(vm("fake://1", "m", Some("uid-before")), &[restored], gone()).await;
    assert_eq!(calls, ["list"]);
}

#[tokio::test(start_paused = true)]
async fn an_id_that_another_controller_spelt_otherwise_never_makes_an_orphan() {
    for id in ["fake://ABC", "who knows"] {
        let (calls, _) = swept(vm("fake://abc", "m", None), &[born("m", id)], gone()).await;
        assert_eq!(calls, ["list"], "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_of_an_old_namesake_never_costs_a_machine_its_vm() {
    let part =
        Listed { kind: ListedKind::Leftover(LeftoverKind::Nic), ..vm("nic-1", "m", Some("uid-before")) };
    for living in [machine("m"), born("m", "fake://2")] {
        let (calls, _) = swept(part.clone(), std::slice::from_ref(&living), gone()).await;
        assert_eq!(calls, ["list"], "{living:?}");
    }
    assert_eq!(swept(part, &[], gone()).await.0, ["list", "delete m None"]);
}

#[tokio::test(start_paused = true)]
async fn a_vm_of_an_old_namesake_is_an_orphan() {
    let old = vm("fake://1", "m", Some("uid-before"));
    let live = (200, as_json(&machine("m")));
    let (calls, _) = swept(old, &[machine("m")], live).await;
    assert_eq!(calls, ["list", "delete m Some(\"fake://1\")"]);
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_names_no_machine_is_left_alone() {
    let (calls, asked) = swept(vm("fake://1", "", None), &[], gone()).await;
    assert_eq!((calls, asked), (vec!["list".to_owned()], vec![]));
}

#[tokio::test(start_paused = true)]
async fn two_classes_of_one_scope_are_listed_once() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    fleet.update(|index| index.apply_class(class("large")));
    sweep(&fleet, SETTINGS, &mut FirstSeen::new()).await;
    assert_eq!(calls(&cloud), ["list"]);
}

#[tokio::test(start_paused = true)]
async fn a_class_that_always_fails_never_lets_the_memory_of_vms_grow() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    let mut broken = class("broken");
    broken.provider = "unknown".into();
    fleet.update(|index| index.apply_class(broken));
    let mut first_seen = FirstSeen::new();
    for number in 0..5 {
        *cloud.listed.lock() =
            vec![Listed { created_at: None, ..vm(&format!("fake://{number}"), "m", None) }];
        sweep(&fleet, SETTINGS, &mut first_seen).await;
    }
    assert_eq!(first_seen.keys().collect::<Vec<_>>(), ["fake://4"]);
}
