//! One object of each kind with every field set. Written without `..Default`, so that a new field does not
//! compile until it stands here, and then not pass until it stands in the CRD.

use k8s_openapi::api::core::v1::{NodeAddress, NodeSpec, SecretReference, Taint};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    LabelSelector, LabelSelectorRequirement, ObjectMeta, Time,
};
use millwright_api::{
    ClassNodeTemplate, ClassReference, CurrentStatus, DeploymentCondition, GoDuration, InPlaceUpdate,
    IntOrPercent, LastOperation, Machine, MachineClass, MachineConfiguration, MachineDeployment,
    MachineDeploymentSpec, MachineDeploymentStatus, MachinePhase, MachineSet, MachineSetCondition,
    MachineSetSpec, MachineSetStatus, MachineSpec, MachineStatus, MachineSummary, MachineTemplate,
    NodeCondition, NodeReference, NodeTemplate, OperationState, OperationType, Quantity, RollbackTo,
    RollingUpdate, Strategy,
};
use serde_json::{Value, json};

fn text() -> String {
    "text".into()
}

fn time() -> Option<Time> {
    Some(Time("2026-03-01T08:00:00Z".parse().unwrap()))
}

fn duration() -> Option<GoDuration> {
    Some(GoDuration("20m".into()))
}

fn metadata() -> ObjectMeta {
    ObjectMeta { labels: Some([("app".to_owned(), text())].into()), ..ObjectMeta::default() }
}

fn selector() -> Option<LabelSelector> {
    Some(LabelSelector {
        match_labels: Some([("app".to_owned(), text())].into()),
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: text(),
            operator: text(),
            values: Some(vec![text()]),
        }]),
    })
}

fn class() -> ClassReference {
    ClassReference { api_group: text(), kind: text(), name: text() }
}

fn last_operation() -> LastOperation {
    LastOperation {
        description: text(),
        error_code: text(),
        last_update_time: time(),
        state: OperationState::Failed,
        type_: OperationType::Create,
    }
}

fn failed_machines() -> Vec<MachineSummary> {
    vec![MachineSummary {
        name: text(),
        provider_id: text(),
        last_operation: last_operation(),
        owner_ref: text(),
    }]
}

fn spec() -> MachineSpec {
    let taint = Taint { effect: text(), key: text(), time_added: time(), value: Some(text()) };
    MachineSpec {
        class: class(),
        provider_id: text(),
        node_template: NodeTemplate {
            metadata: metadata(),
            spec: NodeSpec { taints: Some(vec![taint]), ..NodeSpec::default() },
        },
        configuration: MachineConfiguration {
            drain_timeout: duration(),
            health_timeout: duration(),
            creation_timeout: duration(),
            in_place_update_timeout: duration(),
            machine_preserve_timeout: duration(),
            disable_health_timeout: Some(true),
            max_evict_retries: Some(7),
            node_conditions: Some(text()),
        },
    }
}

fn template() -> MachineTemplate {
    MachineTemplate { metadata: metadata(), spec: spec() }
}

fn machine_class() -> MachineClass {
    let mut class = MachineClass::default();
    class.metadata = metadata();
    class.node_template = Some(ClassNodeTemplate {
        architecture: Some(text()),
        capacity: [("cpu".to_owned(), Quantity("4".into()))].into(),
        instance_type: text(),
        region: text(),
        virtual_capacity: [("seats".to_owned(), Quantity("4".into()))].into(),
        zone: text(),
    });
    let secret = SecretReference { name: Some(text()), namespace: Some(text()) };
    class.credentials_secret_ref = Some(secret.clone());
    class.provider = text();
    class.provider_spec = json!({"size": "small"});
    class.secret_ref = Some(secret);
    class
}

fn machine() -> Machine {
    let mut machine = Machine::default();
    machine.metadata = metadata();
    machine.spec = spec();
    machine.status = MachineStatus {
        created_with_class: "{}".into(),
        addresses: vec![NodeAddress { address: text(), type_: text() }],
        conditions: vec![NodeCondition {
            type_: text(),
            status: text(),
            reason: text(),
            message: text(),
            last_heartbeat_time: time(),
            last_transition_time: time(),
        }],
        current_status: CurrentStatus {
            phase: MachinePhase::Running,
            timeout_active: true,
            last_update_time: time(),
            preserve_expiry_time: time(),
        },
        last_operation: last_operation(),
        last_known_state: text(),
        node_ref: Some(NodeReference { api_version: text(), kind: text(), name: text(), uid: text() }),
        phase: text(),
        failure_message: text(),
        observed_generation: Some(7),
    };
    machine
}

fn machine_set() -> MachineSet {
    let mut set = MachineSet::default();
    set.metadata = metadata();
    set.spec = MachineSetSpec {
        replicas: 7,
        selector: selector(),
        machine_class: Some(class()),
        template: template(),
        min_ready_seconds: 7,
        auto_preserve_failed_machine_max: 7,
    };
    set.status = MachineSetStatus {
        replicas: 7,
        fully_labeled_replicas: 7,
        ready_replicas: 7,
        available_replicas: 7,
        preserved_failed_replicas: 7,
        observed_generation: 7,
        conditions: vec![MachineSetCondition {
            type_: text(),
            status: text(),
            reason: text(),
            message: text(),
            last_transition_time: time(),
        }],
        last_operation: last_operation(),
        failed_machines: failed_machines(),
        auto_preserve_failed_machine_count: 7,
        selector: text(),
    };
    set
}

fn machine_deployment() -> MachineDeployment {
    let mut deployment = MachineDeployment::default();
    let count = Some(IntOrPercent::Int(7));
    deployment.metadata = metadata();
    deployment.spec = MachineDeploymentSpec {
        replicas: 7,
        selector: selector(),
        template: template(),
        strategy: Strategy {
            type_: text(),
            rolling_update: Some(RollingUpdate { max_surge: count.clone(), max_unavailable: count.clone() }),
            in_place_update: Some(InPlaceUpdate {
                max_surge: count.clone(),
                max_unavailable: count,
                orchestration_type: text(),
            }),
        },
        min_ready_seconds: 7,
        revision_history_limit: Some(7),
        paused: true,
        rollback_to: Some(RollbackTo { revision: 7 }),
        progress_deadline_seconds: Some(7),
        auto_preserve_failed_machine_max: 7,
    };
    deployment.status = MachineDeploymentStatus {
        observed_generation: 7,
        replicas: 7,
        updated_replicas: 7,
        ready_replicas: 7,
        available_replicas: 7,
        preserved_failed_replicas: 7,
        unavailable_replicas: 7,
        conditions: vec![DeploymentCondition {
            type_: text(),
            status: text(),
            reason: text(),
            message: text(),
            last_update_time: time(),
            last_transition_time: time(),
        }],
        collision_count: Some(7),
        failed_machines: failed_machines(),
        selector: text(),
    };
    deployment
}

/// The full object of a kind, as it is sent.
pub(crate) fn full_object(kind: &str) -> Value {
    match kind {
        "MachineClass" => serde_json::to_value(machine_class()),
        "Machine" => serde_json::to_value(machine()),
        "MachineSet" => serde_json::to_value(machine_set()),
        "MachineDeployment" => serde_json::to_value(machine_deployment()),
        other => panic!("{other} is none of our kinds"),
    }
    .unwrap()
}
