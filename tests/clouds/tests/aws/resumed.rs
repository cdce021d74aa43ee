//! Creations that are taken up again: what is remembered, what EC2 says of a token, and what neither may lead to.

use millwright_api::MachineCode;
use millwright_clouds::{Effect, Fault, When};
use millwright_provider::contract::{Owner, PlacedVm, ScriptedCloud as _};
use millwright_provider::{CreateOutcome, Provider as _, ProviderState};
use serde_json::json;

use crate::account::REGION;
use crate::lab::{Lab, instance};
use crate::life::{Host, machine};
use crate::rows::refusal_of;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_whose_vm_has_ended_is_no_dead_end() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let machine = machine(1);
    let earlier = host.born(&mut machine.clone()).await;
    host.cloud.account.ec2("TerminateInstances", &[("InstanceId.1", instance(&earlier.provider_id))]).await;
    // As EC2 says it instead of showing the VM.
    let message = "The client token was used for an instance that has been terminated.";
    let refused = refusal_of("IdempotentInstanceTerminated", message, 400);
    host.cloud.proxy.add(Fault::new(When::Nth(1), refused, |call| {
        call.form_field("Action").as_deref() == Some("RunInstances")
    }));
    let calls = host.calls(async {
        assert_ne!(host.born(&mut machine.clone()).await.provider_id, earlier.provider_id);
    });
    let calls = calls.await;
    assert_eq!(calls.iter().filter(|call| *call == "RunInstances").count(), 2, "{calls:?}");
    assert_eq!(host.cloud.census().await.vms, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strangers_vm_in_a_machines_status_is_never_taken_over() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    let stranger = PlacedVm { name: machine.name.clone(), uid: None, owner: Owner::OtherCluster };
    let namesake = PlacedVm { uid: Some("another".into()), owner: Owner::Us, ..stranger.clone() };
    for placed in [stranger, namesake] {
        let theirs = host.cloud.place_vm(&placed).await.unwrap();
        let planted = json!({ "attempt": 0, "unseen": 1, "instance": instance(&theirs) });
        machine.state = Some(ProviderState::new(planted.to_string()).unwrap());
        assert_ne!(host.born(&mut machine.clone()).await.provider_id, theirs);
    }
    assert_eq!(host.cloud.census().await.vms, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_an_earlier_vm_makes_no_second_one_beside_one_that_is_not_seen_yet() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let machine = machine(1);
    let earlier = host.born(&mut machine.clone()).await;
    host.cloud.account.ec2("TerminateInstances", &[("InstanceId.1", instance(&earlier.provider_id))]).await;
    host.born(&mut machine.clone()).await;
    host.spec["machineType"] = "m5.xlarge".into();
    // EC2 shows the first VM, and the second not yet.
    let body = format!(
        "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>lag</requestId><reservationSet><item>\
         <reservationId>r-1</reservationId><instancesSet><item><instanceId>{}</instanceId><instanceState><code>48</code>\
         <name>terminated</name></instanceState></item></instancesSet></item></reservationSet></DescribeInstancesResponse>",
        instance(&earlier.provider_id)
    );
    let headers = vec![("content-type".to_owned(), "text/xml".to_owned())];
    host.cloud.proxy.add(Fault::new(When::Always, Effect::Refuse { status: 200, headers, body }, |call| {
        call.form_field("Action").as_deref() == Some("DescribeInstances")
    }));
    let outcome = host.create(&machine).await.unwrap();
    assert!(matches!(outcome, CreateOutcome::InProgress { .. }), "{outcome:?}");
    host.cloud.clear_faults().await;
    assert_eq!(host.cloud.census().await.vms, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_of_another_region_is_not_taken_for_gone() {
    let lab = Lab::open().await;
    let host = Host::of(&lab).await;
    let mut machine = machine(1);
    assert!(!REGION.starts_with("ap-"));
    machine.provider_id = Some("aws:///ap-south-1/i-0123456789abcdef0".into());
    let refused = host.cloud.provider.status(host.target(&machine)).await.unwrap_err();
    assert_eq!(refused.code, MachineCode::InvalidArgument, "{refused}");
}
