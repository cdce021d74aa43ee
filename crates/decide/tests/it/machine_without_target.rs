//! Machines without a target cluster (`--target-kubeconfig=none`): a VM and nothing around it.

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{MachinePhase, ObjectView, OperationState, OperationType};
use millwright_decide::TargetCluster;
use millwright_decide::machine::{MachinePlan, VmKnowledge};
use millwright_provider::{Initialization, Instance};

use crate::fixtures::machine::{born, deleting, labelled, unborn, vm};
use crate::fixtures::node::lost;
use crate::fixtures::situation::{Situation, look_after, machine_patch, names, status};
use crate::fixtures::time::minutes;

fn without_target(machine: millwright_api::Machine) -> Situation {
    let mut situation = Situation::of(machine);
    situation.settings.target = TargetCluster::Absent;
    situation
}

#[test]
fn a_vm_that_exists_is_available_at_once_with_its_addresses_and_without_a_node() {
    let mut situation = without_target(unborn("m"));
    assert_eq!(names(&situation.plan(0)), ["CreateVm"]);
    let address = |type_: &str, address: &str| NodeAddress { type_: type_.into(), address: address.into() };
    let instance = Instance {
        addresses: vec![address("InternalIP", "10.0.0.7"), address("ExternalIP", "192.0.2.7")],
        ..vm("m", Initialization::Done)
    };
    situation.memory.vm = VmKnowledge::Present(instance);
    let plan = situation.plan(5);
    let patch = machine_patch(&plan);
    assert_eq!(patch.labels.get(labels::NODE), None);
    assert!(patch.provider_id.is_some() && patch.annotations.contains_key(annotations::MACHINE_PRIORITY));
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::Available);
    assert!(!written.current_status.timeout_active);
    assert_eq!(written.last_operation.type_, OperationType::Create);
    assert_eq!(written.last_operation.state, OperationState::Successful);
    assert_eq!(written.last_operation.description, "Created machine on cloud provider");
    let addresses: Vec<&str> = written.addresses.iter().map(|address| address.address.as_str()).collect();
    assert_eq!(addresses, ["192.0.2.7", "m", "10.0.0.7"]);
    assert_eq!(written.node_ref, None);
    situation.obey(&plan);
    for seconds in [6, minutes(600)] {
        let plan = situation.plan(seconds);
        assert_eq!((names(&plan), look_after(&plan)), (vec![], None), "nobody waits for a node");
    }
}

#[test]
fn steps_after_the_creation_are_done_before_it_is_available() {
    let mut situation = without_target(unborn("m"));
    situation.memory.vm =
        VmKnowledge::Present(vm("m", Initialization::Missing { reason: "no route".into() }));
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchMachine", "InitializeVm"]);
    situation.obey(&plan);
    situation.memory.vm = VmKnowledge::Present(vm("m", Initialization::Done));
    assert_eq!(status(&situation.plan(6)).current_status.phase, MachinePhase::Available);
}

#[test]
fn no_phase_is_judged_by_a_node_that_nobody_can_see() {
    for phase in [
        MachinePhase::Available,
        MachinePhase::Pending,
        MachinePhase::Running,
        MachinePhase::Unknown,
        MachinePhase::InPlaceUpdating,
        MachinePhase::InPlaceUpdateFailed,
        MachinePhase::InPlaceUpdateSuccessful,
        MachinePhase::Failed,
    ] {
        let mut situation = without_target(born("m", phase.clone()));
        // What a machine keeps of a target cluster that was switched off.
        situation.machine.status.conditions = lost("m").status.conditions;
        let plan = situation.plan(minutes(600));
        assert_eq!((names(&plan), look_after(&plan)), (vec![], None), "{phase}");
    }
}

#[test]
fn a_deletion_goes_straight_to_the_vm_and_touches_nothing_of_a_target_cluster() {
    for phase in [MachinePhase::Available, MachinePhase::Running, MachinePhase::Failed] {
        for forced in ["true", "false"] {
            let machine = labelled(born("m", phase.clone()), labels::FORCE_DELETION, forced);
            let mut situation = without_target(deleting(machine, 10));
            let mut done = Vec::new();
            for seconds in 10..20 {
                let plan = situation.plan(seconds);
                done.extend(names(&plan));
                situation.obey(&plan);
                if names(&plan).contains(&"DeleteVm") {
                    situation.memory.vm = VmKnowledge::Gone;
                }
                if !situation.machine.has_finalizer(finalizers::MACHINE) {
                    break;
                }
            }
            assert_eq!(done, ["DeleteVm", "PatchMachine"], "{phase}");
            assert_eq!(situation.plan(30), MachinePlan::at_rest());
        }
    }
}
