//! A count of machines that nobody wrote.

use millwright_admission::{Change, Decision, Kind, NoFacts, Request, review};
use serde_json::{Value, json};

use crate::ask::{request, rulebook, told};
use crate::objects::{deployment, set, with, without};

const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The count after a write, and the warnings.
fn after(kind: Kind, change: Change<'_>) -> (Value, Vec<String>) {
    after_by(None, kind, change)
}

/// The same where the writer says who he is.
fn after_by(field_manager: Option<&str>, kind: Kind, change: Change<'_>) -> (Value, Vec<String>) {
    let request = Request { field_manager, ..request(kind, change) };
    let Decision { patch, errors, warnings } = review(&request, &NoFacts, &rulebook());
    assert!(errors.is_empty(), "{errors:?}");
    let mut stored = change.new_object().unwrap().clone();
    if let Some(patch) = patch {
        json_patch::patch(&mut stored, &patch).unwrap();
    }
    (stored["spec"]["replicas"].clone(), told(&warnings))
}

fn sized(replicas: i64) -> Value {
    with(deployment(), "/spec/replicas", json!(replicas))
}

fn applied(object: Value, applied: &Value) -> Value {
    with(object, "/metadata/annotations", json!({APPLIED: applied.to_string()}))
}

fn managed(object: Value, manager: &str, fields: Value) -> Value {
    let entry = json!({"manager": manager, "operation": "Apply", "fieldsV1": {"f:spec": fields}});
    with(object, "/metadata/managedFields", json!([{"manager": "kubectl", "operation": "Update"}, entry]))
}

#[test]
fn a_new_object_without_a_count_has_none_and_says_so_to_autoscalers() {
    for (kind, object) in [(Kind::MachineDeployment, deployment()), (Kind::MachineSet, set())] {
        let bare = without(object.clone(), "/spec/replicas");
        let null = with(object, "/spec/replicas", json!(null));
        for new in [bare, null] {
            assert_eq!(after(kind, Change::Create { new: &new }), (json!(0), vec![]));
        }
    }
}

#[test]
fn an_empty_fleet_whose_writer_drops_the_zero_stays_empty() {
    let new = without(with(sized(0), "/spec/paused", json!(true)), "/spec/replicas");
    assert_eq!(
        after(Kind::MachineDeployment, Change::Update { old: &sized(0), new: &new }),
        (json!(0), vec![])
    );
}

#[test]
fn a_full_write_without_a_count_is_a_zero_as_clients_in_go_write_it_and_is_told() {
    let new = without(deployment(), "/spec/replicas");
    let (count, warnings) = after(Kind::MachineDeployment, Change::Update { old: &sized(3), new: &new });
    assert_eq!(count, 0);
    assert_eq!(
        warnings,
        [
            "spec.replicas: goes from 3 to 0: all machines are deleted. A count that is left out counts as 0 [replicas-to-zero]"
        ]
    );
}

#[test]
fn a_count_taken_out_of_an_applied_file_is_handed_over_and_the_fleet_stays() {
    let old = applied(sized(3), &json!({"spec": {"replicas": 3}}));
    let new = without(applied(sized(3), &json!({"spec": {}})), "/spec/replicas");
    let (count, warnings) = after(Kind::MachineDeployment, Change::Update { old: &old, new: &new });
    assert_eq!(count, 3);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("spec.replicas: is left out and stays 3"), "{warnings:?}");
}

#[test]
fn a_count_that_a_server_side_applier_lets_go_is_handed_over_too() {
    let old = managed(sized(3), "argocd", json!({"f:replicas": {}, "f:paused": {}}));
    let new = without(managed(sized(3), "argocd", json!({"f:paused": {}})), "/spec/replicas");
    let change = Change::Update { old: &old, new: &new };
    assert_eq!(after_by(Some("argocd"), Kind::MachineDeployment, change).0, 3);
    let someone_else = without(managed(sized(3), "flux", json!({"f:paused": {}})), "/spec/replicas");
    let change = Change::Update { old: &old, new: &someone_else };
    assert_eq!(after_by(Some("flux"), Kind::MachineDeployment, change).0, 0);
}

#[test]
fn an_autoscalers_zero_by_a_full_write_is_not_taken_for_the_appliers_wish() {
    // The API server takes the count from the applier's fields in both cases.
    let old = managed(sized(3), "argocd", json!({"f:replicas": {}, "f:paused": {}}));
    let new = without(managed(sized(3), "argocd", json!({"f:paused": {}})), "/spec/replicas");
    let change = Change::Update { old: &old, new: &new };
    for writer in [None, Some("cluster-autoscaler")] {
        assert_eq!(after_by(writer, Kind::MachineDeployment, change).0, 0);
    }
}

#[test]
fn a_deployment_that_empties_its_old_set_is_not_told_so_at_the_end_of_each_rollout() {
    let owner = json!([{"kind": "MachineDeployment", "name": "pool", "uid": "u", "controller": true}]);
    let old = with(set(), "/metadata/ownerReferences", owner);
    let new = without(old.clone(), "/spec/replicas");
    assert_eq!(after(Kind::MachineSet, Change::Update { old: &old, new: &new }), (json!(0), vec![]));
}

#[test]
fn an_applied_zero_is_a_zero() {
    let old = applied(sized(3), &json!({"spec": {"replicas": 3}}));
    let new = applied(sized(0), &json!({"spec": {"replicas": 0}}));
    assert_eq!(after(Kind::MachineDeployment, Change::Update { old: &old, new: &new }).0, 0);
    let dropped = without(new, "/spec/replicas");
    assert_eq!(after(Kind::MachineDeployment, Change::Update { old: &old, new: &dropped }).0, 0);
}

#[test]
fn a_file_that_never_named_a_count_leaves_the_autoscalers_alone() {
    let old = applied(sized(7), &json!({"spec": {}}));
    let new = with(old.clone(), "/spec/paused", json!(true));
    assert_eq!(after(Kind::MachineDeployment, Change::Update { old: &old, new: &new }), (json!(7), vec![]));
}
