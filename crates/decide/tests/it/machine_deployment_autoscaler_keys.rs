//! What the upstream autoscaler reads on a deployment and its sets.

use std::collections::BTreeMap;

use millwright_api::keys::annotations::{
    CLUSTER_API_MAX_SIZE, CLUSTER_API_MIN_SIZE, CLUSTER_API_PAUSED, CLUSTER_API_REVISION, DERIVED_CAPACITY,
    REVISION,
};
use millwright_api::keys::labels::CLUSTER_API_DEPLOYMENT_NAME;
use millwright_api::{ClassNodeTemplate, MachineClass, MachineDeployment, ObjectView, Quantity, RollbackTo};
use millwright_decide::deployment::{DeploymentPlan, Lock};

use crate::fixtures::deployment::{
    created, deployment, deployment_patches, facts, patched, patches, planned, planned_with_class, rolling,
    set_of,
};
use crate::fixtures::node::taint;

const CPU: &str = "capacity.cluster-autoscaler.kubernetes.io/cpu";
const MEMORY: &str = "capacity.cluster-autoscaler.kubernetes.io/memory";

fn annotated(mut deployment: MachineDeployment, pairs: &[(&str, &str)]) -> MachineDeployment {
    let map = deployment.metadata.annotations.get_or_insert_default();
    map.extend(pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
    deployment
}

fn group(replicas: i32) -> MachineDeployment {
    annotated(deployment(replicas), &[(CLUSTER_API_MIN_SIZE, "0"), (CLUSTER_API_MAX_SIZE, "5")])
}

fn class(capacity: &[(&str, &str)]) -> MachineClass {
    let mut class = MachineClass::default();
    class.metadata.name = Some("small".into());
    let capacity = capacity.iter().map(|&(key, value)| (key.to_owned(), Quantity(value.into()))).collect();
    class.node_template = Some(ClassNodeTemplate { capacity, ..ClassNodeTemplate::default() });
    class
}

fn written(plan: &DeploymentPlan) -> BTreeMap<String, Option<String>> {
    deployment_patches(plan).into_iter().flat_map(|patch| patch.annotations.clone()).collect()
}

/// What a deployment comes to when nothing else happens to it; the second plan must have nothing to add.
fn settled(deployment: MachineDeployment, class: &MachineClass) -> MachineDeployment {
    let set = set_of(&deployment, "small", 1, deployment.spec.replicas, deployment.spec.replicas);
    let facts = [facts(&set, deployment.spec.replicas, deployment.spec.replicas)];
    let deployment = patched(deployment.clone(), &planned_with_class(&deployment, &facts, class));
    let again = planned_with_class(&deployment, &facts, class);
    assert_eq!(written(&again), BTreeMap::new(), "a second plan must find nothing to write");
    deployment
}

#[test]
fn a_new_set_tells_its_deployment_and_its_revision() {
    let (deployment, old) = rolling(3);
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    let set = created(&plan).unwrap();
    assert_eq!(set.label(CLUSTER_API_DEPLOYMENT_NAME), Some("web"));
    assert_eq!(set.annotation(CLUSTER_API_REVISION), Some("2"));
    assert_eq!(set.annotation(REVISION), Some("2"));
    let template = set.spec.template.metadata.labels.as_ref().unwrap();
    assert!(!template.contains_key(CLUSTER_API_DEPLOYMENT_NAME), "it would be a new template");
}

#[test]
fn a_set_tells_neither_where_the_name_is_too_long_for_a_label() {
    let (mut deployment, mut old) = rolling(3);
    deployment.metadata.name = Some("w".repeat(64));
    old.metadata.owner_references = Some(vec![millwright_api::controller_reference(&deployment)]);
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    let set = created(&plan).unwrap();
    assert_eq!(set.label(CLUSTER_API_DEPLOYMENT_NAME), None);
    assert_eq!(set.annotation(CLUSTER_API_REVISION), None);
}

#[test]
fn sets_that_another_controller_made_get_both_keys_once_somebody_scales_the_group() {
    let plain = deployment(3);
    let old = set_of(&plain, "small", 1, 3, 3);
    let on_sets = |deployment: &MachineDeployment| -> Vec<(String, Option<String>, Option<String>)> {
        let plan = planned(deployment, &[facts(&old, 3, 3)]);
        patches(&plan)
            .into_iter()
            .filter(|patch| !patch.annotations.contains_key(CLUSTER_API_MIN_SIZE))
            .map(|patch| {
                let label = patch.labels.get(CLUSTER_API_DEPLOYMENT_NAME).cloned().flatten();
                (patch.name.clone(), label, patch.annotations.get(CLUSTER_API_REVISION).cloned())
            })
            .collect()
    };
    assert_eq!(on_sets(&plain), [], "a takeover writes nothing that nobody reads");
    let expected = ("web-small".to_owned(), Some("web".to_owned()), Some("1".to_owned()));
    assert_eq!(on_sets(&group(3)), [expected]);
    // In the middle of a rollout: the old set must count as old.
    let mut rolling = group(3);
    rolling.spec.template.spec.class.name = "large".into();
    let mut newest = set_of(&rolling, "large", 2, 1, 3);
    newest.metadata.labels.get_or_insert_default().insert(CLUSTER_API_DEPLOYMENT_NAME.into(), "web".into());
    newest.metadata.annotations.get_or_insert_default().insert(CLUSTER_API_REVISION.into(), "2".into());
    let plan = planned(&rolling, &[facts(&old, 3, 3), facts(&newest, 1, 0)]);
    let keyed: Vec<&str> = patches(&plan)
        .into_iter()
        .filter(|patch| patch.labels.contains_key(CLUSTER_API_DEPLOYMENT_NAME))
        .map(|patch| patch.name.as_str())
        .collect();
    assert_eq!(keyed, ["web-small"]);
}

#[test]
fn a_set_that_gets_another_revision_tells_that_one() {
    let plain = deployment(3);
    let mut set = set_of(&plain, "small", 4, 3, 3);
    set.metadata.labels.get_or_insert_default().insert(CLUSTER_API_DEPLOYMENT_NAME.into(), "web".into());
    set.metadata.annotations.get_or_insert_default().insert(CLUSTER_API_REVISION.into(), "1".into());
    let plan = planned(&plain, &[facts(&set, 3, 3)]);
    assert_eq!(patches(&plan)[0].annotations.get(CLUSTER_API_REVISION).map(String::as_str), Some("4"));
    assert!(patches(&plan)[0].labels.is_empty());
}

#[test]
fn the_revision_that_a_set_tells_is_its_own_whatever_stands_on_the_deployment() {
    let stray = annotated(deployment(3), &[(CLUSTER_API_REVISION, "9")]);
    let mut set = set_of(&stray, "small", 1, 3, 3);
    set.metadata.labels.get_or_insert_default().insert(CLUSTER_API_DEPLOYMENT_NAME.into(), "web".into());
    set.metadata.annotations.get_or_insert_default().insert(CLUSTER_API_REVISION.into(), "1".into());
    let plan = planned(&stray, &[facts(&set, 3, 3)]);
    assert!(patches(&plan).iter().all(|patch| !patch.annotations.contains_key(CLUSTER_API_REVISION)));
}

#[test]
fn going_back_to_a_set_does_not_bring_its_keys_onto_the_deployment() {
    let (mut back, mut old) = rolling(3);
    back.spec.rollback_to = Some(RollbackTo { revision: 1 });
    old.metadata
        .annotations
        .get_or_insert_default()
        .extend([(CLUSTER_API_REVISION.to_owned(), "1".to_owned()), ("note".to_owned(), "x".to_owned())]);
    let newest = set_of(&back, "large", 2, 0, 3);
    let written = written(&planned(&back, &[facts(&old, 3, 3), facts(&newest, 0, 0)]));
    assert_eq!(written.get("note"), Some(&Some("x".to_owned())), "it goes back: {written:?}");
    assert_eq!(written.get(CLUSTER_API_REVISION), None);
}

#[test]
fn a_paused_group_is_hidden_and_what_a_user_has_hidden_stays_so() {
    let any = class(&[]);
    let paused = |mut deployment: MachineDeployment, paused| {
        deployment.spec.paused = paused;
        deployment
    };
    let found = |deployment: &MachineDeployment| deployment.annotation(CLUSTER_API_PAUSED).map(str::to_owned);
    let hidden = settled(paused(group(3), true), &any);
    assert_eq!(found(&hidden).as_deref(), Some("spec.paused"));
    assert_eq!(found(&settled(paused(hidden, false), &any)), None);
    let by_hand = annotated(group(3), &[(CLUSTER_API_PAUSED, "")]);
    for is_paused in [true, false] {
        let kept = settled(paused(by_hand.clone(), is_paused), &any);
        assert_eq!(found(&kept).as_deref(), Some(""), "paused {is_paused}");
    }
    assert_eq!(found(&settled(paused(deployment(3), true), &any)), None, "nobody looks at it");
}

#[test]
fn a_group_offers_what_its_class_and_template_say() {
    let mut class = class(&[
        ("cpu", "4"),
        ("memory", "16Gi"),
        ("gpu", "2"),
        ("ephemeral-storage", "50Gi"),
        ("pods", "220"),
    ]);
    let of_class = class.node_template.as_mut().unwrap();
    of_class.architecture = Some("arm64".into());
    of_class.instance_type = "m5.large".into();
    of_class.region = "local".into();
    of_class.zone = "local-a".into();
    let mut deployment = group(0);
    let template = &mut deployment.spec.template.spec.node_template;
    template.metadata.labels = Some([("tier".to_owned(), "gold".to_owned())].into());
    template.spec.taints = Some(vec![taint("dedicated", "gold"), taint("bare", "")]);
    let deployment = settled(deployment, &class);
    let capacity: Vec<String> = deployment
        .metadata
        .annotations
        .iter()
        .flatten()
        .filter_map(|(key, value)| {
            Some(format!("{} {value}", key.strip_prefix("capacity.cluster-autoscaler.kubernetes.io/")?))
        })
        .collect();
    let expected = [
        "cpu 4",
        "ephemeral-disk 50Gi",
        "gpu-count 2",
        "gpu-type nvidia.com/gpu",
        "labels kubernetes.io/arch=arm64,node.kubernetes.io/instance-type=m5.large,tier=gold,\
         topology.kubernetes.io/region=local,topology.kubernetes.io/zone=local-a",
        "maxPods 220",
        "memory 16Gi",
        "taints dedicated=gold:NoSchedule,bare:NoSchedule",
    ];
    assert_eq!(capacity, expected);
}

#[test]
fn what_would_be_unreadable_to_an_autoscaler_is_left_out() {
    for (capacity, expected) in [
        (&[("cpu", "4")][..], &[][..]),
        (&[("memory", "1Gi")], &[]),
        (&[("cpu", "4"), ("memory", "1Gi"), ("gpu", "0")], &["cpu", "memory"]),
        (&[("cpu", "4"), ("memory", "1Gi"), ("gpu", "many"), ("pods", "1k")], &["cpu", "memory"]),
    ] {
        let deployment = settled(group(3), &class(capacity));
        let recorded: BTreeMap<String, String> = deployment
            .annotation(DERIVED_CAPACITY)
            .map(|json| serde_json::from_str(json).unwrap())
            .unwrap_or_default();
        assert_eq!(recorded.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{capacity:?}");
    }
}

#[test]
fn only_a_group_with_a_smallest_size_offers_anything() {
    let class = class(&[("cpu", "4"), ("memory", "16Gi")]);
    assert_eq!(settled(deployment(3), &class).annotation(CPU), None);
    let mut former = settled(group(3), &class);
    assert_eq!(former.annotation(CPU), Some("4"));
    former.metadata.annotations.get_or_insert_default().remove(CLUSTER_API_MIN_SIZE);
    let former = settled(former, &class);
    assert_eq!((former.annotation(CPU), former.annotation(DERIVED_CAPACITY)), (None, None));
}

#[test]
fn what_a_user_wrote_is_never_overwritten_and_what_we_wrote_follows_the_class() {
    let given = annotated(group(3), &[(CPU, "8")]);
    let deployment = settled(given, &class(&[("cpu", "4"), ("memory", "16Gi")]));
    assert_eq!((deployment.annotation(CPU), deployment.annotation(MEMORY)), (Some("8"), Some("16Gi")));
    let larger = class(&[("cpu", "6"), ("memory", "32Gi")]);
    let deployment = settled(deployment, &larger);
    assert_eq!((deployment.annotation(CPU), deployment.annotation(MEMORY)), (Some("8"), Some("32Gi")));
    // Changed by hand, it is the user's from then on, even where the class changes to what we once wrote.
    let deployment = settled(annotated(deployment, &[(MEMORY, "20Gi")]), &larger);
    let deployment = settled(deployment, &class(&[("cpu", "6"), ("memory", "16Gi")]));
    assert_eq!(deployment.annotation(MEMORY), Some("20Gi"));
    assert_eq!(deployment.annotation(DERIVED_CAPACITY), None, "nothing of it is ours");
}

#[test]
fn the_same_value_by_a_users_hand_stays_the_users() {
    let given = annotated(group(3), &[(CPU, "4")]);
    let deployment = settled(given, &class(&[("cpu", "4"), ("memory", "16Gi")]));
    let deployment = settled(deployment, &class(&[("cpu", "6"), ("memory", "16Gi")]));
    assert_eq!(deployment.annotation(CPU), Some("4"));
}

#[test]
fn a_class_that_is_only_missing_takes_nothing_away() {
    let deployment = settled(group(3), &class(&[("cpu", "4"), ("memory", "16Gi")]));
    let set = set_of(&deployment, "small", 1, 3, 3);
    assert_eq!(written(&planned(&deployment, &[facts(&set, 3, 3)])), BTreeMap::new());
}

#[test]
fn annotations_of_users_are_read_and_written_under_a_lock() {
    let deployment = group(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let plan =
        planned_with_class(&deployment, &[facts(&set, 3, 3)], &class(&[("cpu", "4"), ("memory", "16Gi")]));
    assert_eq!(deployment_patches(&plan)[0].lock, Lock::Version);
}

#[test]
fn none_of_these_goes_down_to_a_set_or_rolls_anything() {
    let deployment = settled(group(3), &class(&[("cpu", "4"), ("memory", "16Gi")]));
    let mut deployment = annotated(deployment, &[(CLUSTER_API_PAUSED, "spec.paused")]);
    deployment.spec.template.spec.class.name = "large".into();
    let old = set_of(&deployment, "small", 1, 3, 3);
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    let set = created(&plan).unwrap();
    for key in [CPU, MEMORY, DERIVED_CAPACITY, CLUSTER_API_PAUSED] {
        assert_eq!(set.annotation(key), None, "{key}");
    }
    assert_eq!(set.annotation(CLUSTER_API_MAX_SIZE), Some("5"), "others are handed down as ever");
}
