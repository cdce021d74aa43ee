//! The contract suite against the real simulated cloud, and what it does not ask.

#![allow(clippy::unwrap_used, reason = "test code")]

mod lab;

use std::time::{Duration, Instant};

use millwright_provider::contract::{Bench as _, Owner, PlacedVm, run_all};
use millwright_provider::{
    ClassView, CreateOutcome, Deadline, DeleteRequest, Dialect, MachineView, Target, UserData,
};

use self::lab::{Lab, LocalCloud};

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let report = run_all(&Lab).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    assert_eq!(not_offered, ["every_spelling_of_an_id_is_understood"], "{report}");
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
        let CreateOutcome::Created(instance) = made else {
            panic!("the simulated cloud is never in progress")
        };
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
        let CreateOutcome::Created(instance) = made else {
            panic!("the simulated cloud is never in progress")
        };
        ids.push(instance.provider_id);
    }
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_vm_of_another_machine_of_that_name_is_left_alone() {
    let cloud = Lab.fresh_cloud().await;
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
