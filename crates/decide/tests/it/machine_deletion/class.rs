//! A deletion does not depend on its class; and the class is held as long as a VM could need it.

use super::*;

#[test]
fn a_machine_whose_class_is_gone_is_drained_and_deleted_by_what_it_kept_of_it() {
    let mut situation = Situation { class: None, ..emptied(recorded(dying())) };
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
    situation.memory.answered(VmKnowledge::Gone);
    assert_eq!(
        names(&situation.plan(1)),
        ["PatchNode", "DeleteNode", "DeleteBootstrapToken", "PatchMachine"]
    );
    // One that may have been asked for and was never recorded is asked for too.
    let mut unborn = without_class(recorded(dying()));
    unborn.machine.spec.provider_id = String::new();
    assert_eq!(names(&unborn.plan(0)), ["DeleteVm"]);
}

#[test]
fn a_record_without_the_providers_part_says_that_the_class_is_needed() {
    let mut large = class();
    large.provider_spec = serde_json::json!({"blob": "x".repeat(40_000)});
    let situation = without_class(recording(dying(), &large));
    let plan = situation.plan(0);
    let said = &status(&plan).last_operation;
    assert!(said.description.contains("too large to be kept"), "{said:?}");
    assert!(said.description.contains("Restore the class"), "{said:?}");
    assert_eq!((names(&plan), look_after(&plan)), (vec!["PatchStatus"], Some(600)));
}

#[test]
fn a_missing_credential_is_named_and_its_return_ends_the_wait() {
    let mut situation = Situation::of(dying());
    let message = "Secret \"fleet/cloud\" named in secretRef of MachineClass \"small\" does not exist; restore it, and the deletion goes on";
    situation.failed(CloudOperation::Delete, MachineCode::InvalidArgument, message, 0);
    let plan = situation.plan(0);
    let said = status(&plan).last_operation.clone();
    assert_eq!(said.state, OperationState::Failed);
    assert_eq!(DeletionStep::of(&said.description), Some(DeletionStep::DeleteVm));
    assert!(said.description.contains(message), "{said:?}");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), [""; 0]);
    situation.memory.mended();
    assert_eq!(names(&situation.plan(1)), ["DeleteVm"]);
}

#[test]
fn a_cloud_that_is_busy_is_not_hurried_by_a_new_secret() {
    let mut situation = Situation::of(dying());
    situation.failed(CloudOperation::Delete, MachineCode::Unavailable, "throttled", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.memory.mended();
    assert_eq!(names(&situation.plan(0)), [""; 0]);
}

#[test]
fn a_record_is_written_with_the_first_status_and_costs_no_write_of_its_own() {
    let mut situation = Situation { class: Some(class()), ..Situation::of(unborn("m")) };
    situation.memory.asks_with(ClassRecord::of(&class()));
    situation.memory.answered(VmKnowledge::Present(vm("m", millwright_provider::Initialization::Done)));
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchMachine", "PatchStatus"]);
    situation.obey(&plan);
    assert_eq!(ClassRecord::on(&situation.machine), Some(ClassRecord::of(&class())));
    assert!(!names(&situation.plan(1)).contains(&"PatchStatus"));
}

#[test]
fn a_machine_whose_creation_failed_keeps_the_class_that_its_vm_is_made_with_at_last() {
    let mut situation = Situation { class: Some(class()), ..Situation::of(unborn("m")) };
    situation.memory.asks_with(ClassRecord::of(&class()));
    situation.failed(CloudOperation::Create, MachineCode::Internal, "broken", 0);
    situation.obey(&situation.plan(0));
    assert_eq!(ClassRecord::on(&situation.machine), Some(ClassRecord::of(&class())));
    let mut mended = class();
    mended.provider_spec = serde_json::json!({"endpoint": "http://elsewhere", "size": "small"});
    situation.class = Some(mended.clone());
    situation.memory.asks_with(ClassRecord::of(&mended));
    situation.memory.answered(VmKnowledge::Present(vm("m", millwright_provider::Initialization::Done)));
    situation.obey(&situation.plan(1));
    assert_eq!(ClassRecord::on(&situation.machine), Some(ClassRecord::of(&mended)));
}

#[test]
fn a_machine_that_another_controller_made_is_given_its_record_once() {
    for ready_or_not in ["True", "False"] {
        let mut node = ready("m");
        node.status.conditions = vec![condition("Ready", ready_or_not)];
        let machine = born("m", MachinePhase::Running);
        let mut situation = Situation { class: Some(class()), ..Situation::with_node(machine, node) };
        let plan = situation.plan(0);
        assert_eq!(names(&plan).iter().filter(|name| **name == "PatchStatus").count(), 1, "{plan:?}");
        situation.obey(&plan);
        assert_eq!(ClassRecord::on(&situation.machine), Some(ClassRecord::of(&class())));
        // Its class changed since: what it was made with stays.
        situation.class.as_mut().unwrap().provider_spec = serde_json::json!({});
        assert!(!names(&situation.plan(1)).contains(&"PatchStatus"));
    }
}

#[test]
fn no_vm_is_made_from_a_class_that_nothing_holds() {
    let mut loose = class();
    loose.metadata.finalizers = None;
    let mut situation = Situation { class: Some(loose), ..Situation::of(unborn("m")) };
    assert_eq!((names(&situation.plan(0)), look_after(&situation.plan(0))), (vec![], Some(10)));
    let plan = situation.plan(10);
    let said = &status(&plan).last_operation.description;
    assert!(said.contains("MachineClass \"small\"") && said.contains(finalizers::MACHINE), "{said}");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(11)), [""; 0]);
    situation.class = Some(class());
    assert_eq!(names(&situation.plan(11)), ["CreateVm"]);
}

#[test]
fn a_class_that_is_being_deleted_gives_birth_to_no_vm_and_one_that_exists_is_finished() {
    let mut going = class();
    going.metadata.deletion_timestamp = time(0);
    let mut situation = Situation { class: Some(going), ..Situation::of(unborn("m")) };
    let plan = situation.plan(0);
    assert!(status(&plan).last_operation.description.contains("is being deleted"), "{plan:?}");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(minutes(60))), [""; 0]);
    situation.machine = recorded(situation.machine);
    situation.machine.spec.provider_id = "local:///a/m".into();
    assert_eq!(names(&situation.plan(minutes(60))), ["CreateVm"]);
}

#[test]
fn no_vm_is_made_with_a_secret_that_nothing_holds() {
    for (state, words) in [
        (SecretState::Unlisted, "Secrets of namespace \"fleet\" are listed"),
        (SecretState::Missing, "does not exist; create it"),
        (SecretState::Free, finalizers::SECRET),
        (SecretState::Going, "is being deleted"),
    ] {
        let secret = UnheldSecret { name: "cloud", field: "secretRef", state };
        let mut situation =
            Situation { class: Some(class()), unheld_secret: Some(secret), ..Situation::of(unborn("m")) };
        situation.machine.metadata.namespace = Some("fleet".into());
        if state != SecretState::Going {
            assert_eq!((names(&situation.plan(0)), look_after(&situation.plan(0))), (vec![], Some(10)));
        }
        let plan = situation.plan(10);
        assert_eq!((names(&plan), look_after(&plan)), (vec!["PatchStatus"], Some(600)), "{state:?}");
        let said = &status(&plan).last_operation.description;
        for part in [words, "\"small\"", "cloud", "secretRef"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        situation.obey(&plan);
        assert_eq!(names(&situation.plan(minutes(60))), [""; 0], "{state:?}");
        // One that was made is finished; one that dies asks for the finalizer no more.
        let mut made = recorded(situation.machine.clone());
        made.spec.provider_id = "local:///a/m".into();
        let made = Situation { machine: made, unheld_secret: Some(secret), ..Situation::of(unborn("m")) };
        assert_eq!(names(&made.plan(minutes(60))), ["CreateVm"], "{state:?}");
        situation.unheld_secret = None;
        assert_eq!(names(&situation.plan(minutes(60))), ["CreateVm"], "{state:?}");
    }
}

#[test]
fn a_new_process_says_nothing_of_a_hold_before_it_can_know() {
    let mut situation = Situation { class: Some(class()), ..Situation::of(unborn("m")) };
    situation.unheld_secret =
        Some(UnheldSecret { name: "cloud", field: "secretRef", state: SecretState::Unlisted });
    situation.trusted_since = at(minutes(60));
    let plan = situation.plan(minutes(60) + 1);
    assert_eq!((names(&plan), look_after(&plan)), (vec![], Some(9)));
}
