use super::*;

mod in_vain;
mod of_nodes;
mod renamed;
mod side_by_side;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{Machine, MachineCode, MachinePhase};
use millwright_decide::freeze::{FreezeSettings, Observation, ProbeAnswer, WatchSight};
use millwright_provider::{LeftoverKind, Listed, ListedKind};
use serde_json::{Value, json};

use crate::events::{EventMetrics, events};
use crate::fake::{FakeCloud, FakeServer, class, fleet, machine, status};
use crate::leader::Leadership;

const SETTINGS: OrphanSettings = OrphanSettings {
    period: Duration::from_secs(900),
    grace: Duration::from_secs(60),
    mode: OrphanMode::Collect,
};
const REPORT: OrphanSettings = OrphanSettings { mode: OrphanMode::Report, ..SETTINGS };

const MACHINES: &str = "GET /apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machines";

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

/// The API server's list of machines.
fn list(machines: &[Machine]) -> (u16, Value) {
    (
        200,
        json!({ "kind": "MachineList", "apiVersion": "machine.sapcloud.io/v1alpha1", "metadata": {}, "items": machines }),
    )
}

/// What the cloud was asked to do when it shows the VM, the index the machines, and the API server none in its list and then
/// the answer.
async fn swept(listed: Listed, known: &[Machine], live: (u16, Value)) -> (Vec<String>, Vec<String>) {
    swept_with(listed, known, [list(&[]), live]).await
}

/// The same when the API server answers with these.
async fn swept_with(
    listed: Listed,
    known: &[Machine],
    live: impl IntoIterator<Item = (u16, Value)>,
) -> (Vec<String>, Vec<String>) {
    let server = FakeServer::answering(live);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    for machine in known {
        fleet.update(|index| index.apply_machine(machine.clone()));
    }
    cloud.listed.lock().push(listed);
    sweep::sweep(&fleet, SETTINGS, &Sightings::default()).await;
    (calls(&cloud), server.asked())
}

fn calls(cloud: &FakeCloud) -> Vec<String> {
    cloud.calls.lock().clone()
}

/// What an API server says of machine `m` when there is none.
fn gone() -> (u16, Value) {
    (404, status(404, "NotFound"))
}

/// A 404 that names no object.
fn nowhere() -> (u16, Value) {
    let mut page = status(404, "NotFound");
    page["details"] = Value::Null;
    (404, page)
}

fn freeze(fleet: &Fleet) {
    let settings = FreezeSettings::default();
    let probe = Some(ProbeAnswer::Silent { asked_at: Timestamp::UNIX_EPOCH, reason: "no answer".into() });
    fleet.look(&settings, &Observation { probe, watches: WatchSight::Fresh });
    assert!(fleet.trust().freeze.is_frozen());
}

#[tokio::test(start_paused = true)]
async fn a_vm_without_machine_is_deleted_by_its_id_after_a_live_look() {
    let (calls, asked) = swept(vm("fake://1", "m", None), &[], gone()).await;
    assert_eq!(calls, ["list", "delete m Some(\"fake://1\")"]);
    assert_eq!(asked, [MACHINES.to_owned(), format!("{MACHINES}/m")]);
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
    // The 404 is a page that some proxy, or a server that does not serve machines yet, has for every path.
    for live in [
        (500, status(500, "InternalError")),
        (403, status(403, "Forbidden")),
        nowhere(),
        (200, as_json(&machine("other"))),
        (200, json!({})),
        (0, Value::Null),
    ] {
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
    sweep::sweep(&fleet, SETTINGS, &Sightings::default()).await;
    assert_eq!(calls(&cloud), ["list"]);
}

#[tokio::test(start_paused = true)]
async fn a_class_that_always_fails_never_lets_the_memory_of_vms_grow() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    let mut broken = class("broken");
    broken.provider = "unknown".into();
    fleet.update(|index| index.apply_class(broken));
    let sightings = Sightings::default();
    for number in 0..5 {
        *cloud.listed.lock() =
            vec![Listed { created_at: None, ..vm(&format!("fake://{number}"), "m", None) }];
        sweep::sweep(&fleet, SETTINGS, &sightings).await;
    }
    assert_eq!(sightings.ids(), ["fake://4"]);
}

#[tokio::test(start_paused = true)]
async fn the_vm_of_a_preserved_machine_is_no_orphan() {
    let mut preserved = born("m", "fake://1");
    preserved.status.current_status.phase = MachinePhase::Failed;
    preserved.status.current_status.preserve_expiry_time = Some(Time(Timestamp::MAX));
    let (calls, asked) = swept(vm("fake://1", "m", None), &[preserved], gone()).await;
    assert_eq!((calls, asked), (vec!["list".to_owned()], vec![]));
}

/// A fleet, its cloud, and the server that its events are written to.
fn telling(server: &FakeServer) -> (Arc<Fleet>, Arc<FakeCloud>, FakeServer) {
    let (mut fleet, cloud) = fleet(server, Leadership::undisputed());
    let told = FakeServer::default();
    let (other, _) = crate::fake::fleet(&told, Leadership::undisputed());
    let metrics = EventMetrics::register(&prometheus::Registry::new()).expect("once");
    let now = fleet.now();
    let (recorder, writer) = events(other.parts.control.0.clone(), &metrics, move || now);
    Arc::get_mut(&mut fleet).expect("nobody has it yet").parts.recorder = recorder;
    tokio::spawn(writer.run(CancellationToken::new()));
    (fleet, cloud, told)
}

/// Reasons and messages of the events so far.
async fn told(server: &FakeServer) -> Vec<String> {
    tokio::time::sleep(Duration::from_secs(60)).await;
    let sent = server.sent();
    let events = sent.iter().filter(|body| body["kind"] == "Event" || body["involvedObject"].is_object());
    let mut told: Vec<String> = events
        .map(|event| {
            format!(
                "{}: {}",
                event["reason"].as_str().unwrap_or_default(),
                event["message"].as_str().unwrap_or_default()
            )
        })
        .collect();
    // One that could not be written is tried again.
    told.dedup();
    told
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_is_only_reported_stays_and_is_told_once() {
    let server = FakeServer::answering([list(&[]), gone()]);
    let (fleet, cloud, events) = telling(&server);
    cloud.listed.lock().push(vm("fake://1", "m", None));
    let sightings = Sightings::default();
    for _ in 0..3 {
        sweep::sweep(&fleet, REPORT, &sightings).await;
    }
    assert_eq!(calls(&cloud), ["list", "list", "list"]);
    assert_eq!(
        told(&events).await,
        ["FoundOrphan: No machine \"m\" owns VM fake://1: it stays, because orphans are only reported"]
    );
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_a_vm_left_behind_is_collected_by_its_kind_and_told_and_counted() {
    let nic = Listed { kind: ListedKind::Leftover(LeftoverKind::Nic), ..vm("nic-1", "m", None) };
    let disk = Listed { kind: ListedKind::Leftover(LeftoverKind::Disk), ..vm("disk-1", "m", None) };
    let server = FakeServer::answering([list(&[]), gone(), gone()]);
    let (fleet, cloud, events) = telling(&server);
    cloud.listed.lock().extend([nic, disk]);
    sweep::sweep(&fleet, SETTINGS, &Sightings::default()).await;
    assert_eq!(calls(&cloud), ["list", "delete m None", "delete m None"]);
    let told = told(&events).await;
    assert!(
        told.iter().any(|told| told.starts_with("DeletedOrphan: Deleted orphan disk disk-1")),
        "{told:?}"
    );
    let nic = "FoundOrphan: No machine \"m\" owns network interface nic-1: it is deleted";
    assert!(told.iter().any(|told| told == nic), "{told:?}");
    assert_eq!(fleet.parts.metrics.orphans.counted(), [2, 2, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_fails_is_told_and_counted_and_tried_again() {
    let server = FakeServer::answering([list(&[]), gone(), list(&[]), gone()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    cloud.listed.lock().push(vm("fake://1", "m", None));
    *cloud.refuses.lock() = Some(MachineCode::Internal);
    let sightings = Sightings::default();
    for _ in 0..2 {
        sweep::sweep(&fleet, SETTINGS, &sightings).await;
    }
    assert_eq!(calls(&cloud).iter().filter(|call| call.starts_with("delete")).count(), 2);
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_freeze_after_the_list_deletes_nothing() {
    let server = FakeServer::answering([list(&[]), gone()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    cloud.listed.lock().push(vm("fake://1", "m", None));
    freeze(&fleet);
    assert_eq!(sweep::sweep(&fleet, SETTINGS, &Sightings::default()).await, Swept::Unfinished);
    assert_eq!(calls(&cloud), ["list"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_listed_before_all_machines_and_classes_are_known() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    let cancel = CancellationToken::new();
    let task = tokio::spawn(collect_orphans(fleet.clone(), SETTINGS, cancel.clone()));
    tokio::time::sleep(SETTINGS.period * 3).await;
    assert_eq!(calls(&cloud), [""; 0]);
    cancel.cancel();
    task.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_machine_with_several_vms_calls_for_a_sweep_and_not_for_one_after_the_other() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    for kind in [Kind::Class, Kind::Machine] {
        fleet.update(|index| match kind {
            Kind::Class => {
                index.class_event(crate::watch::WatchEvent::RelistStarted);
                index.class_event(crate::watch::WatchEvent::RelistItem(class("small")));
                index.class_event(crate::watch::WatchEvent::RelistDone)
            }
            _ => index.machine_event(crate::watch::WatchEvent::RelistDone),
        });
    }
    let cancel = CancellationToken::new();
    let task = tokio::spawn(collect_orphans(fleet.clone(), SETTINGS, cancel.clone()));
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(calls(&cloud).len(), 1);
    for _ in 0..60 {
        fleet.orphan_nudge.notify_one();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let swept = calls(&cloud).len();
    assert!((2..=4).contains(&swept), "{swept}");
    cancel.cancel();
    task.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn wishes_that_come_one_after_the_other_never_keep_a_sweep_from_beginning() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    fleet.update(|index| index.class_event(crate::watch::WatchEvent::RelistDone));
    fleet.update(|index| index.machine_event(crate::watch::WatchEvent::RelistDone));
    let cancel = CancellationToken::new();
    let task = tokio::spawn(collect_orphans(fleet.clone(), SETTINGS, cancel.clone()));
    for _ in 0..600 {
        fleet.orphan_nudge.notify_one();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(calls(&cloud).len() >= 4, "{:?} in five minutes", calls(&cloud));
    cancel.cancel();
    task.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_never_makes_an_orphan_count_as_deleted_or_as_just_seen() {
    let server = FakeServer::answering([list(&[]), gone()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    cloud.listed.lock().push(vm("fake://1", "m", None));
    *cloud.lingers.lock() = true;
    let sightings = Sightings::default();
    // Of two classes that show the same, the second is never asked.
    sweep::sweep(&fleet, SETTINGS, &sightings).await;
    fleet.update(|index| index.apply_class(class("large")));
    for name in ["small", "large"] {
        sightings.note_of(name);
        *cloud.lists_fail.lock() = true;
        assert_eq!(sweep::sweep(&fleet, SETTINGS, &sightings).await, Swept::Whole);
        assert_eq!(sightings.ids(), ["fake://1"], "seen in the list of {name}");
        assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 0]);
    }
    *cloud.lists_fail.lock() = false;
    cloud.listed.lock().clear();
    sweep::sweep(&fleet, SETTINGS, &sightings).await;
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 1, 0]);
}
