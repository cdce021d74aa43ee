//! Where a VM is made, looked for and deleted when its class was turned elsewhere.

use std::sync::Arc;

use k8s_openapi::api::core::v1::SecretReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{ClassRecord, MachineClass, MachineCode};
use millwright_decide::machine::MachineAction;
use serde_json::json;

use super::{execute, led};
use crate::fake::{FakeServer, class, fleet, machine};
use crate::leader::Leadership;
use crate::reconcile::reconcile_machine;

fn class_in(zone: &str, version: &str) -> MachineClass {
    let mut class = class("small");
    class.metadata.resource_version = Some(version.into());
    class.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    class.secret_ref = Some(SecretReference { name: Some("cloud".into()), namespace: Some("fleet".into()) });
    class.provider_spec = json!({"zone": zone});
    class
}

fn with_user_data() -> (u16, serde_json::Value) {
    let data = json!({"userData": "eA=="});
    (200, json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "cloud"}, "data": data}))
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_may_be_in_the_making_is_asked_for_and_deleted_only_where_it_was_asked_for_first() {
    let server = FakeServer::answering([with_user_data()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    fleet.update(|index| index.apply_class(class_in("a", "2")));
    fleet.update(|index| index.apply_machine(machine("m")));
    let machine = Arc::new(machine("m"));
    execute(&fleet, &machine, &MachineAction::CreateVm).await.expect("noted");
    fleet.update(|index| index.apply_class(class_in("b", "3")));
    server.answer([with_user_data(), with_user_data(), with_user_data()]);
    execute(&fleet, &machine, &MachineAction::CreateVm).await.expect("noted");
    assert_eq!(*cloud.asked_with.lock(), [json!({"zone": "a"}), json!({"zone": "a"})]);
    execute(&fleet, &machine, &MachineAction::DeleteVm).await.expect("noted");
    assert_eq!(*cloud.specs.lock(), [json!({"zone": "a"})]);
    // Nothing is left there.
    execute(&fleet, &machine, &MachineAction::CreateVm).await.expect("noted");
    assert_eq!(cloud.asked_with.lock().last(), Some(&json!({"zone": "b"})));
}

#[tokio::test(start_paused = true)]
async fn a_place_that_does_not_exist_is_never_what_a_mended_class_waits_for() {
    use MachineCode::{InvalidArgument, NotFound, Unauthenticated, Unavailable};
    for (creation, look, is_nowhere) in [
        (InvalidArgument, InvalidArgument, true),
        // A size that there is none of, after a network interface was made.
        (InvalidArgument, NotFound, false),
        (InvalidArgument, Unavailable, false),
        (Unavailable, InvalidArgument, false),
        (Unauthenticated, Unauthenticated, false),
    ] {
        let server = FakeServer::answering([with_user_data()]);
        let (fleet, cloud) = fleet(&server, Leadership::undisputed());
        *cloud.refuses_creations.lock() = Some(creation);
        *cloud.refuses_looks.lock() = Some(look);
        fleet.update(|index| index.apply_class(class_in("a", "2")));
        fleet.update(|index| index.apply_machine(machine("m")));
        let unborn = Arc::new(machine("m"));
        execute(&fleet, &unborn, &MachineAction::CreateVm).await.expect("noted");
        fleet.update(|index| index.apply_class(class_in("b", "3")));
        server.answer([with_user_data()]);
        execute(&fleet, &unborn, &MachineAction::CreateVm).await.expect("noted");
        let mended = if is_nowhere { "b" } else { "a" };
        assert_eq!(cloud.asked_with.lock().last(), Some(&json!({"zone": mended})), "{creation} {look}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_that_no_connection_leads_to_is_never_what_a_mended_class_waits_for() {
    let server = FakeServer::answering([with_user_data()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    *cloud.refuses_creations.lock() = Some(MachineCode::Unavailable);
    *cloud.is_out_of_reach.lock() = true;
    fleet.update(|index| index.apply_class(class_in("a", "2")));
    fleet.update(|index| index.apply_machine(machine("m")));
    let unborn = Arc::new(machine("m"));
    execute(&fleet, &unborn, &MachineAction::CreateVm).await.expect("noted");
    fleet.update(|index| index.apply_class(class_in("b", "3")));
    server.answer([with_user_data()]);
    execute(&fleet, &unborn, &MachineAction::CreateVm).await.expect("noted");
    assert_eq!(cloud.asked_with.lock().last(), Some(&json!({"zone": "b"})));
}

#[tokio::test(start_paused = true)]
async fn a_place_where_something_may_have_been_made_is_never_forgotten_for_one_refusal() {
    let server = FakeServer::answering([with_user_data()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    fleet.update(|index| index.apply_class(class_in("a", "2")));
    let mut begun = machine("m");
    begun.status.created_with_class = ClassRecord::of(&class_in("a", "2")).to_text();
    *cloud.refuses_creations.lock() = Some(MachineCode::InvalidArgument);
    *cloud.refuses_looks.lock() = Some(MachineCode::InvalidArgument);
    execute(&fleet, &Arc::new(begun), &MachineAction::CreateVm).await.expect("noted");
    let asked_with = fleet.memories.lock().machines["uid-m"].asked_with.clone();
    assert_eq!(asked_with, Some(ClassRecord::of(&class_in("a", "2"))));
}

#[tokio::test(start_paused = true)]
async fn a_restarted_process_resumes_a_birth_where_its_record_says() {
    let server = FakeServer::answering([with_user_data()]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_class(class_in("b", "3")));
    let mut begun = machine("m");
    begun.status.created_with_class = ClassRecord::of(&class_in("a", "2")).to_text();
    execute(&fleet, &Arc::new(begun), &MachineAction::CreateVm).await.expect("noted");
    let asked_with = fleet.memories.lock().machines["uid-m"].asked_with.clone();
    assert_eq!(asked_with, Some(ClassRecord::of(&class_in("a", "2"))));
}

#[tokio::test(start_paused = true)]
async fn a_machine_whose_class_was_turned_to_a_cloud_of_another_process_is_still_deleted_by_its_maker() {
    let server = FakeServer::answering([with_user_data()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    let mut foreign = class_in("a", "3");
    foreign.provider = "elsewhere".into();
    fleet.update(|index| index.apply_class(foreign.clone()));
    let mut dying = machine("m");
    dying.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    dying.metadata.deletion_timestamp = Some(Time(fleet.now()));
    dying.metadata.labels = Some([(labels::NODE.to_owned(), "n".to_owned())].into());
    dying.spec.provider_id = "fake://m".into();
    dying.status.created_with_class = ClassRecord::of(&class_in("a", "2")).to_text();
    fleet.update(|index| index.apply_machine(dying.clone()));
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert_eq!(*cloud.specs.lock(), [json!({"zone": "a"})]);
    // And one that the other process made is left to it, whatever its class says now.
    fleet.update(|index| index.apply_class(class_in("a", "4")));
    dying.status.created_with_class = ClassRecord::of(&foreign).to_text();
    dying.metadata.resource_version = Some("9".into());
    fleet.update(|index| index.apply_machine(dying));
    fleet.memories.lock().forget("uid-m");
    let asked = server.asked().len();
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert_eq!((cloud.specs.lock().len(), server.asked().len()), (1, asked));
}
