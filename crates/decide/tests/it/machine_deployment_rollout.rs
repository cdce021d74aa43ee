//! From old sets to the newest: what starts a rollout, and how each strategy carries it out.

use millwright_api::keys::{annotations, labels};
use millwright_api::{GoDuration, InPlaceUpdate, IntOrPercent};
use millwright_decide::deployment::DeploymentAction;

use crate::fixtures::deployment::{
    conditions, created, deployment, deployment_patches, facts, fenced, names, patches, planned, rolling,
    set_of, sizes, status, strategy, template, told,
};

#[test]
fn an_equal_template_starts_no_rollout() {
    let mut deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    deployment
        .spec
        .template
        .metadata
        .labels
        .get_or_insert_default()
        .insert(labels::TEMPLATE_HASH.into(), "7".into());
    assert_eq!(planned(&deployment, &[facts(&set, 3, 3)]).actions, []);
}

#[test]
fn what_rolls_nothing_goes_to_the_newest_set_without_a_new_one() {
    let mut deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    deployment.metadata.annotations.get_or_insert_default().insert("note".into(), "x".into());
    deployment.spec.template.spec.configuration.drain_timeout = Some(GoDuration("5m".into()));
    deployment.spec.min_ready_seconds = 9;
    let plan = planned(&deployment, &[facts(&set, 3, 3)]);
    assert_eq!(names(&plan), ["PatchSet"]);
    let patch = patches(&plan)[0];
    assert_eq!(patch.annotations, [("note".to_owned(), "x".to_owned())].into());
    assert_eq!((patch.replicas, patch.min_ready_seconds), (None, Some(9)));
    let new = patch.template.as_ref().unwrap();
    assert_eq!(new.spec.configuration, deployment.spec.template.spec.configuration);
    assert_eq!(new.metadata, set.spec.template.metadata, "the hash stays");
}

#[test]
fn every_observer_agrees_which_of_equal_sets_is_the_newest() {
    let deployment = deployment(3);
    let mut first = set_of(&deployment, "small", 1, 3, 3);
    first.metadata.name = Some("web-z".into());
    let mut second = set_of(&deployment, "small", 2, 0, 3);
    second.metadata.uid = Some("uid-second".into());
    second.metadata.annotations.get_or_insert_default().insert(annotations::REVISION.into(), "0".into());
    for sets in [[facts(&first, 3, 3), facts(&second, 0, 0)], [facts(&second, 0, 0), facts(&first, 3, 3)]] {
        let plan = planned(&deployment, &sets);
        assert_eq!((sizes(&plan), status(&plan).updated_replicas), (vec![], 3));
    }
}

#[test]
fn going_back_to_an_old_template_makes_its_set_the_newest_with_a_new_revision() {
    let mut deployment = deployment(3);
    deployment.metadata.annotations.get_or_insert_default().insert(annotations::REVISION.into(), "2".into());
    let back = set_of(&deployment, "small", 1, 0, 3);
    let current = set_of(&deployment, "large", 2, 3, 3);
    let plan = planned(&deployment, &[facts(&back, 0, 0), facts(&current, 3, 3)]);
    let patches = patches(&plan);
    let numbered: Vec<_> =
        patches.iter().filter(|patch| patch.annotations.contains_key(annotations::REVISION)).collect();
    assert_eq!((numbered.len(), numbered[0].name.as_str()), (1, "web-small"));
    assert_eq!(numbered[0].annotations[annotations::REVISION], "3");
    let [patch] = deployment_patches(&plan)[..] else { panic!("{plan:?}") };
    assert_eq!(patch.annotations, [(annotations::REVISION.to_owned(), Some("3".to_owned()))].into());
}

#[test]
fn a_rollout_grows_into_its_surge_and_shrinks_only_what_availability_allows() {
    struct Row {
        fences: (i32, i32),
        old: (i32, i32, i32),
        new: Option<(i32, i32, i32)>,
        sizes: &'static [&'static str],
        creates: Option<i32>,
    }
    // (spec, machines with those that are being deleted, available)
    let rows = [
        Row { fences: (1, 0), old: (3, 3, 3), new: None, sizes: &[], creates: Some(1) },
        Row { fences: (1, 0), old: (3, 3, 3), new: Some((1, 1, 0)), sizes: &[], creates: None },
        Row {
            fences: (1, 0),
            old: (3, 3, 3),
            new: Some((1, 1, 1)),
            sizes: &["web-small 3 -> 2"],
            creates: None,
        },
        // A machine that is being deleted still takes its room.
        Row { fences: (1, 0), old: (2, 3, 2), new: Some((1, 1, 1)), sizes: &[], creates: None },
        Row {
            fences: (1, 0),
            old: (2, 2, 2),
            new: Some((1, 1, 1)),
            sizes: &["web-large 1 -> 2"],
            creates: None,
        },
        Row { fences: (1, 0), old: (0, 0, 0), new: Some((3, 3, 3)), sizes: &[], creates: None },
        // Without surge the old ones go first.
        Row { fences: (0, 1), old: (3, 3, 3), new: None, sizes: &[], creates: Some(0) },
        Row {
            fences: (0, 1),
            old: (3, 3, 3),
            new: Some((0, 0, 0)),
            sizes: &["web-small 3 -> 2"],
            creates: None,
        },
        Row { fences: (0, 1), old: (2, 3, 2), new: Some((0, 0, 0)), sizes: &[], creates: None },
        Row {
            fences: (0, 1),
            old: (2, 2, 2),
            new: Some((0, 0, 0)),
            sizes: &["web-large 0 -> 1"],
            creates: None,
        },
        // What is broken anyway goes at once.
        Row {
            fences: (1, 0),
            old: (3, 3, 1),
            new: Some((1, 1, 1)),
            sizes: &["web-small 3 -> 2"],
            creates: None,
        },
        Row { fences: (3, 0), old: (3, 3, 0), new: Some((3, 3, 0)), sizes: &[], creates: None },
        Row {
            fences: (1, 2),
            old: (3, 3, 3),
            new: Some((1, 1, 0)),
            sizes: &["web-small 3 -> 1"],
            creates: None,
        },
    ];
    for row in rows {
        let (deployment, mut old) = rolling(3);
        let deployment = fenced(deployment, row.fences.0, row.fences.1);
        old.spec.replicas = row.old.0;
        let new = row.new.map(|(spec, _, _)| set_of(&deployment, "large", 2, spec, 3));
        let mut sets = vec![facts(&old, row.old.1, row.old.2)];
        if let (Some(set), Some((_, machines, available))) = (&new, row.new) {
            sets.push(facts(set, machines, available));
        }
        let plan = planned(&deployment, &sets);
        let what = format!("surge {:?}, old {:?}, new {:?}", row.fences, row.old, row.new);
        assert_eq!(sizes(&plan), row.sizes, "{what}");
        assert_eq!(created(&plan).map(|set| set.spec.replicas), row.creates, "{what}");
    }
}

#[test]
fn a_machine_that_was_already_given_up_never_counts_as_available_twice() {
    // Old set a was just lowered from 2 to 1 and has not deleted its machine yet; b has one that boots.
    let mut deployment = fenced(deployment(3), 1, 0);
    deployment.spec.template = template("large");
    let a = set_of(&deployment, "a", 1, 1, 3);
    let b = set_of(&deployment, "b", 2, 2, 3);
    let new = set_of(&deployment, "large", 3, 1, 3);
    let plan = planned(&deployment, &[facts(&a, 2, 2), facts(&b, 2, 1), facts(&new, 1, 1)]);
    assert_eq!(sizes(&plan), ["web-b 2 -> 1"]);
}

#[test]
fn a_rollout_that_emptied_every_set_still_waits_for_the_room_of_its_vms() {
    let deployment = fenced(deployment(3), 0, 3);
    let old = set_of(&deployment, "large", 1, 0, 3);
    let back = set_of(&deployment, "small", 2, 0, 3);
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 1, 0), facts(&back, 1, 0)])), ["web-small 0 -> 1"]);
}

#[test]
fn recreate_waits_until_the_last_old_vm_is_gone() {
    let (deployment, mut old) = rolling(3);
    let deployment = strategy(deployment, "Recreate");
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    assert_eq!(sizes(&plan), ["web-small 3 -> 0"]);
    assert!(created(&plan).is_none());
    old.spec.replicas = 0;
    let plan = planned(&deployment, &[facts(&old, 1, 0)]);
    assert_eq!((sizes(&plan), created(&plan)), (vec![], None));
    assert_eq!(created(&planned(&deployment, &[facts(&old, 0, 0)])).unwrap().spec.replicas, 3);
}

#[test]
fn recreate_never_starts_machines_of_a_known_set_beside_old_ones_that_are_still_there() {
    let (deployment, mut old) = rolling(3);
    let mut deployment = strategy(deployment, "Recreate");
    let back = set_of(&deployment, "large", 2, 0, 3);
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 3), facts(&back, 0, 0)])), ["web-small 3 -> 0"]);
    old.spec.replicas = 0;
    for paused in [false, true] {
        deployment.spec.paused = paused;
        let plan = planned(&deployment, &[facts(&old, 3, 0), facts(&back, 0, 0)]);
        assert_eq!(sizes(&plan), [""; 0], "paused: {paused}");
        let plan = planned(&deployment, &[facts(&old, 0, 0), facts(&back, 0, 0)]);
        assert_eq!(sizes(&plan), ["web-large 0 -> 3"], "paused: {paused}");
    }
}

#[test]
fn recreate_under_a_new_scale_makes_no_more_machines_of_the_old_template() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.replicas = 5;
    let mut deployment = strategy(deployment, "Recreate");
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 3)])), ["web-small 3 -> 0"]);
    deployment.spec.paused = true;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 3)])), ["web-small 3 -> 5"]);
}

#[test]
fn recreate_has_no_surge_and_wants_every_machine() {
    let deployment = strategy(deployment(3), "Recreate");
    let plan = planned(&deployment, &[]);
    assert_eq!(
        created(&plan).unwrap().metadata.annotations.as_ref().unwrap()[annotations::MAX_REPLICAS],
        "3"
    );
    let set = set_of(&deployment, "small", 1, 3, 3);
    for (available, want) in [(3, "True"), (2, "False")] {
        let plan = planned(&deployment, &[facts(&set, 3, available)]);
        assert_eq!(status(&plan).conditions[0].status, want);
    }
}

#[test]
fn a_paused_deployment_scales_and_rolls_nothing() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.paused = true;
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(
        conditions(status(&plan)),
        ["Available True MinimumReplicasAvailable", "Progressing Unknown DeploymentPaused"]
    );
    deployment = told(deployment, &[facts(&old, 3, 3)], 0);
    assert_eq!(planned(&deployment, &[facts(&old, 3, 3)]).actions, []);
    deployment.spec.replicas = 5;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 3)])), ["web-small 3 -> 5"]);
    deployment.spec.replicas = 3;
    deployment.spec.paused = false;
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    assert_eq!(created(&plan).unwrap().spec.replicas, 1);
    assert_eq!(conditions(status(&plan))[1], "Progressing Unknown DeploymentResumed");
}

#[test]
fn a_rollout_is_not_complete_while_an_old_vm_lingers() {
    let (deployment, mut old) = rolling(3);
    old.spec.replicas = 0;
    let new = set_of(&deployment, "large", 2, 3, 3);
    let plan = planned(&deployment, &[facts(&old, 1, 0), facts(&new, 3, 3)]);
    assert_ne!(conditions(status(&plan))[1], "Progressing True NewMachineSetAvailable");
}

#[test]
fn an_unknown_strategy_is_refused_aloud_and_touches_nothing() {
    let (deployment, old) = rolling(3);
    let deployment = strategy(deployment, "BlueGreen");
    let known = set_of(&deployment, "large", 2, 0, 3);
    let warning = DeploymentAction::WarnStrategy { strategy: "BlueGreen".into() };
    for sets in [vec![facts(&old, 3, 3)], vec![facts(&old, 3, 3), facts(&known, 0, 0)]] {
        let deployment = told(deployment.clone(), &sets, 0);
        let plan = planned(&deployment, &sets);
        assert!(plan.actions.contains(&warning), "{plan:?}");
        assert_eq!((sizes(&plan), created(&plan)), (vec![], None));
    }
}

#[test]
fn an_in_place_deployment_that_has_nothing_to_update_is_made_scaled_and_at_rest() {
    let mut deployment = strategy(deployment(3), "InPlaceUpdate");
    deployment.spec.strategy.in_place_update = Some(InPlaceUpdate {
        max_surge: Some(IntOrPercent::Int(2)),
        max_unavailable: Some(IntOrPercent::Int(1)),
        orchestration_type: "Auto".into(),
    });
    let plan = planned(&deployment, &[]);
    let set = created(&plan).unwrap();
    assert_eq!(set.spec.replicas, 3);
    assert_eq!(set.metadata.annotations.as_ref().unwrap()[annotations::MAX_REPLICAS], "5");
    let mut set = set_of(&deployment, "small", 1, 3, 3);
    set.metadata.annotations.get_or_insert_default().insert(annotations::MAX_REPLICAS.into(), "5".into());
    let deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    assert_eq!(planned(&deployment, &[facts(&set, 3, 3)]).actions, []);
    set.spec.replicas = 2;
    set.metadata.annotations.get_or_insert_default().insert(annotations::DESIRED_REPLICAS.into(), "2".into());
    assert_eq!(sizes(&planned(&deployment, &[facts(&set, 2, 2)])), ["web-small 2 -> 3"]);
}
