//! What a machine's life costs on the wire, and what happens to tokens, parts and volumes in it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use millwright_clouds::{Effect, Fault, When};
use millwright_provider::contract::{Owner, PlacedVm, ScriptedCloud as _};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteRequest, Dialect, Initialization, Instance,
    ListedKind, MachineView, Provider as _, ProviderError, ProviderState, Target, UserData,
};
use serde_json::{Value, json};

use crate::account::{first, values};
use crate::lab::{AwsCloud, Lab, instance};
use crate::rows::answer_of;

/// A class and its Secret, in the place of the host.
pub(crate) struct Host {
    pub(crate) cloud: AwsCloud,
    pub(crate) spec: Value,
    pub(crate) credentials: Credentials,
}

impl Host {
    pub(crate) async fn of(lab: &Lab) -> Self {
        let cloud = lab.cloud().await;
        let (spec, credentials) = (cloud.spec(), cloud.credentials());
        Self { cloud, spec, credentials }
    }

    pub(crate) fn class(&self) -> ClassView<'_> {
        ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &self.spec,
            node_template: None,
        }
    }

    pub(crate) fn target<'a>(&'a self, machine: &'a MachineView) -> Target<'a> {
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
        Target { class: self.class(), machine, credentials: &self.credentials, deadline }
    }

    pub(crate) async fn create(&self, machine: &MachineView) -> Result<CreateOutcome, ProviderError> {
        self.cloud.provider.create(self.target(machine), &UserData::new("#cloud-config\n".into())).await
    }

    pub(crate) async fn born(&self, machine: &mut MachineView) -> Instance {
        match self.create(machine).await.unwrap() {
            CreateOutcome::Created(instance) => {
                machine.provider_id = Some(instance.provider_id.clone());
                instance
            }
            other @ CreateOutcome::InProgress { .. } => panic!("{other:?}"),
        }
    }

    /// Actions of the calls that the work makes.
    pub(crate) async fn calls(&self, work: impl Future<Output = ()>) -> Vec<String> {
        self.cloud.proxy.forget();
        work.await;
        self.cloud.actions()
    }
}

pub(crate) fn machine(number: u32) -> MachineView {
    MachineView {
        name: format!("worker-{number}"),
        namespace: "demo".into(),
        uid: Some(format!("00000000-0000-4000-8000-{number:012}")),
        ..MachineView::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_life_is_one_run_one_terminate_and_lists_that_all_share() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut first = machine(1);
    let born = host.calls(async { drop(host.born(&mut first).await) }).await;
    assert_eq!(
        born,
        ["DescribeInstances", "DescribeImages", "RunInstances"],
        "a first birth looks once for what another controller made, and once for the image"
    );

    let mut others: Vec<MachineView> = (2..=10).map(machine).collect();
    let began = Instant::now();
    let born = host.calls(async {
        for machine in &mut others {
            host.born(machine).await;
        }
    });
    let born = born.await;
    let (run, looks): (Vec<_>, Vec<_>) = born.iter().partition(|call| *call == "RunInstances");
    assert_eq!(run.len(), 9, "every further birth is one call: {born:?}");
    // The look of the first one counts for five seconds, however long the stand-in takes.
    let most = 1 + began.elapsed().as_secs() / 5;
    assert!(looks.len() as u64 <= most && looks.iter().all(|call| *call == "DescribeInstances"), "{born:?}");

    let polled = host.calls(async {
        let polls = others.iter().map(|machine| host.cloud.provider.status(host.target(machine)));
        for answer in join_all(polls).await {
            answer.unwrap();
        }
    });
    let polled = polled.await;
    println!("a poll of 9 machines at the same time: {polled:?}");
    assert!(polled.len() <= 2 && polled.iter().all(|call| call == "DescribeInstances"), "{polled:?}");

    let died = host.calls(async {
        let request = DeleteRequest { target: host.target(&first), keep_volumes: &[] };
        host.cloud.provider.delete(request).await.unwrap();
    });
    assert_eq!(died.await, ["DescribeInstances", "TerminateInstances"]);

    let died = host.calls(async {
        let deletions = others.iter().map(|machine| {
            host.cloud.provider.delete(DeleteRequest { target: host.target(machine), keep_volumes: &[] })
        });
        for answer in join_all(deletions).await {
            answer.unwrap();
        }
    });
    let died = died.await;
    println!("9 deaths at the same time: {died:?}");
    assert_eq!(died.iter().filter(|call| *call == "TerminateInstances").count(), 9);
    assert!(died.len() <= 11, "{died:?}");

    let proof = host.calls(async {
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
        let left = host.cloud.provider.list(host.class(), &host.credentials, deadline).await.unwrap();
        assert_eq!(left, []);
    });
    assert_eq!(
        proof.await,
        ["DescribeNetworkInterfaces", "DescribeVolumes", "DescribeInstances"],
        "one list proves them all"
    );
    assert_eq!(host.cloud.census().await.to_string(), "0 VMs, 0 NICs, 0 disks");
}

/// All of them at the same time.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut done = true;
        for (future, answer) in waiting.iter_mut().filter(|(_, answer)| answer.is_none()) {
            match future.as_mut().poll(context) {
                std::task::Poll::Ready(ready) => *answer = Some(ready),
                std::task::Poll::Pending => done = false,
            }
        }
        if done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, answer)| answer).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_of_an_earlier_version_of_the_class_is_taken_up() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let machine = machine(1);
    let earlier = host.born(&mut machine.clone()).await;
    host.spec["machineType"] = "m5.xlarge".into();
    // A machine that remembers an attempt has no look before it, so that the token alone leads to the VM.
    let mut machine = machine;
    machine.state = Some(ProviderState::new(r#"{"attempt":0,"unseen":1}"#).unwrap());
    let calls = host.calls(async {
        let now = host.born(&mut machine.clone()).await;
        assert_eq!(now.provider_id, earlier.provider_id);
    });
    assert_eq!(calls.await, ["RunInstances", "DescribeInstances"]);
    assert_eq!(host.cloud.census().await.vms, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_that_another_controller_made_just_before_gets_no_second_one_beside_it() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let placed = |number: u32, uid: Option<&str>| PlacedVm {
        name: machine(number).name,
        uid: uid.map(str::to_owned),
        owner: Owner::Us,
    };
    let theirs = host.cloud.place_vm(&placed(1, None)).await.unwrap();
    let namesake = host.cloud.place_vm(&placed(2, Some("another"))).await.unwrap();
    let calls = host.calls(async {
        let machines: Vec<MachineView> = (1..=5).map(machine).collect();
        let births = machines.iter().map(|machine| host.create(machine));
        let ids: Vec<String> = join_all(births)
            .await
            .into_iter()
            .map(|outcome| match outcome.unwrap() {
                CreateOutcome::Created(instance) => instance.provider_id,
                other @ CreateOutcome::InProgress { .. } => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(ids[0], theirs, "a VM of that name and scope without a UID is taken up");
        assert_ne!(ids[1], namesake, "one that was made for another UID is not");
    });
    let calls = calls.await;
    assert_eq!(calls.iter().filter(|call| *call == "RunInstances").count(), 4, "{calls:?}");
    let looks = calls.iter().filter(|call| *call == "DescribeInstances").count();
    assert_eq!(looks, 2, "one list for five births, and one look at the VM that is taken up: {calls:?}");
    assert_eq!(host.cloud.census().await.vms, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_that_ended_after_the_list_was_read_is_not_taken_up() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let machine = machine(1);
    let placed = PlacedVm { name: machine.name.clone(), uid: None, owner: Owner::Us };
    let theirs = host.cloud.place_vm(&placed).await.unwrap();
    // However long the stand-in takes, the list that the birth reads is of before the end.
    let before = host.cloud.account.ec2("DescribeInstances", &[]).await;
    host.cloud.account.ec2("TerminateInstances", &[("InstanceId.1", instance(&theirs))]).await;
    let is_look =
        |call: &millwright_clouds::Call| call.form_field("Action").as_deref() == Some("DescribeInstances");
    host.cloud.proxy.add(Fault::new(When::Always, answer_of(before), move |call| {
        is_look(call) && call.form_field("InstanceId.1").is_none()
    }));
    host.cloud.proxy.forget();
    assert_ne!(host.born(&mut machine.clone()).await.provider_id, theirs);
    let calls = host.cloud.proxy.calls();
    let looks: Vec<Option<String>> =
        calls.iter().filter(|call| is_look(call)).map(|call| call.form_field("InstanceId.1")).collect();
    assert_eq!(looks, [None, Some(instance(&theirs).to_owned())], "the list, and the VM that it shows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_vm_behind_the_token_is_no_vm_and_the_next_attempt_makes_one() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let machine = machine(1);
    let earlier = host.born(&mut machine.clone()).await;
    host.cloud.account.ec2("TerminateInstances", &[("InstanceId.1", instance(&earlier.provider_id))]).await;
    let again = host.born(&mut machine.clone()).await;
    assert_ne!(again.provider_id, earlier.provider_id);
    host.spec["machineType"] = "m5.xlarge".into();
    // The token of the first attempt stands for another class, and what it made has ended.
    let same = host.born(&mut machine.clone()).await;
    assert_eq!(same.provider_id, again.provider_id);
    assert_eq!(host.cloud.census().await.vms, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_token_without_a_vm_is_waited_for_before_the_next_attempt() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let mut machine = machine(1);
    host.born(&mut machine.clone()).await;
    host.spec["machineType"] = "m5.xlarge".into();
    host.cloud.lag_lists(Duration::ZERO).await;
    let mut looks = 0;
    // While the list shows nothing, no second VM may be made for a while.
    while let CreateOutcome::InProgress { state, .. } = host.create(&machine).await.unwrap() {
        assert_eq!(host.cloud.account.vms().await.len(), 1, "after {looks} looks");
        machine.state = Some(state);
        looks += 1;
        if looks == 4 {
            host.cloud.clear_faults().await;
        }
    }
    assert_eq!(looks, 4);
    assert_eq!(host.cloud.account.vms().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_terminated_out_of_band_is_not_found_though_ec2_still_shows_it() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    let born = host.born(&mut machine).await;
    host.cloud.account.ec2("TerminateInstances", &[("InstanceId.1", instance(&born.provider_id))]).await;
    let error = host.cloud.provider.status(host.target(&machine)).await.unwrap_err();
    assert_eq!(error.code, MachineCode::NotFound);
    assert!(error.message.contains("User initiated"), "the reason is worth telling: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_part_is_tagged_by_the_creating_call() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let born = host.born(&mut machine(1)).await;
    let id = instance(&born.provider_id);
    for (action, filter) in [
        ("DescribeInstances", "instance-id"),
        ("DescribeVolumes", "attachment.instance-id"),
        ("DescribeNetworkInterfaces", "attachment.instance-id"),
    ] {
        let seen =
            host.cloud.account.ec2(action, &[("Filter.1.Name", filter), ("Filter.1.Value.1", id)]).await;
        let keys = values(&seen, "key");
        for key in ["kubernetes.io/cluster/one", "kubernetes.io/role/node", "Name", "Machine-UID", "team"] {
            assert!(keys.iter().any(|known| known == key), "{action}: {key} in {keys:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_the_class_keeps_is_no_leftover_and_stays() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    host.spec["blockDevices"] = json!([
        { "deviceName": "/root", "ebs": { "volumeSize": 8, "volumeType": "gp3" } },
        { "deviceName": "/dev/sdf", "ebs": { "volumeSize": 5, "volumeType": "gp3", "deleteOnTermination": false } },
    ]);
    let mut machine = machine(1);
    host.born(&mut machine).await;
    for _ in 0..2 {
        let request = DeleteRequest { target: host.target(&machine), keep_volumes: &[] };
        host.cloud.provider.delete(request).await.unwrap();
    }
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
    let left = host.cloud.provider.list(host.class(), &host.credentials, deadline).await.unwrap();
    assert_eq!(left, []);
    let disks = host.cloud.account.ec2("DescribeVolumes", &[]).await;
    assert_eq!(values(&disks, "size"), ["5"], "{disks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_volume_of_pods_survives_even_when_it_was_attached_to_go() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    let born = host.born(&mut machine).await;
    let volume = host.cloud.attach_volume(&born.provider_id).await.unwrap();
    let goes = [
        ("InstanceId", instance(&born.provider_id)),
        ("BlockDeviceMapping.1.DeviceName", "/dev/sdx"),
        ("BlockDeviceMapping.1.Ebs.DeleteOnTermination", "true"),
    ];
    host.cloud.account.ec2("ModifyInstanceAttribute", &goes).await;
    let calls = host.calls(async {
        let kept = [volume.clone()];
        let request = DeleteRequest { target: host.target(&machine), keep_volumes: &kept };
        host.cloud.provider.delete(request).await.unwrap();
    });
    assert_eq!(calls.await, ["DescribeInstances", "ModifyInstanceAttribute", "TerminateInstances"]);
    assert_eq!(host.cloud.volumes().await, [volume]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_list_is_never_a_short_one() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    host.born(&mut machine(1)).await;
    host.cloud.proxy.add(Fault::new(When::Always, Effect::LoseReply, |call| {
        call.form_field("Action").as_deref() == Some("DescribeVolumes")
    }));
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
    let error = host.cloud.provider.list(host.class(), &host.credentials, deadline).await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unavailable, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_annotated_placement_counts_when_the_class_has_none() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    let annotation = ("machine.sapcloud.io/awsPlacement".to_owned(), r#"{"Tenancy":"dedicated"}"#.to_owned());
    machine.node_annotations = [annotation].into();
    host.cloud.proxy.forget();
    host.born(&mut machine).await;
    let run = host
        .cloud
        .proxy
        .calls()
        .into_iter()
        .find(|call| call.form_field("Action").as_deref() == Some("RunInstances"));
    assert_eq!(run.unwrap().form_field("Placement.Tenancy").as_deref(), Some("dedicated"));
}

#[tokio::test(flavor = "multi_thread")]
async fn initialization_turns_the_check_off_once() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    let born = host.born(&mut machine).await;
    assert!(matches!(born.initialization, Initialization::Missing { .. }), "{born:?}");
    let calls = host.calls(async {
        for _ in 0..2 {
            let done = host.cloud.provider.initialize(host.target(&machine)).await.unwrap();
            assert_eq!(done.initialization, Initialization::Done);
        }
    });
    assert_eq!(calls.await, ["DescribeInstances", "ModifyNetworkInterfaceAttribute", "DescribeInstances"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_listed_by_a_sloppy_filter_is_left_out() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let place = host.cloud.place.clone();
    host.cloud.account.run(&place, &[("kubernetes.io/role/node", "1"), ("Name", "worker-1")]).await;
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
    let listed = host.cloud.provider.list(host.class(), &host.credentials, deadline).await.unwrap();
    assert!(!listed.iter().any(|entry| entry.kind == ListedKind::Vm), "{listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_prints_no_credential() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    host.born(&mut machine(1)).await;
    let printed = format!("{:?}", Arc::clone(&host.cloud.provider));
    assert!(!printed.contains("wJalr") && !printed.contains("AKIA"), "{printed}");
    let seen = host.cloud.account.ec2("DescribeInstances", &[]).await;
    assert!(!first(&seen, "instanceId").is_empty());
}
