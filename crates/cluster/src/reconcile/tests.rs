//! Deletions from the first look to the last, and who keeps what they need.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::SecretReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{
    ClassRecord, DeletionStep, Machine, MachineClass, MachinePhase, ObjectView, OperationState, SecretView,
    VolumeAttachmentView,
};
use millwright_decide::freeze::{FreezeSettings, Observation, ProbeAnswer, WatchSight};
use millwright_decide::machine::MachineAction;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{class as class_of, machine, secret};
use crate::Fleet;
use crate::execute::machine as execute;
use crate::fake::{self, FakeServer, class, fleet, next, node, status};
use crate::index::Index;
use crate::leader::Leadership;
use crate::watch::WatchEvent;

const MACHINES: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machines";

fn as_json(object: &impl serde::Serialize) -> Value {
    serde_json::to_value(object).expect("plain data")
}

fn named(name: &str) -> Option<SecretReference> {
    Some(SecretReference { name: Some(name.into()), namespace: Some("fleet".into()) })
}

/// A machine with a VM and a node, whose deletion was just asked for.
fn dying(fleet: &Fleet) -> Machine {
    let mut machine = fake::machine("m");
    machine.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    machine.metadata.labels = Some([(labels::NODE.to_owned(), "n".to_owned())].into());
    machine.metadata.deletion_timestamp = Some(Time(fleet.now()));
    machine.spec.provider_id = "fake://m".into();
    machine.status.current_status.phase = MachinePhase::Running;
    machine
}

/// A machine that keeps what its class said; its class is gone.
fn bereaved(fleet: &Fleet, class: &MachineClass) -> Machine {
    let mut machine = dying(fleet);
    machine.status.created_with_class = ClassRecord::of(class).to_text();
    machine.spec.class.name = "gone".into();
    machine
}

fn secret_view(version: &str, finalizer: Option<&str>) -> SecretView {
    let mut view = SecretView::default();
    view.metadata.name = Some("cloud".into());
    view.metadata.namespace = Some("fleet".into());
    view.metadata.uid = Some("uid-cloud".into());
    view.metadata.resource_version = Some(version.into());
    view.metadata.finalizers = finalizer.map(|found| vec![found.to_owned()]);
    view
}

fn synced(fleet: &Fleet) {
    fleet.update(|index| index.class_event(WatchEvent::RelistDone));
    fleet.update(|index| index.machine_event(WatchEvent::RelistDone));
}

fn change(fleet: &Fleet, secret: SecretView) {
    fleet.update(|index: &mut Index| index.secret_event(WatchEvent::Apply(secret)));
}

fn step_of(fleet: &Fleet) -> Option<DeletionStep> {
    fleet.with_index(|index| {
        DeletionStep::of(&index.machine("m").expect("there").status.last_operation.description)
    })
}

#[tokio::test(start_paused = true)]
async fn a_machine_with_nothing_to_drain_is_gone_at_once_and_costs_three_writes() {
    let no_pods = || (200, json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": []}));
    let mut released = node("n");
    released.metadata.resource_version = Some("2".into());
    released.spec.unschedulable = true;
    let server = FakeServer::default();
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    let mut bare = dying(&fleet);
    bare.metadata.finalizers = None;
    bare.metadata.resource_version = Some("2".into());
    server.answer([
        no_pods(),
        (200, as_json(&released)),
        no_pods(),
        (200, json!({"kind": "Status", "apiVersion": "v1", "status": "Success"})),
        // It has no bootstrap token any more, under neither of its ids.
        (404, status(404, "NotFound")),
        (404, status(404, "NotFound")),
        (200, as_json(&bare)),
    ]);
    let mut held = node("n");
    held.metadata.finalizers = Some(vec![finalizers::NODE.to_owned()]);
    fleet.update(|index| index.apply_node(held));
    fleet.update(|index| index.apply_machine(dying(&fleet)));
    let began = Instant::now();
    while fleet.with_index(|index| index.machine("m").is_some()) {
        let name = next(&fleet.parts.queues.machines).await.expect("woken");
        machine::reconcile(fleet.clone(), name).await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", server.asked());
    }
    let (reads, writes): (Vec<_>, Vec<_>) =
        server.asked().into_iter().partition(|asked| asked.starts_with("GET"));
    assert_eq!(
        writes,
        [
            "PATCH /api/v1/nodes/n".to_owned(),
            "DELETE /api/v1/nodes/n".to_owned(),
            format!("PATCH {MACHINES}/m")
        ]
    );
    assert_eq!(reads.len(), 4, "{reads:?}");
    assert_eq!(*cloud.calls.lock(), ["delete m Some(\"fake://m\")"]);
    let bodies: Vec<_> = server.sent().into_iter().filter(|body| !body.is_null()).collect();
    assert_eq!(bodies[0]["spec"]["unschedulable"], true);
    assert_eq!(bodies[0]["metadata"]["finalizers"], json!([]));
}

/// Incident 1061 of the predecessor.
#[tokio::test(start_paused = true)]
async fn a_machine_whose_class_was_removed_by_force_has_its_vm_deleted_by_its_record() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    let mut lost = class("gone");
    lost.provider_spec = json!({"zone": "a"});
    let machine = Arc::new(bereaved(&fleet, &lost));
    execute(&fleet, &machine, &MachineAction::DeleteVm).await.expect("noted");
    assert_eq!(*cloud.specs.lock(), [json!({"zone": "a"})]);
}

/// Incident 603 of the predecessor.
#[tokio::test(start_paused = true)]
async fn a_class_that_was_spoilt_after_the_birth_of_a_machine_never_keeps_it_from_dying() {
    for (provider, spec, used) in [
        ("fake", json!({"broken": true}), "record"),
        ("typo", json!({"zone": "b"}), "record"),
        // In zone b the VM would not be found, and what is not found counts as gone.
        ("fake", json!({"zone": "b"}), "record"),
        ("fake", json!({"zone": "a", "size": "large"}), "class"),
    ] {
        let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
        let mut born_with = class("gone");
        born_with.provider_spec = json!({"zone": "a"});
        let machine = Arc::new(bereaved(&fleet, &born_with));
        let mut spoilt = class("gone");
        spoilt.provider = provider.into();
        spoilt.provider_spec = spec.clone();
        fleet.update(|index| index.apply_class(spoilt));
        execute(&fleet, &machine, &MachineAction::DeleteVm).await.expect("noted");
        let wanted = if used == "class" { spec } else { json!({"zone": "a"}) };
        assert_eq!(*cloud.specs.lock(), [wanted], "{provider} {used}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_of_a_cloud_that_another_process_serves_is_left_to_it_even_without_its_class() {
    let server = FakeServer::default();
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    let mut foreign = class("gone");
    foreign.provider = "Elsewhere".into();
    let machine = bereaved(&fleet, &foreign);
    fleet.update(|index| index.apply_machine(machine));
    machine::reconcile(fleet.clone(), "m".into()).await;
    // The fake fleet serves everything but this.
    assert_eq!((server.asked(), cloud.calls.lock().clone()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_misses_only_a_credential_names_it_and_goes_on_when_it_is_back() {
    let secret = json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "cloud"}, "data": {}});
    let server = FakeServer::answering([(404, status(404, "NotFound")), (200, secret)]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    let mut needy = class("needy");
    needy.secret_ref = named("cloud");
    fleet.update(|index| index.apply_class(needy));
    let mut machine = dying(&fleet);
    machine.spec.class.name = "needy".into();
    fleet.update(|index| index.apply_machine(machine.clone()));
    while next(&fleet.parts.queues.machines).await.is_some() {}
    let machine = Arc::new(machine);
    execute(&fleet, &machine, &MachineAction::DeleteVm).await.expect("noted");
    let failure = fleet.memories.lock().machines["uid-m"].failure.clone().expect("a failure");
    for part in ["\"fleet/cloud\"", "secretRef", "\"needy\"", "restore it, and the deletion goes on"] {
        assert!(failure.message.contains(part), "{failure:?}");
    }
    while next(&fleet.parts.queues.machines).await.is_some() {}
    change(&fleet, secret_view("7", None));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    let retry = fleet.memories.lock().machines["uid-m"].failure.clone().expect("said until it succeeds");
    assert!(retry.at < failure.at, "it waits no longer");
    execute(&fleet, &machine, &MachineAction::DeleteVm).await.expect("noted");
    assert_eq!(cloud.calls.lock().len(), 1);
    assert_eq!(server.asked().len(), 2, "what was known of the missing Secret was forgotten at once");
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_held_while_a_class_names_it_in_either_field() {
    for is_second in [false, true] {
        let held = as_json(&secret_view("8", Some(finalizers::SECRET)));
        let server = FakeServer::answering([(200, held)]);
        let (fleet, _) = fleet(&server, Leadership::undisputed());
        synced(&fleet);
        change(&fleet, secret_view("7", None));
        secret::reconcile(fleet.clone(), "cloud".into()).await;
        assert_eq!(server.asked(), Vec::<String>::new(), "nobody names it yet");
        let mut naming = class("naming");
        *(if is_second { &mut naming.credentials_secret_ref } else { &mut naming.secret_ref }) =
            named("cloud");
        fleet.update(|index| index.apply_class(naming.clone()));
        assert_eq!(next(&fleet.parts.queues.secrets).await.as_deref(), Some("cloud"));
        secret::reconcile(fleet.clone(), "cloud".into()).await;
        assert_eq!(server.asked(), ["PATCH /api/v1/namespaces/fleet/secrets/cloud"]);
        assert_eq!(server.sent()[0]["metadata"]["finalizers"], json!([finalizers::SECRET]));
        assert_eq!(server.sent()[0]["metadata"]["resourceVersion"], "7");
        secret::reconcile(fleet.clone(), "cloud".into()).await;
        assert_eq!(server.asked().len(), 1, "once");
        fleet.update(|index| index.class_event(WatchEvent::Delete(naming)));
        secret::reconcile(fleet.clone(), "cloud".into()).await;
        assert_eq!(server.sent()[1]["metadata"]["finalizers"], json!([]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_only_the_record_of_a_machine_names_is_kept_until_the_machine_is_gone() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    synced(&fleet);
    let mut lost = class("gone");
    lost.secret_ref = named("cloud");
    let machine = bereaved(&fleet, &lost);
    fleet.update(|index| index.apply_machine(machine));
    change(&fleet, secret_view("7", Some(finalizers::SECRET)));
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.asked(), Vec::<String>::new());
    while next(&fleet.parts.queues.secrets).await.is_some() {}
    fleet.update(|index| index.forget_machine("m", "uid-m"));
    assert_eq!(next(&fleet.parts.queues.secrets).await.as_deref(), Some("cloud"));
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.sent()[0]["metadata"]["finalizers"], json!([]));
}

/// A class that is turned to another place with another Secret, as the record of a machine knows it no more.
#[tokio::test(start_paused = true)]
async fn a_secret_that_a_record_needs_is_held_though_the_class_names_another_by_now() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    synced(&fleet);
    let mut turned = class("gone");
    turned.secret_ref = named("cloud");
    turned.provider_spec = json!({"zone": "a"});
    fleet.update(|index| index.apply_class(turned.clone()));
    let machine = bereaved(&fleet, &turned);
    fleet.update(|index| index.apply_machine(machine));
    change(&fleet, secret_view("7", Some(finalizers::SECRET)));
    while next(&fleet.parts.queues.secrets).await.is_some() {}
    turned.secret_ref = named("other");
    turned.provider_spec = json!({"zone": "b"});
    turned.metadata.resource_version = Some("8".into());
    fleet.update(|index| index.apply_class(turned.clone()));
    assert_eq!(next(&fleet.parts.queues.secrets).await.as_deref(), Some("cloud"));
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.asked(), Vec::<String>::new());
    // Somebody takes the finalizer off; and a change of what is in the Secret ends the machine's wait.
    while next(&fleet.parts.queues.machines).await.is_some() {}
    change(&fleet, secret_view("9", None));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    server.answer([(200, as_json(&secret_view("10", Some(finalizers::SECRET))))]);
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.sent()[0]["metadata"]["finalizers"], json!([finalizers::SECRET]));
    // The same place again: the class counts, and with it its own Secret.
    while next(&fleet.parts.queues.secrets).await.is_some() {}
    turned.provider_spec = json!({"zone": "a"});
    turned.metadata.resource_version = Some("11".into());
    fleet.update(|index| index.apply_class(turned));
    assert!(next(&fleet.parts.queues.secrets).await.is_some());
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.sent()[1]["metadata"]["finalizers"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_vm_waits_for_the_finalizer_of_its_secret_and_is_made_as_soon_as_that_is_written() {
    let server = FakeServer::default();
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    synced(&fleet);
    fleet.update(|index| index.secret_event(WatchEvent::RelistDone));
    let mut naming = class("small");
    naming.metadata.resource_version = Some("2".into());
    naming.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    naming.secret_ref = named("cloud");
    fleet.update(|index| index.apply_class(naming));
    let mut unborn = fake::machine("m");
    unborn.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    unborn.metadata.creation_timestamp = Some(Time(fleet.now()));
    fleet.update(|index| index.apply_machine(unborn));
    change(&fleet, secret_view("7", None));
    machine::reconcile(fleet.clone(), "m".into()).await;
    assert_eq!(server.asked(), Vec::<String>::new());
    while next(&fleet.parts.queues.machines).await.is_some() {}
    server.answer([(200, as_json(&secret_view("8", Some(finalizers::SECRET))))]);
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    let data = json!({"userData": "eA=="});
    let secret = json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "cloud"}, "data": data});
    server.answer([(200, secret)]);
    machine::reconcile(fleet.clone(), "m".into()).await;
    assert_eq!(cloud.asked_with.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_let_go_only_when_every_class_and_machine_is_known() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    change(&fleet, secret_view("7", Some(finalizers::SECRET)));
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.asked(), Vec::<String>::new());
    assert_eq!(next(&fleet.parts.queues.secrets).await.as_deref(), Some("cloud"), "it is looked at again");
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_being_deleted_takes_no_new_finalizer() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    synced(&fleet);
    let mut naming = class("naming");
    naming.secret_ref = named("cloud");
    fleet.update(|index| index.apply_class(naming));
    let mut going = secret_view("7", None);
    going.metadata.deletion_timestamp = Some(Time(fleet.now()));
    change(&fleet, going);
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_node_that_an_api_server_will_not_delete_is_in_the_status_with_its_marker() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    fleet.update(|index| index.apply_node(node("n")));
    fleet.update(|index| index.apply_machine(dying(&fleet)));
    fleet
        .memories
        .lock()
        .machines
        .entry("uid-m".into())
        .or_default()
        .answered(millwright_decide::machine::VmKnowledge::Gone);
    server.answer([(403, status(403, "Forbidden"))]);
    machine::reconcile(fleet.clone(), "m".into()).await;
    assert_eq!(step_of(&fleet), None, "it was tried first");
    let mut written = dying(&fleet);
    written.metadata.resource_version = Some("2".into());
    let refused = (403, status(403, "Forbidden"));
    server.answer([(200, as_json(&written)), refused]);
    tokio::time::sleep(Duration::from_millis(200)).await;
    machine::reconcile(fleet.clone(), "m".into()).await;
    let sent = server.sent();
    let said = &sent[1]["status"]["lastOperation"];
    assert_eq!(said["state"], as_json(&OperationState::Failed));
    let text = said["description"].as_str().expect("a text");
    assert_eq!(DeletionStep::of(text), Some(DeletionStep::DeleteNode), "{text}");
    assert!(text.contains("Forbidden"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_attachment_whose_deletion_was_asked_for_is_known_to_go_at_once() {
    let mut attachment = VolumeAttachmentView::default();
    attachment.metadata.name = Some("a".into());
    attachment.metadata.uid = Some("uid-a".into());
    attachment.metadata.resource_version = Some("5".into());
    attachment.metadata.finalizers = Some(vec!["external-attacher/x".into()]);
    attachment.spec.node_name = "n".into();
    let (fleet, _) = fleet(&FakeServer::default(), Leadership::undisputed());
    let mut going = attachment.clone();
    going.metadata.resource_version = Some("6".into());
    going.metadata.deletion_timestamp = Some(Time(fleet.now()));
    let gone = json!({"kind": "Status", "apiVersion": "v1", "status": "Success"});
    for (answer, left) in [((200, as_json(&going)), 1), ((200, gone), 0), ((404, status(404, "NotFound")), 0)]
    {
        let server = FakeServer::answering([answer]);
        let (fleet, _) = fake::fleet(&server, Leadership::undisputed());
        fleet.update(|index| index.apply_attachment(attachment.clone()));
        let machine = Arc::new(dying(&fleet));
        let action = MachineAction::DeleteVolumeAttachment { name: "a".into(), uid: "uid-a".into() };
        execute(&fleet, &machine, &action).await.expect("done");
        let known = fleet.with_index(|index| index.attachments_of(&machine, &Default::default()));
        assert_eq!(known.len(), left);
        assert!(known.iter().all(|attachment| attachment.is_deleting()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_attachment_that_can_not_be_deleted_keeps_no_other_from_being_deleted() {
    let gone = json!({"kind": "Status", "apiVersion": "v1", "status": "Success"});
    let server = FakeServer::answering([(403, status(403, "Forbidden")), (200, gone)]);
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    for name in ["a", "b"] {
        let mut attachment = VolumeAttachmentView::default();
        attachment.metadata.name = Some(name.into());
        attachment.metadata.uid = Some(format!("uid-{name}"));
        attachment.metadata.resource_version = Some("5".into());
        attachment.spec.node_name = "n".into();
        fleet.update(|index| index.apply_attachment(attachment));
    }
    let mut dying = dying(&fleet);
    dying.status.current_status.phase = MachinePhase::Terminating;
    let said = &mut dying.status.last_operation;
    said.type_ = millwright_api::OperationType::Delete;
    said.description = format!("Force Drain successful. {}", DeletionStep::DeleteVolumeAttachments.marker());
    said.last_update_time = Some(Time(fleet.now()));
    fleet.update(|index| index.apply_class(class("class")));
    fleet.update(|index| index.apply_machine(dying));
    fleet.update(|index| index.apply_node(node("n")));
    machine::reconcile(fleet.clone(), "m".into()).await;
    let attachments = "DELETE /apis/storage.k8s.io/v1/volumeattachments";
    assert_eq!(server.asked(), [format!("{attachments}/a"), format!("{attachments}/b")]);
}

#[tokio::test(start_paused = true)]
async fn a_class_that_is_held_from_now_on_wakes_the_machines_that_wait_for_it() {
    let (fleet, _) = fleet(&FakeServer::default(), Leadership::undisputed());
    fleet.update(|index| index.apply_machine(fake::machine("m")));
    while next(&fleet.parts.queues.machines).await.is_some() {}
    let mut held = class("small");
    held.metadata.resource_version = Some("2".into());
    held.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    fleet.update(|index| index.apply_class(held.clone()));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    held.metadata.resource_version = Some("3".into());
    fleet.update(|index| index.apply_class(held));
    assert_eq!(next(&fleet.parts.queues.machines).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_refused_step_is_not_tried_anew_by_what_its_own_complaint_wakes() {
    let server =
        FakeServer::answering(std::iter::repeat_with(|| (500, status(500, "InternalError"))).take(50));
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    let mut dying = dying(&fleet);
    dying.metadata.generation = Some(2);
    fleet.update(|index| index.apply_node(node("n")));
    fleet.update(|index| index.apply_machine(dying.clone()));
    let start = Instant::now();
    for _ in 0..1000 {
        machine::reconcile(fleet.clone(), "m".into()).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let asked = server.asked().len();
    assert!((2..=14).contains(&asked), "{asked} requests in {:?}", start.elapsed());
    // Whoever wants something else of it is heard at once.
    let heard = |dying: &Machine, version: &str| {
        let mut wanted = dying.clone();
        wanted.metadata.resource_version = Some(version.into());
        fleet.update(|index| index.apply_machine(wanted));
    };
    dying.metadata.generation = Some(3);
    heard(&dying, "900");
    machine::reconcile(fleet.clone(), "m".into()).await;
    let asked_again = server.asked().len();
    assert!(asked_again > asked);
    let label = (labels::FORCE_DELETION.to_owned(), "True".to_owned());
    dying.metadata.labels.as_mut().expect("it has labels").extend([label]);
    heard(&dying, "901");
    machine::reconcile(fleet.clone(), "m".into()).await;
    assert!(server.asked().len() > asked_again);
}

#[tokio::test(start_paused = true)]
async fn a_frozen_fleet_writes_no_finalizer_by_what_it_can_not_see() {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    synced(&fleet);
    // As far as is known, nobody needs them.
    change(&fleet, secret_view("7", Some(finalizers::SECRET)));
    let mut idle = class("idle");
    idle.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    fleet.update(|index| index.apply_class(idle));
    let probe = Some(ProbeAnswer::Silent { asked_at: Timestamp::UNIX_EPOCH, reason: "no answer".into() });
    let seen = Observation { probe, watches: WatchSight::Fresh };
    fleet.look(&FreezeSettings::default(), &seen);
    assert!(fleet.trust().freeze.is_frozen());
    secret::reconcile(fleet.clone(), "cloud".into()).await;
    class_of::reconcile(fleet.clone(), "idle".into()).await;
    assert_eq!(server.asked(), [""; 0]);
}
