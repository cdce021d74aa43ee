//! A machine whose node nobody noted is drained all the same.

use millwright_decide::machine::MachinePatch;
use millwright_provider::{Initialization, Instance};

use super::*;
use crate::fixtures::situation::machine_patch;

/// Its VM was made, and a crash came before anything of it was noted.
fn unnoted() -> Situation {
    let mut machine = deleting(unborn("m"), 60);
    machine.metadata.creation_timestamp = time(0);
    Situation { class: Some(class()), ..Situation::of(machine) }
}

fn instance() -> Instance {
    Instance { node_name: "ip-1".into(), ..vm("m", Initialization::Done) }
}

fn joined(seconds: i64) -> NodeView {
    let mut node = ready("ip-1");
    node.metadata.labels = None;
    node.metadata.creation_timestamp = time(seconds);
    node
}

#[test]
fn a_vm_that_joined_before_anybody_noted_it_is_never_deleted_under_its_pods() {
    let mut situation = unnoted();
    assert_eq!(names(&situation.plan(60)), ["FindVm"]);
    situation.memory.found(instance());
    situation.namesake_node = Some(joined(30));
    let plan = situation.plan(60);
    let labels = [(labels::NODE.to_owned(), "ip-1".to_owned())].into();
    assert_eq!(*machine_patch(&plan), MachinePatch { labels, ..MachinePatch::default() });
    situation.obey(&plan);
    (situation.node, situation.namesake_node) = (situation.namesake_node.take(), None);
    assert_eq!(names(&situation.plan(60)), ["ListPods"]);
}

#[test]
fn a_vm_that_is_not_there_or_has_not_joined_is_deleted_after_one_question() {
    for code in [MachineCode::NotFound, MachineCode::Unimplemented, MachineCode::Uninitialized] {
        let mut situation = unnoted();
        situation.failed(CloudOperation::Status, code, "none", 60);
        assert_eq!(names(&situation.plan(60)), ["DeleteVm"], "{code}");
    }
    let mut situation = unnoted();
    situation.memory.answered(VmKnowledge::Present(instance()));
    assert_eq!(names(&situation.plan(60)), ["DeleteVm"]);
}

#[test]
fn a_node_that_was_there_before_the_vm_is_never_taken_for_the_dying_machines() {
    let mut situation = unnoted();
    situation.memory.answered(VmKnowledge::Present(instance()));
    situation.namesake_node = Some(joined(-10));
    assert_eq!(names(&situation.plan(60)), ["DeleteVm"]);
    let mut anothers = joined(30);
    anothers.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "other".to_owned())].into());
    situation.namesake_node = Some(anothers);
    assert_eq!(names(&situation.plan(60)), ["DeleteVm"]);
}

#[test]
fn a_cloud_that_does_not_answer_is_asked_again_and_that_is_said_with_the_marker_of_the_step() {
    let mut situation = unnoted();
    situation.failed(CloudOperation::Status, MachineCode::Unavailable, "throttled", 60);
    let plan = situation.plan(60);
    assert_eq!((names(&plan), look_after(&plan)), (vec!["PatchStatus"], Some(1)));
    let said = &status(&plan).last_operation;
    assert_eq!(DeletionStep::of(&said.description), Some(DeletionStep::GetVmStatus), "{said:?}");
    assert!(said.description.contains("throttled"), "{said:?}");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(61)), ["FindVm"]);
}

#[test]
fn nobody_is_asked_for_a_node_that_is_noted_or_that_can_not_be() {
    let mut noted = unnoted();
    noted.machine = labelled(noted.machine, labels::NODE, "ip-1");
    assert_eq!(names(&noted.plan(60)), ["DeleteVm"]);
    let mut alone = unnoted();
    alone.settings.target = TargetCluster::Absent;
    assert_eq!(names(&alone.plan(60)), ["DeleteVm"]);
    let mut looked = unnoted();
    looked.machine.status = at_step(DeletionStep::DrainNode).status;
    assert_eq!(names(&looked.plan(60)), ["DeleteVm"]);
}
