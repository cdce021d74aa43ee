//! Takes away what no judgement and no preview reads, before an object is kept. Managed fields and kubectl's copy of the object
//! are gone since it was decoded.

use millwright_api::keys::node_conditions;
use millwright_api::{
    Machine, MachineDeployment, MachineDeploymentSpec, MachineDeploymentStatus, MachineSet,
};

/// Of a deployment only who it is and which class it names: a request that is about one brings the rest.
pub(super) fn deployment(object: &mut MachineDeployment) {
    let class = std::mem::take(&mut object.spec.template.spec.class);
    object.spec = MachineDeploymentSpec::default();
    object.spec.template.spec.class = class;
    object.status = MachineDeploymentStatus::default();
    object.metadata.annotations = None;
    object.metadata.labels = None;
}

/// Of a set all that the rollout decides by.
pub(super) fn set(object: &mut MachineSet) {
    object.status.failed_machines = Vec::new();
    object.status.last_operation.description = String::new();
    object.status.selector = String::new();
}

/// Of a machine all that a rollout and the choice of whom to delete decide by.
pub(super) fn machine(object: &mut Machine) {
    let status = &mut object.status;
    status.addresses = Vec::new();
    status.last_known_state = String::new();
    status.created_with_class = String::new();
    status.failure_message = String::new();
    status.node_ref = None;
    status.last_operation.description = String::new();
    let decides = |kind: &str| kind == node_conditions::READY || kind == node_conditions::IN_PLACE_UPDATE;
    status.conditions.retain(|condition| decides(&condition.type_));
    for condition in &mut status.conditions {
        condition.message = String::new();
    }
    status.conditions.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_machine_keeps_its_phase_its_readiness_and_none_of_its_long_texts() {
        let mut object: Machine = serde_json::from_value(json!({
            "metadata": {"name": "m", "managedFields": [{"manager": "long"}],
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "long", "a": "b"}},
            "spec": {"class": {"name": "small"}, "providerID": "local:///1"},
            "status": {
                "currentStatus": {"phase": "Running"},
                "createdWithClass": "long", "lastKnownState": "long", "failureMessage": "long",
                "addresses": [{"type": "InternalIP", "address": "long"}],
                "lastOperation": {"description": "long", "type": "Create", "state": "Successful"},
                "conditions": [
                    {"type": "Ready", "status": "True", "message": "long"},
                    {"type": "DiskPressure", "status": "False", "message": "long"},
                ],
            },
        }))
        .unwrap();
        machine(&mut object);
        let text = serde_json::to_string(&object).unwrap();
        assert!(!text.contains("long"), "{text}");
        assert_eq!(object.status.conditions.len(), 1);
        assert_eq!(object.status.current_status.phase.as_str(), "Running");
        assert_eq!(object.metadata.annotations.map(|kept| kept.len()), Some(1));
    }

    #[test]
    fn a_deployment_keeps_its_name_and_its_class() {
        let mut object: MachineDeployment = serde_json::from_value(json!({
            "metadata": {"name": "d", "uid": "u", "resourceVersion": "7", "annotations": {"a": "b"}},
            "spec": {"replicas": 3, "template": {"metadata": {"labels": {"l": "v"}},
                "spec": {"class": {"kind": "MachineClass", "name": "small"}}}},
            "status": {"replicas": 3},
        }))
        .unwrap();
        deployment(&mut object);
        assert_eq!(object.spec.template.spec.class.name, "small");
        assert_eq!(object.metadata.resource_version.as_deref(), Some("7"));
        assert_eq!((object.spec.replicas, object.status.replicas), (0, 0));
    }
}
