//! The contract suite against the real simulated cloud, and what it does not ask.

#![allow(clippy::unwrap_used, reason = "test code")]

mod lab;

use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use millwright_provider::contract::{Bench as _, Owner, PlacedVm, run_all};
use millwright_provider::{
    ClassView, CreateOutcome, Deadline, DeleteOutcome, DeleteRequest, Dialect, MachineView, Target, UserData,
};
use millwright_simcloud::{Code, Operation};

use self::lab::{Lab, LocalCloud};

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let report = run_all(&Lab::default()).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    assert_eq!(not_offered, ["every_spelling_of_an_id_is_understood"], "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract_where_the_cloud_accepts_and_goes_on() {
    let report = run_all(&Lab { order_seconds: Some(0.05) }).await;
    println!("{report}");
    report.assert_kept();
}

fn class(spec: &serde_json::Value) -> ClassView<'_> {
    ClassView { dialect: Dialect::Gardener, name: "small", namespace: "demo", spec, node_template: None }
}

fn machine() -> MachineView {
    MachineView {
        name: "worker-1".into(),
        namespace: "demo".into(),
        uid: Some("uid-1".into()),
        ..MachineView::default()
    }
}

/// Cloud calls of one operation, by name.
async fn calls(cloud: &LocalCloud, work: impl Future<Output = ()>) -> Vec<String> {
    let seen = cloud.journal().len();
    work.await;
    cloud.journal().split_off(seen)
}

#[tokio::test]
async fn a_birth_is_one_call_and_a_death_is_two_and_no_list() {
    let cloud = LocalCloud::start().await;
    let (provider, spec, credentials) = cloud.parts();
    let class = ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec: &spec,
        node_template: None,
    };
    let mut machine = machine();
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
    let born = calls(&cloud, async {
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        let made = provider.create(target, &UserData::new("#cloud-config".into())).await.unwrap();
        let CreateOutcome::Created(instance) = made else { panic!("this one does everything at once") };
        machine.provider_id = Some(instance.provider_id);
    });
    assert_eq!(born.await, ["CreateVm"]);
    let asked = calls(&cloud, async {
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        provider.status(target).await.unwrap();
    });
    assert_eq!(asked.await, ["GetVm"]);
    let died = calls(&cloud, async {
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        provider.delete(DeleteRequest { target, keep_volumes: &[] }).await.unwrap();
    });
    assert_eq!(died.await, ["GetVm", "DeleteVm"]);
}

#[tokio::test]
async fn a_vm_of_an_earlier_version_of_the_class_is_taken_up() {
    let cloud = LocalCloud::start().await;
    let (provider, mut spec, credentials) = cloud.parts();
    let machine = machine();
    let mut ids = Vec::new();
    for size in ["small", "large"] {
        spec["size"] = size.into();
        let class = ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &spec,
            node_template: None,
        };
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        let made = provider.create(target, &UserData::new("#cloud-config".into())).await.unwrap();
        let CreateOutcome::Created(instance) = made else { panic!("this one does everything at once") };
        ids.push(instance.provider_id);
    }
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_vm_of_another_machine_of_that_name_is_left_alone() {
    let cloud = Lab::default().fresh_cloud().await;
    let vm = PlacedVm { name: "worker-1".into(), uid: Some("uid-of-before".into()), owner: Owner::Us };
    cloud.place_vm(&vm).await.unwrap();
    let (provider, spec, credentials, machine) =
        (cloud.provider(), cloud.spec(), cloud.credentials(), machine());
    let class = ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec: &spec,
        node_template: None,
    };
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
    let target = Target { class, machine: &machine, credentials: &credentials, deadline };
    let error = provider.create(target, &UserData::new("#cloud-config".into())).await.unwrap_err();
    assert_eq!(error.code.name(), "AlreadyExists");
    provider.delete(DeleteRequest { target, keep_volumes: &[] }).await.unwrap();
    assert_eq!(cloud.census().await.vms, 1);
}

#[tokio::test]
async fn a_creation_that_was_accepted_and_failed_leaves_a_state_with_which_the_next_begins_anew() {
    let cloud = LocalCloud::start_with(Some(0.05)).await;
    let (provider, spec, credentials) = cloud.parts();
    let class = class(&spec);
    let mut machine = machine();
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
    let user_data = UserData::new("#cloud-config".into());
    cloud.fail_later(Operation::CreateVm, Code::OutOfCapacity);
    let failure = loop {
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        match provider.create(target, &user_data).await {
            Ok(CreateOutcome::InProgress { provider_id, state, .. }) => {
                assert_eq!(provider_id, None, "this VM may not come to be");
                machine.state = Some(state);
            }
            Ok(CreateOutcome::Created(made)) => panic!("it must fail, and made {made:?}"),
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure.code, MachineCode::ResourceExhausted);
    assert_eq!(cloud.vms(), 0);
    machine.state = failure.state;
    assert!(machine.state.is_some());
    let target = Target { class, machine: &machine, credentials: &credentials, deadline };
    let again = provider.create(target, &user_data).await.unwrap();
    assert!(matches!(again, CreateOutcome::InProgress { .. }), "{again:?}");
    assert_eq!(cloud.vms(), 1);
}

#[tokio::test]
async fn a_deletion_that_was_accepted_and_failed_is_asked_for_once_more() {
    let cloud = LocalCloud::start_with(Some(0.05)).await;
    let (provider, spec, credentials) = cloud.parts();
    let class = class(&spec);
    let mut machine = machine();
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
    // While it is still being made: lists need not show it.
    let target = Target { class, machine: &machine, credentials: &credentials, deadline };
    let begun = provider.create(target, &UserData::new("#cloud-config".into())).await.unwrap();
    let CreateOutcome::InProgress { state, .. } = begun else { panic!("this one goes on: {begun:?}") };
    machine.state = Some(state);
    cloud.fail_later(Operation::DeleteVm, Code::Internal);
    let mut failures = 0;
    loop {
        let target = Target { class, machine: &machine, credentials: &credentials, deadline };
        match provider.delete(DeleteRequest { target, keep_volumes: &[] }).await {
            Ok(DeleteOutcome::InProgress { state, .. }) => machine.state = Some(state),
            Ok(DeleteOutcome::Unproven | DeleteOutcome::Gone) => break,
            Err(failure) => {
                failures += 1;
                assert_eq!((failure.code, cloud.vms()), (MachineCode::Unavailable, 1));
                machine.state = failure.state;
            }
        }
    }
    assert_eq!((failures, cloud.vms()), (1, 0));
}
