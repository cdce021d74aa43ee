//! What can not happen here, each named after what it would be.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use millwright_clouds::gcp::{Misfortune, Refusal, Settings, Strike};
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::{
    CreateOutcome, Deadline, DeleteOutcome, DeleteRequest, Instance, MachineView, Provider as _,
    ProviderError, SpecRules as _, UserData,
};
use serde_json::{Value, json};

use crate::lab::{GcpCloud, PROJECT, ZONE, machine, our_spec, placed, target};

/// Plays the host until the VM is there or refused.
async fn create(
    cloud: &GcpCloud,
    spec: &Value,
    machine: &mut MachineView,
) -> Result<Instance, ProviderError> {
    let (credentials, user_data) = (cloud.credentials(), UserData::new("#cloud-config".into()));
    for _ in 0..200 {
        match cloud.provider.create(target(spec, machine, &credentials), &user_data).await {
            Ok(CreateOutcome::Created(instance)) => {
                machine.provider_id = Some(instance.provider_id.clone());
                return Ok(instance);
            }
            Ok(CreateOutcome::InProgress { state, .. }) => machine.state = Some(state),
            Err(error) => {
                machine.state = error.state.clone().or_else(|| machine.state.take());
                return Err(error);
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the creation never ends")
}

/// Plays the host until nothing is left to do.
async fn delete(cloud: &GcpCloud, spec: &Value, machine: &mut MachineView) -> Result<(), ProviderError> {
    let credentials = cloud.credentials();
    for _ in 0..500 {
        let request = DeleteRequest { target: target(spec, machine, &credentials), keep_volumes: &[] };
        match cloud.provider.delete(request).await? {
            DeleteOutcome::Gone | DeleteOutcome::Unproven => return Ok(()),
            DeleteOutcome::InProgress { state, .. } => machine.state = Some(state),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the deletion never ends")
}

fn fail_later(code: &str) -> Option<Strike> {
    fail_operation_later("instances.insert", code)
}

fn fail_operation_later(operation: &'static str, code: &str) -> Option<Strike> {
    let misfortune = Misfortune::FailLater(code.into(), "scripted".into());
    Some(Strike { operation: Some(operation), nth: None, misfortune })
}

#[tokio::test]
async fn a_deletion_that_was_accepted_and_failed_is_never_taken_for_one_that_goes_on() {
    for (said, code) in [
        ("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", MachineCode::FailedPrecondition),
        ("INTERNAL_ERROR", MachineCode::Unavailable),
    ] {
        let cloud = GcpCloud::start(Settings::default()).await;
        let (spec, mut machine) = (our_spec(), machine(1));
        create(&cloud, &spec, &mut machine).await.unwrap();
        machine.state = None;
        cloud.fake.strike(fail_operation_later("instances.delete", said));
        let error = delete(&cloud, &spec, &mut machine).await.unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains("operation-"), "the message names the operation: {error}");
        assert_eq!(cloud.fake.vms().len(), 1, "it is still there, and runs");
        cloud.fake.strike(None);
        // What the host keeps of the failure, or nothing after a crash: each way the VM is told to go once more.
        let told = error.state.expect("the dead operation is forgotten");
        assert!(!told.as_str().contains("operation-"), "{told:?}");
        machine.state = (code == MachineCode::FailedPrecondition).then_some(told);
        delete(&cloud, &spec, &mut machine).await.unwrap();
        assert!(cloud.fake.vms().is_empty() && cloud.fake.disks().is_empty());
        assert_eq!(cloud.count("instances.delete"), 2);
    }
}

#[tokio::test]
async fn a_failed_creation_is_not_repeated_by_its_request_id() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine) = (our_spec(), machine(1));
    cloud.fake.strike(fail_later("ZONE_RESOURCE_POOL_EXHAUSTED"));
    let error = create(&cloud, &spec, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::ResourceExhausted);
    assert!(error.message.contains("operation-"), "the message names the operation: {error}");
    assert!(cloud.fake.vms().is_empty() && cloud.fake.disks().is_empty());
    cloud.fake.strike(None);
    create(&cloud, &spec, &mut machine).await.unwrap();
    assert_eq!(cloud.fake.vms().len(), 1);
    assert_eq!(cloud.count("instances.insert"), 2);
}

#[tokio::test]
async fn a_failed_creation_whose_number_was_forgotten_converges() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine) = (our_spec(), machine(1));
    cloud.fake.strike(fail_later("INTERNAL_ERROR"));
    create(&cloud, &spec, &mut machine).await.unwrap_err();
    cloud.fake.strike(None);
    machine.state = None;
    // The request id of before is answered with the failure of before, from which the next one is learnt.
    let error = create(&cloud, &spec, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unavailable);
    create(&cloud, &spec, &mut machine).await.unwrap();
    assert_eq!(cloud.fake.vms().len(), 1);
}

#[tokio::test]
async fn a_vm_that_went_is_not_taken_for_one_that_is_there_by_its_request_id() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine) = (our_spec(), machine(1));
    create(&cloud, &spec, &mut machine).await.unwrap();
    cloud.fake.remove_vm(ZONE, &machine.name);
    (machine.state, machine.provider_id) = (None, None);
    let error = create(&cloud, &spec, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::Aborted, "{error}");
    create(&cloud, &spec, &mut machine).await.unwrap();
    assert_eq!(cloud.fake.vms().len(), 1);
}

#[tokio::test]
async fn a_mistake_in_the_class_is_not_internal() {
    let cloud = GcpCloud::start(Settings::default()).await;
    for (change, code) in [
        (
            json!({ "disks": [{ "boot": true, "image": "projects/p/global/images/missing" }] }),
            MachineCode::InvalidArgument,
        ),
        (json!({ "machineType": "x9-large-1" }), MachineCode::ResourceExhausted),
        (json!({ "zone": "../x" }), MachineCode::InvalidArgument),
    ] {
        let mut spec = our_spec();
        for (key, value) in change.as_object().unwrap() {
            spec[key] = value.clone();
        }
        let error = create(&cloud, &spec, &mut machine(1)).await.unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }
}

#[tokio::test]
async fn a_vm_of_machine_controller_manager_without_labels_is_not_foreign() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    let mut body = placed(&machine.name, None, &["kubernetes-io-cluster-one", "kubernetes-io-role-node"]);
    body.as_object_mut().unwrap().shift_remove("labels");
    assert!(cloud.fake.place_vm(ZONE, &body));
    let seen = cloud.provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    assert_eq!(seen.provider_id, format!("gce:///{PROJECT}/{ZONE}/{}", machine.name));
    delete(&cloud, &spec, &mut machine).await.unwrap();
    assert!(cloud.fake.vms().is_empty());
}

#[tokio::test]
async fn a_name_that_went_over_to_somebody_else_is_not_deleted_by_name() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine) = (our_spec(), machine(1));
    create(&cloud, &spec, &mut machine).await.unwrap();
    let number = cloud.fake.vms()[0]["id"].as_str().unwrap().to_owned();
    delete(&cloud, &spec, &mut machine).await.unwrap();
    let journal = cloud.fake.journal();
    let deleted = journal.iter().find(|entry| entry.operation == "instances.delete").unwrap();
    assert!(deleted.path.ends_with(&format!("/instances/{number}")), "{}", deleted.path);
}

#[tokio::test]
async fn a_disk_that_is_to_stay_is_not_deleted_as_left_over() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let mut spec = our_spec();
    spec["disks"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "autoDelete": false, "sizeGb": 10, "type": "pd-ssd" }));
    let mut machine = machine(1);
    create(&cloud, &spec, &mut machine).await.unwrap();
    for _ in 0..2 {
        machine.state = None;
        delete(&cloud, &spec, &mut machine).await.unwrap();
    }
    let disks: Vec<_> = cloud.fake.disks().iter().map(|disk| disk["name"].clone()).collect();
    assert_eq!(disks, ["worker-1-1"]);
    let credentials = cloud.credentials();
    let class = target(&spec, &machine, &credentials);
    assert!(cloud.provider.list(class.class, &credentials, class.deadline).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_left_over_disk_does_not_keep_its_machine_from_being_made() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine) = (our_spec(), machine(1));
    create(&cloud, &spec, &mut machine).await.unwrap();
    cloud.fake.remove_vm_alone(ZONE, &machine.name);
    (machine.state, machine.provider_id) = (None, None);
    let mut made = false;
    for _ in 0..5 {
        match create(&cloud, &spec, &mut machine).await {
            Ok(_) => made = true,
            Err(error) => assert_eq!(error.code, MachineCode::Aborted, "{error}"),
        }
    }
    assert!(made);
    assert_eq!((cloud.fake.vms().len(), cloud.fake.disks().len()), (1, 1));
}

#[tokio::test]
async fn a_protected_vm_does_not_hang_without_a_word() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let mut spec = our_spec();
    spec["deletionProtection"] = json!(true);
    let mut machine = machine(1);
    create(&cloud, &spec, &mut machine).await.unwrap();
    machine.state = None;
    let error = delete(&cloud, &spec, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::FailedPrecondition);
    assert!(error.message.contains("switch deletionProtection of the VM off"), "{error}");
    cloud.fake.change_vm(ZONE, &machine.name, |vm| vm["deletionProtection"] = json!(false));
    delete(&cloud, &spec, &mut machine).await.unwrap();
    assert!(cloud.fake.vms().is_empty());
}

#[tokio::test]
async fn every_field_of_a_class_is_one_that_google_knows() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let mut spec = our_spec();
    for (key, value) in json!({
        "canIpForward": true, "description": "d", "gpu": { "acceleratorType": "nvidia-tesla-t4", "count": 1 },
        "metadata": [{ "key": "k", "value": "v" }, { "key": "empty" }], "minCpuPlatform": "Intel Cascade Lake",
        "scheduling": { "automaticRestart": false, "onHostMaintenance": "TERMINATE", "preemptible": true },
        "serviceAccounts": [{ "email": "e@x", "scopes": ["https://www.googleapis.com/auth/compute"] }],
        "shieldedInstanceConfiguration": { "integrityMonitoring": true, "secureBoot": true, "vtpm": true },
        "advancedMachineFeatures": { "enableNestedVirtualization": true },
        "disks": [
            { "boot": true, "image": "projects/p/global/images/family/f", "sizeGb": 50, "type": "hyperdisk-balanced", "labels": { "a": "b" },
              "provisionedIops": 3000, "provisionedThroughput": 140, "storagePool": "zones/z/storagePools/p",
              "encryption": { "kmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k", "kmsKeyServiceAccount": "e@x" } },
            { "type": "SCRATCH", "interface": "NVME" }
        ],
        "networkInterfaces": [{
            "network": "n", "subnetwork": "s", "stackType": "IPV4_IPV6", "ipv6accessType": "EXTERNAL",
            "useAliasIPs": true, "ipCidrRange": "/24", "subnetworkRangeName": "pods"
        }]
    }).as_object().unwrap() {
        spec[key] = value.clone();
    }
    let (machine_view, credentials) = (machine(1), cloud.credentials());
    let class = target(&spec, &machine_view, &credentials).class;
    assert_eq!(cloud.provider.validate(&class, None), []);
    let instance = create(&cloud, &spec, &mut machine(1)).await.unwrap();
    let kinds: BTreeSet<&str> = instance.addresses.iter().map(|address| address.type_.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["ExternalIP", "Hostname", "InternalIP"]));
    assert_eq!(cloud.fake.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_cloud_that_throttles_with_403_is_not_called_again_at_once() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    create(&cloud, &spec, &mut machine).await.unwrap();
    let misfortune = Misfortune::Refuse(Refusal::new(403, "rateLimitExceeded", "Rate Limit Exceeded"));
    cloud.fake.strike(Some(Strike { operation: Some("instances.get"), nth: None, misfortune }));
    let looks = || cloud.fake.journal().iter().filter(|entry| entry.operation == "instances.get").count();
    let before = looks();
    for _ in 0..3 {
        let mut asked = target(&spec, &machine, &credentials);
        asked.deadline = Deadline::after(Instant::now(), Duration::from_secs(1));
        let error = cloud.provider.status(asked).await.unwrap_err();
        assert_eq!(error.code, MachineCode::Unavailable, "{error}");
    }
    assert_eq!(looks(), before + 1);
}

#[tokio::test]
async fn user_data_that_the_cloud_quotes_is_not_repeated() {
    let text = "#cloud-config\nbootstrap-token: abcdef.0123456789abcdef\n";
    let quoted = format!("Invalid value for field 'resource.metadata': {}", json!({ "value": text }));
    for misfortune in [
        Misfortune::Refuse(Refusal::new(400, "invalid", &quoted)),
        Misfortune::FailLater("INVALID_FIELD_VALUE".into(), quoted.clone()),
    ] {
        let cloud = GcpCloud::start(Settings::default()).await;
        let operation = Some("instances.insert");
        cloud.fake.strike(Some(Strike { operation, nth: None, misfortune }));
        let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
        let user_data = UserData::new(text.into());
        let error = loop {
            match cloud.provider.create(target(&spec, &machine, &credentials), &user_data).await {
                Ok(CreateOutcome::InProgress { state, .. }) => machine.state = Some(state),
                Ok(made) => panic!("{made:?}"),
                Err(error) => break error,
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert!(error.message.contains("resource.metadata"), "{error}");
        assert!(!error.message.contains("0123456789abcdef"), "{error}");
    }
}

#[tokio::test]
async fn a_machine_that_was_restored_with_a_new_uid_does_not_leave_its_vm_behind() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    create(&cloud, &spec, &mut machine).await.unwrap();
    (machine.state, machine.uid) = (None, Some("00000000-0000-4000-8000-00000000dead".into()));
    cloud.provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    delete(&cloud, &spec, &mut machine).await.unwrap();
    assert!(cloud.fake.vms().is_empty());
}

#[tokio::test]
async fn a_list_that_leaves_things_out_is_not_taken_for_whole() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    create(&cloud, &spec, &mut machine).await.unwrap();
    for operation in ["instances.list", "disks.list"] {
        cloud.fake.strike(Some(Strike {
            operation: Some(operation),
            nth: None,
            misfortune: Misfortune::LeaveOut,
        }));
        let asked = target(&spec, &machine, &credentials);
        let error = cloud.provider.list(asked.class, &credentials, asked.deadline).await.unwrap_err();
        assert_eq!(error.code, MachineCode::Unavailable, "{error}");
        assert!(error.message.contains("not complete (UNREACHABLE)"), "{error}");
    }
}

#[tokio::test]
async fn a_vm_that_is_on_its_way_out_is_not_taken_for_made() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, mut machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    create(&cloud, &spec, &mut machine).await.unwrap();
    (machine.state, machine.provider_id) = (None, None);
    cloud.fake.change_vm(ZONE, &machine.name, |vm| vm["status"] = json!("STOPPING"));
    let user_data = UserData::new("#cloud-config".into());
    let outcome = cloud.provider.create(target(&spec, &machine, &credentials), &user_data).await.unwrap();
    assert!(matches!(outcome, CreateOutcome::InProgress { .. }), "{outcome:?}");
}
