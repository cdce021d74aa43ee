//! Updates of objects that were wrong before.

use millwright_admission::{Change, Kind, Verdict};
use millwright_provider::FieldErrorKind;
use serde_json::{Value, json};

use crate::ask::{created, lines, patch, request, updated};
use crate::objects::{class, deployment, machine, set, with, without};

#[test]
fn an_old_mistake_is_a_warning_and_a_new_one_is_an_error() {
    let old = with(without(set(), "/spec/selector"), "/spec/template/spec/healthTimeout", json!("soon"));
    let scaled = with(old.clone(), "/spec/replicas", json!(5));
    let verdict = updated(Kind::MachineSet, &old, &scaled);
    assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    assert_eq!(verdict.warnings.len(), 2);
    assert!(
        verdict.warnings[0].to_string().starts_with("spec.selector: must be set"),
        "{:?}",
        verdict.warnings
    );
    assert!(verdict.warnings[0].text.ends_with("(was so before)"), "{:?}", verdict.warnings);

    let worse = with(scaled, "/spec/template/spec/drainTimeout", json!("later"));
    let verdict = updated(Kind::MachineSet, &old, &worse);
    assert_eq!(lines(&verdict.errors).len(), 1);
    assert_eq!(verdict.errors[0].field, "spec.template.spec.drainTimeout");
    assert_eq!(verdict.warnings.len(), 2);
}

#[test]
fn one_wrong_value_does_not_excuse_another() {
    let old = with(machine(), "/spec/healthTimeout", json!("soon"));
    let new = with(machine(), "/spec/healthTimeout", json!("later"));
    assert_eq!(updated(Kind::Machine, &old, &new).errors.len(), 1);
}

#[test]
fn a_field_that_may_not_change_is_refused_and_one_that_always_was_wrong_is_not() {
    let old = with(class(), "/providerSpec/boot", json!({"mode": "kubelet"}));
    let new = with(class(), "/providerSpec/boot", json!({"mode": "direct"}));
    let verdict = updated(Kind::MachineClass, &old, &new);
    assert_eq!(verdict.errors.len(), 1);
    assert_eq!(verdict.errors[0].kind, FieldErrorKind::Forbidden);

    let old = with(class(), "/providerSpec/size", json!("giant"));
    let new = with(old.clone(), "/providerSpec/diskGiB", json!(50));
    assert!(updated(Kind::MachineClass, &old, &new).errors.is_empty());
}

#[test]
fn a_class_of_another_provider_has_no_old_state_to_compare_with() {
    let mut old = with(class(), "/provider", json!("AWS"));
    old["providerSpec"] = json!({"boot": {"mode": "elsewhere"}});
    assert!(updated(Kind::MachineClass, &old, &class()).errors.is_empty());
}

#[test]
fn metadata_only_updates_and_finalizer_removal_always_pass_unchanged() {
    let broken =
        json!({"metadata": {"name": "x", "finalizers": ["f"]}, "spec": {"replicas": "many"}, "status": {}});
    let released =
        json!({"metadata": {"name": "x"}, "spec": {"replicas": "many"}, "status": {"replicas": 1}});
    for kind in Kind::ALL {
        assert_eq!(updated(kind, &broken, &released), Verdict::default());
        assert_eq!(patch(&request(kind, Change::Update { old: &broken, new: &released })), None);
    }
    let bare = without(deployment(), "/spec/strategy");
    let labelled = with(bare.clone(), "/metadata/labels", json!({"a": "b"}));
    let change = Change::Update { old: &bare, new: &labelled };
    assert_eq!(patch(&request(Kind::MachineDeployment, change)), None);
}

#[test]
fn an_object_that_is_being_deleted_always_passes() {
    let old = with(set(), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    let new = with(old.clone(), "/spec", json!({"replicas": -5}));
    assert_eq!(updated(Kind::MachineSet, &old, &new), Verdict::default());
}

#[test]
fn a_deletion_time_that_the_user_made_up_excuses_nothing() {
    let old = set();
    let mut new = with(old.clone(), "/spec/replicas", json!(-5));
    new["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(updated(Kind::MachineSet, &old, &new).errors.len(), 1);
}

#[test]
fn whatever_the_old_object_holds_the_new_one_is_judged() {
    for old in [Value::Null, json!(7), json!([]), json!({"spec": "x"}), json!({"spec": {"selector": 1}})] {
        assert!(updated(Kind::MachineSet, &old, &set()).errors.is_empty(), "{old}");
        let bad = with(set(), "/spec/replicas", json!(-1));
        assert_eq!(updated(Kind::MachineSet, &old, &bad).errors.len(), 1, "{old}");
    }
}

#[test]
fn a_new_first_item_of_a_list_turns_no_old_mistake_into_a_new_one() {
    let bad = json!({"key": "a", "effect": "NoScheduled"});
    let taints = |taints: Value| with(machine(), "/spec/nodeTemplate", json!({"spec": {"taints": taints}}));
    let good = json!({"key": "b", "effect": "NoSchedule"});
    let old = taints(json!([bad]));
    let verdict = updated(Kind::Machine, &old, &taints(json!([good, bad])));
    assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    assert_eq!(verdict.warnings.len(), 1);
    // The same mistake once more is a new one.
    let twice = taints(json!([bad, {"key": "c", "effect": "NoScheduled"}]));
    assert_eq!(updated(Kind::Machine, &old, &twice).errors.len(), 1);
}

#[test]
fn an_annotation_is_judged_when_it_changes_and_never_again() {
    const WINDOW: &str = "machine.sapcloud.io/maintenance-window";
    let annotated = |window: &str, other: &str| {
        with(deployment(), "/metadata/annotations", json!({WINDOW: window, "other": other}))
    };
    let (old, new) = (annotated("saturdays", "a"), annotated("saturdays", "b"));
    assert_eq!(updated(Kind::MachineDeployment, &old, &new), Verdict::default());
    let worse = updated(Kind::MachineDeployment, &old, &annotated("sundays", "a"));
    assert_eq!(worse.errors.len(), 1);
    assert_eq!(worse.errors[0].rule.as_str(), "maintenance-window");
    assert_eq!(updated(Kind::MachineDeployment, &old, &deployment()), Verdict::default());
}

#[test]
fn what_a_controller_copies_is_told_and_not_refused() {
    const PRIORITY: &str = "machinepriority.machine.sapcloud.io";
    let owners =
        json!([{"apiVersion": "x", "kind": "MachineSet", "name": "s", "uid": "u", "controller": true}]);
    let made = with(machine(), "/metadata/annotations", json!({PRIORITY: "high"}));
    let made = with(
        with(made, "/metadata/ownerReferences", owners.clone()),
        "/metadata/name",
        json!("m".repeat(64)),
    );
    let verdict = created(Kind::Machine, &made);
    assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    assert_eq!(verdict.warnings.len(), 2);
    // A user's annotation on the machine is another matter.
    let calm = with(
        with(machine(), "/metadata/ownerReferences", owners.clone()),
        "/metadata/annotations",
        json!({}),
    );
    let annotated = with(calm.clone(), "/metadata/annotations", json!({PRIORITY: "high"}));
    assert_eq!(updated(Kind::Machine, &calm, &annotated).errors.len(), 1);
    // Sets get theirs from the deployment at any time.
    let owned = with(set(), "/metadata/ownerReferences", owners);
    let copied = with(
        owned.clone(),
        "/metadata/annotations",
        json!({"machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size": "x"}),
    );
    assert_eq!(updated(Kind::MachineSet, &owned, &copied).errors, []);
}

#[test]
fn a_hundred_thousand_mistakes_cost_no_more_than_a_thousand_and_old_ones_are_known_again() {
    let taints: Vec<Value> =
        (0..100_000).map(|number| json!({"key": "-", "effect": number.to_string()})).collect();
    let old = with(machine(), "/spec/nodeTemplate", json!({"spec": {"taints": taints}}));
    let verdict = created(Kind::Machine, &old);
    assert_eq!(verdict.errors.len(), 1000);
    let new = with(old.clone(), "/spec/healthTimeout", json!("5m"));
    let verdict = updated(Kind::Machine, &old, &new);
    assert_eq!((verdict.errors.len(), verdict.warnings.len()), (0, 1000));
}
