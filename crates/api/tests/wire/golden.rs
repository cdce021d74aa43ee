//! Objects as they lie in clusters today, and one of tomorrow.

use std::fs;
use std::path::PathBuf;

use millwright_api::{
    ConditionStatus, DeletionStep, IntOrPercent, Machine, MachineClass, MachineCode, MachineDeployment,
    MachinePhase, MachineSet, OperationState, OperationType, ParsedCode, controller_of, keys,
    matches_selector,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kinds::recode;
use crate::paths::leaves;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/wire/golden")
}

fn golden(name: &str) -> Value {
    let path = folder().join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn decoded<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_value(golden(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What may be lost on the way through our types: ballast that nothing reads, and what nobody defined yet.
const LOST: &[&str] = &[
    "metadata.managedFields",
    "metadata.selfLink",
    "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration",
    "spec.class.version",
    "spec.hibernation",
    "status.capacity",
    "status.currentStatus.reason",
];

#[test]
fn every_golden_object_keeps_its_known_fields() {
    let mut files = 0;
    for file in fs::read_dir(folder()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let object = golden(&name);
        let written = recode(object["kind"].as_str().unwrap(), &object)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = leaves(&written);
        for (path, value) in leaves(&object) {
            let lost = LOST.iter().any(|lost| path.starts_with(lost));
            let time_of_nothing =
                path.ends_with("Time") && value.as_str().is_some_and(|text| !text.starts_with('2'));
            if lost || time_of_nothing || says_nothing(&value) {
                continue;
            }
            let kept = written.get(&path);
            let same = kept.is_some_and(|kept| *kept == value || kept.as_str() == Some(&value.to_string()));
            assert!(same, "{name}: {path} was {value}, is {kept:?}");
        }
        files += 1;
    }
    assert!(files >= 12, "only {files} golden objects found");
}

/// Go's zero values mean the same as nothing.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[test]
fn a_class_keeps_its_cloud_part_to_the_letter() {
    let class: MachineClass = decoded("machineclass-aws.yaml");
    assert_eq!(class.provider_spec, golden("machineclass-aws.yaml")["providerSpec"]);
    assert_eq!(class.provider, "AWS");
    let template = class.node_template.unwrap();
    let quantity = |name: &str| template.capacity[name].0.clone();
    assert_eq!(
        (quantity("cpu"), quantity("gpu"), quantity("memory")),
        ("4".into(), "0".into(), "16Gi".into())
    );
    assert_eq!(template.virtual_capacity["subdomain.domain.com/virtual"].0, "1234567");
    assert_eq!(template.architecture.as_deref(), Some("amd64"));
    assert_eq!(class.credentials_secret_ref.unwrap().name.as_deref(), Some("cloudprovider"));
}

#[test]
fn the_ballast_of_metadata_is_dropped() {
    let class: MachineClass = decoded("machineclass-aws.yaml");
    assert_eq!(class.metadata.managed_fields, None);
    assert_eq!(class.metadata.annotations.unwrap_or_default().len(), 0);
    assert_eq!(class.metadata.finalizers.unwrap(), [keys::finalizers::MACHINE]);
}

#[test]
fn nulls_mean_what_is_missing() {
    let class: MachineClass = decoded("machineclass-nulls.yaml");
    let mut bare = MachineClass::default();
    bare.metadata = class.metadata.clone();
    assert_eq!(class, bare);
    let deployment: MachineDeployment = decoded("machinedeployment-nulls.yaml");
    assert_eq!(deployment.spec.template.spec, MachineDeployment::default().spec.template.spec);
    assert_eq!(deployment.status, MachineDeployment::default().status);
    assert_eq!((deployment.spec.replicas, deployment.spec.paused), (0, false));
    assert_eq!(deployment.spec.rollback_to, None);
    let selector = deployment.spec.selector.unwrap();
    assert_eq!(matches_selector(&selector, None), Ok(true), "a selector of nulls is an empty one");
}

#[test]
fn a_new_machine_has_no_phase_and_no_times() {
    let machine: Machine = decoded("machine-new.yaml");
    assert_eq!(machine.status.current_status.phase, MachinePhase::Empty);
    assert_eq!(machine.status.current_status.last_update_time, None);
    assert_eq!(machine.status.last_operation.last_update_time, None);
    assert_eq!(machine.metadata.creation_timestamp, None);
    assert_eq!(controller_of(&machine.metadata).unwrap().name, "shoot--garden--prod-worker-a-z1-5f7d8");
    assert_eq!(machine.spec.node_template.metadata.labels.unwrap()["worker.gardener.cloud/pool"], "worker-a");
}

#[test]
fn a_running_machine_shows_its_nodes_conditions() {
    let machine: Machine = decoded("machine-running.yaml");
    assert_eq!(machine.status.current_status.phase, MachinePhase::Running);
    assert_eq!(machine.status.last_operation.type_, OperationType::Create);
    assert_eq!(machine.status.last_operation.state, OperationState::Successful);
    let [ready, deadlock] = machine.status.conditions.as_slice() else { panic!("two conditions") };
    assert!(ready.is_true() && ready.type_ == keys::node_conditions::READY);
    assert_eq!(deadlock.status, ConditionStatus::False.as_str());
    assert_eq!(deadlock.last_heartbeat_time, None);
    assert_eq!(machine.spec.node_template.spec.taints.unwrap()[0].key, "dedicated");
}

#[test]
fn a_failed_creation_keeps_code_and_message() {
    let machine: Machine = decoded("machine-crashloop.yaml");
    assert_eq!(machine.status.current_status.phase, MachinePhase::CrashLoopBackOff);
    assert_eq!(machine.status.last_operation.error_code, "ResourceExhausted");
    let parsed = ParsedCode::find_in(&machine.status.last_operation.description).unwrap();
    assert_eq!(parsed.code, MachineCode::ResourceExhausted);
    assert_eq!(parsed.message, "InsufficientInstanceCapacity: no p4d.24xlarge in [eu-west-1a]");
    assert_eq!(machine.status.last_known_state, "{\"v\":1,\"requests\":[\"req-1\"]}");
}

#[test]
fn a_deletion_goes_on_where_another_controller_stopped() {
    let machine: Machine = decoded("machine-terminating.yaml");
    assert!(machine.metadata.deletion_timestamp.is_some());
    let step = DeletionStep::of(&machine.status.last_operation.description);
    assert_eq!(step, Some(DeletionStep::DeleteVolumeAttachments));
}

#[test]
fn overrides_of_flags_are_read() {
    let machine: Machine = decoded("machine-configured.yaml");
    let configuration = machine.spec.configuration;
    let seconds = |duration: Option<millwright_api::GoDuration>| duration.unwrap().parse().unwrap().as_secs();
    assert_eq!(seconds(configuration.drain_timeout), 7_200);
    assert_eq!(seconds(configuration.health_timeout), 600);
    assert_eq!(seconds(configuration.creation_timeout), 1_200);
    assert_eq!(seconds(configuration.in_place_update_timeout), 3_600);
    assert_eq!(seconds(configuration.machine_preserve_timeout), 345_600);
    assert_eq!(configuration.disable_health_timeout, Some(true));
    assert_eq!(configuration.max_evict_retries, Some(10));
    assert_eq!(
        configuration.node_conditions.as_deref(),
        Some("ReadonlyFilesystem,KernelDeadlock,DiskPressure")
    );
    assert!(machine.status.current_status.preserve_expiry_time.is_some());
    assert_eq!(machine.status.addresses.len(), 2);
}

#[test]
fn words_of_tomorrow_are_kept_as_they_are() {
    let machine: Machine = decoded("machine-of-tomorrow.yaml");
    assert_eq!(machine.status.current_status.phase, MachinePhase::Other("Hibernating".into()));
    assert_eq!(machine.status.last_operation.type_, OperationType::Other("Hibernate".into()));
    assert_eq!(machine.status.last_operation.state, OperationState::Other("Suspended".into()));
    assert_eq!(machine.status.current_status.last_update_time, None);
    assert!(machine.spec.configuration.drain_timeout.unwrap().parse().is_err());
    assert_eq!(machine.status.node_ref.unwrap().name, "tomorrow");
}

#[test]
fn a_set_has_its_conditions_under_the_odd_name() {
    let set: MachineSet = decoded("machineset-owned.yaml");
    let [frozen, failure] = set.status.conditions.as_slice() else { panic!("two conditions") };
    assert!(frozen.type_ == "Frozen" && frozen.is_true());
    assert_eq!((failure.type_.as_str(), failure.last_transition_time.clone()), ("ReplicaFailure", None));
    assert_eq!(set.status.failed_machines[0].owner_ref, "shoot--garden--prod-worker-a-z1-5f7d8");
    assert!(set.status.last_operation.last_update_time.is_some());
    let selector = set.spec.selector.unwrap();
    assert_eq!(matches_selector(&selector, set.spec.template.metadata.labels.as_ref()), Ok(true));
}

#[test]
fn a_set_from_before_selectors_were_checked_decodes_without_one() {
    let set: MachineSet = decoded("machineset-old.yaml");
    assert_eq!(set.spec.selector, None);
    assert_eq!(set.spec.machine_class.unwrap().kind, "AWSMachineClass");
    assert!(set.status.conditions.is_empty());
}

#[test]
fn a_deployment_keeps_counts_and_percentages_apart() {
    let deployment: MachineDeployment = decoded("machinedeployment-rolling.yaml");
    let rolling = deployment.spec.strategy.rolling_update.unwrap();
    assert_eq!(rolling.max_surge, Some(IntOrPercent::Int(1)));
    assert_eq!(rolling.max_unavailable, Some(IntOrPercent::Text("25%".into())));
    assert_eq!(deployment.spec.revision_history_limit, Some(0), "0 keeps no set, nothing keeps all");
    assert_eq!(deployment.spec.progress_deadline_seconds, Some(600));
    assert_eq!(deployment.status.collision_count, Some(1));
    assert_eq!(deployment.status.failed_machines[0].last_operation.error_code, "Unauthenticated");
}

#[test]
fn a_deployment_that_updates_in_place_says_who_chooses() {
    let deployment: MachineDeployment = decoded("machinedeployment-inplace.yaml");
    let in_place = deployment.spec.strategy.in_place_update.unwrap();
    assert_eq!(in_place.orchestration_type, "Manual");
    assert_eq!(in_place.max_surge, Some(IntOrPercent::Int(0)));
    assert_eq!(deployment.spec.rollback_to.unwrap().revision, 3);
    assert_eq!(deployment.spec.auto_preserve_failed_machine_max, 1);
    assert!(deployment.spec.paused);
}
