//! What a change would do, told before it is made.

use std::sync::Arc;
use std::time::Instant;

use millwright_api::keys::annotations;
use millwright_api::{
    GoDuration, InPlaceUpdate, IntOrPercent, Machine, MachineDeployment, MachinePhase, MachineSet,
    ObjectView, RollingUpdate,
};
use millwright_decide::RolloutSettings;
use millwright_decide::preview::{Bound, Change, End, MachineCount, Preview, Reach, Stillness, preview};
use proptest::prelude::*;

use crate::fixtures::deployment::{deployment, fenced, set_of, strategy, template};
use crate::fixtures::machine::{born, deleting, labelled, owned};
use crate::fixtures::time::at;

/// A deployment that is complete, with machines `small-0`, `small-1`, …
struct Fleet {
    deployment: MachineDeployment,
    sets: Vec<MachineSet>,
    machines: Vec<Machine>,
}

impl Fleet {
    fn of(deployment: MachineDeployment) -> Self {
        let mut fleet = Self { sets: Vec::new(), machines: Vec::new(), deployment };
        let replicas = fleet.deployment.spec.replicas;
        fleet.add("small", 1, replicas, MachinePhase::Running);
        fleet
    }

    /// Another set whose machines are all in that phase.
    fn add(&mut self, class: &str, revision: i64, replicas: i32, phase: MachinePhase) {
        let set = set_of(&self.deployment, class, revision, replicas, self.deployment.spec.replicas);
        for number in 0..replicas {
            let machine = owned(born(&format!("{class}-{number}"), phase.clone()), set.uid());
            let labels = set.spec.template.metadata.labels.iter().flatten();
            let mut machine = labels.fold(machine, |machine, (key, value)| labelled(machine, key, value));
            machine.spec.class = set.spec.template.spec.class.clone();
            self.machines.push(machine);
        }
        self.sets.push(set);
    }

    fn preview_within(&self, after: &MachineDeployment, steps: usize) -> Preview {
        let change = Change {
            before: Some(&self.deployment),
            after,
            class: None,
            sets: self.sets.iter().cloned().map(Arc::new).collect(),
            machines: self.machines.iter().cloned().map(Arc::new).collect(),
            nodes: Vec::new(),
            settings: &RolloutSettings::default(),
            now: at(100),
        };
        let preview = preview(&change, Bound { steps });
        for line in preview.summary() {
            assert!(line.chars().count() < 256, "{line}");
        }
        preview
    }

    /// What happens when the deployment becomes what `edit` makes of it.
    fn preview(&self, edit: impl FnOnce(&mut MachineDeployment)) -> Preview {
        let mut after = self.deployment.clone();
        edit(&mut after);
        self.preview_within(&after, Bound::default().steps)
    }
}

fn large(deployment: &mut MachineDeployment) {
    deployment.spec.template = template("large");
}

fn shares(mut deployment: MachineDeployment, surge: &str, unavailable: &str) -> MachineDeployment {
    deployment.spec.strategy.rolling_update = Some(RollingUpdate {
        max_surge: Some(IntOrPercent::Text(surge.into())),
        max_unavailable: Some(IntOrPercent::Text(unavailable.into())),
    });
    deployment
}

fn count(class: &str, count: usize) -> MachineCount {
    MachineCount { class: class.into(), count }
}

#[test]
fn a_change_of_nothing_does_nothing_and_says_nothing() {
    let preview = Fleet::of(deployment(3)).preview(|_| {});
    assert_eq!((preview.kept, preview.steps.len(), &preview.end), (3, 0, &End::Rest));
    assert_eq!((preview.summary(), preview.changes), (vec![], vec![]));
}

#[test]
fn another_class_replaces_every_machine_inside_the_fences() {
    let preview = Fleet::of(deployment(3)).preview(large);
    assert_eq!(preview.replaced, [count("small", 3)]);
    assert_eq!(preview.created, [count("large", 3)]);
    assert_eq!((preview.kept, preview.deleted.len()), (0, 0));
    assert_eq!((preview.most_machines, preview.fewest_available, preview.most_unavailable), (4, 3, 0));
    assert_eq!((&preview.end, &preview.stillness), (&End::Rest, &None));
    let deleted: Vec<&String> = preview.steps.iter().flat_map(|step| &step.deleted).collect();
    assert_eq!(deleted, ["small-0", "small-1", "small-2"]);
    assert_eq!(
        preview.summary(),
        [
            "This change replaces 3 machines (3 of class small) in 6 steps, 0 kept; at most 4 machines at a time, no node \
          is missing in between."
        ]
    );
}

#[test]
fn quarters_say_how_many_nodes_are_missing_at_most() {
    let preview = Fleet::of(shares(deployment(10), "25%", "25%")).preview(large);
    assert_eq!((preview.most_machines, preview.fewest_available, preview.most_unavailable), (13, 8, 2));
    assert!(
        preview.summary()[0].contains("at most 2 nodes are missing at a time"),
        "{:?}",
        preview.summary()
    );
}

#[test]
fn recreate_has_a_moment_without_any_node() {
    let preview = Fleet::of(strategy(deployment(3), "Recreate")).preview(large);
    assert_eq!((preview.most_machines, preview.most_unavailable, preview.steps.len()), (3, 3, 2));
}

#[test]
fn a_field_that_rolls_nothing_is_written_to_the_machines_and_named() {
    let preview = Fleet::of(deployment(3)).preview(|deployment| {
        deployment.spec.template.spec.configuration.drain_timeout = Some(GoDuration("5m".into()));
    });
    assert_eq!((preview.rewritten, preview.kept, preview.replaced.len()), (3, 3, 0));
    assert_eq!(preview.changes[0].reach, Reach::Machines);
    assert_eq!(
        preview.summary(),
        ["spec.template.spec.drainTimeout: written to 3 machines without replacing any."]
    );
}

#[test]
fn how_to_roll_touches_no_machine() {
    let preview = Fleet::of(deployment(3)).preview(|deployment| {
        *deployment = fenced(deployment.clone(), 2, 1);
        deployment.spec.progress_deadline_seconds = Some(60);
    });
    assert!(preview.changes.iter().all(|field| field.reach == Reach::Conduct), "{:?}", preview.changes);
    assert_eq!((preview.changes.len(), preview.steps.len(), preview.summary().len()), (2, 0, 0));
}

#[test]
fn scaling_says_how_many_come_and_which_go() {
    let fleet = Fleet::of(deployment(3));
    let grown = fleet.preview(|deployment| deployment.spec.replicas = 5);
    assert_eq!((&grown.created[..], grown.kept, grown.most_unavailable), (&[count("small", 2)][..], 3, 0));
    assert!(
        grown.summary()[0].starts_with("This change creates 2 machines in 1 step"),
        "{:?}",
        grown.summary()
    );
    let shrunk = fleet.preview(|deployment| deployment.spec.replicas = 1);
    assert_eq!((&shrunk.deleted[..], shrunk.kept, shrunk.most_unavailable), (&[count("small", 2)][..], 1, 0));
    assert_eq!(shrunk.steps[0].deleted, ["small-0", "small-1"]);
}

#[test]
fn another_class_and_another_size_at_once_tell_successors_from_others() {
    let fleet = Fleet::of(deployment(3));
    let grown = fleet.preview(|deployment| {
        large(deployment);
        deployment.spec.replicas = 5;
    });
    assert_eq!((&grown.replaced[..], MachineCount::sum(&grown.created)), (&[count("small", 3)][..], 5));
    let shrunk = fleet.preview(|deployment| {
        large(deployment);
        deployment.spec.replicas = 1;
    });
    assert_eq!(
        (&shrunk.replaced[..], &shrunk.deleted[..]),
        (&[count("small", 1)][..], &[count("small", 2)][..])
    );
}

#[test]
fn a_new_deployment_creates_its_machines() {
    let mut after = deployment(3);
    after.metadata.uid = None;
    after.metadata.finalizers = None;
    let settings = RolloutSettings::default();
    let change = Change {
        before: None,
        after: &after,
        class: None,
        sets: Vec::new(),
        machines: Vec::new(),
        nodes: Vec::new(),
        settings: &settings,
        now: at(0),
    };
    let preview = preview(&change, Bound::default());
    assert_eq!(
        (&preview.created[..], preview.steps.len(), preview.most_unavailable),
        (&[count("small", 3)][..], 1, 0)
    );
}

fn in_place(mut deployment: MachineDeployment, orchestration: &str) -> MachineDeployment {
    deployment = strategy(deployment, "InPlaceUpdate");
    deployment.spec.strategy.in_place_update = Some(InPlaceUpdate {
        max_surge: Some(IntOrPercent::Int(0)),
        max_unavailable: Some(IntOrPercent::Int(1)),
        orchestration_type: orchestration.into(),
    });
    deployment
}

#[test]
fn an_update_in_place_replaces_nothing_and_says_how_many_nodes_are_drained_at_a_time() {
    let preview = Fleet::of(in_place(deployment(3), "Auto")).preview(large);
    assert_eq!(
        (&preview.updated_in_place[..], preview.created.len()),
        (&[count("small", 3)][..], 0),
        "{preview:#?}"
    );
    assert_eq!((preview.kept, preview.most_machines, preview.most_unavailable), (0, 3, 1));
    assert_eq!((&preview.end, &preview.stillness), (&End::Rest, &None));
    assert!(preview.summary()[0].starts_with("This change updates 3 machines"), "{:?}", preview.summary());
}

#[test]
fn a_manual_update_in_place_waits_for_somebody_to_choose() {
    let preview = Fleet::of(in_place(deployment(3), "Manual")).preview(large);
    assert_eq!((preview.kept, preview.stillness), (3, Some(Stillness::ChoiceOfNodes)));
}

#[test]
fn a_window_that_is_closed_is_waited_for_and_named() {
    let preview = Fleet::of(deployment(2)).preview(|deployment| {
        large(deployment);
        let windows = deployment.metadata.annotations.get_or_insert_default();
        windows.insert(annotations::MAINTENANCE_WINDOW.into(), "0 22 * * * for 2h in UTC".into());
    });
    assert!(preview.held.is_some(), "{preview:#?}");
    assert_eq!((MachineCount::sum(&preview.replaced), &preview.end), (2, &End::Rest));
    assert!(preview.summary()[1].starts_with("It waits first: "), "{:?}", preview.summary());
}

#[test]
fn a_deletion_deletes_every_machine() {
    let preview = Fleet::of(deployment(3)).preview(|deployment| {
        deployment.metadata.deletion_timestamp = crate::fixtures::time::time(50);
    });
    assert_eq!((&preview.deleted[..], preview.kept, &preview.end), (&[count("small", 3)][..], 0, &End::Rest));
    assert_eq!(preview.stillness, None);
}

#[test]
fn what_keeps_a_rollout_from_going_on_is_said() {
    let fleet = Fleet::of(deployment(3));
    let paused = fleet.preview(|deployment| {
        large(deployment);
        deployment.spec.paused = true;
    });
    assert_eq!((paused.stillness, paused.kept), (Some(Stillness::Paused), 3));
    let unknown = fleet.preview(|deployment| {
        large(deployment);
        deployment.spec.strategy.type_ = "BlueGreen".into();
    });
    assert_eq!(unknown.stillness, Some(Stillness::UnknownStrategy { strategy: "BlueGreen".into() }));
    let unusable = fleet.preview(|deployment| {
        large(deployment);
        deployment.spec.template.metadata.labels = None;
    });
    assert!(matches!(unusable.stillness, Some(Stillness::Unusable { .. })), "{:?}", unusable.stillness);
    assert!(unusable.summary()[0].starts_with("Nothing is done: spec.selector"), "{:?}", unusable.summary());
}

#[test]
fn machines_that_are_sick_already_hold_a_rollout_up() {
    let mut fleet = Fleet::of(deployment(3));
    large(&mut fleet.deployment);
    fleet.add("large", 2, 1, MachinePhase::CrashLoopBackOff);
    let preview = fleet.preview(|_| {});
    assert_eq!((preview.kept, preview.stillness), (4, Some(Stillness::Unavailable { machines: 1 })));
}

#[test]
fn machines_on_their_way_out_are_waited_for_and_counted_with_nobody() {
    let mut fleet = Fleet::of(deployment(3));
    let leaving = fleet.machines.pop().map(|machine| deleting(machine, 50)).unwrap();
    fleet.machines.push(leaving);
    let preview = fleet.preview(|_| {});
    assert_eq!((&preview.created[..], preview.kept, preview.deleted.len()), (&[count("small", 1)][..], 2, 0));
}

#[test]
fn one_at_a_time_of_a_thousand_is_estimated() {
    let fleet = Fleet::of(deployment(1000));
    let preview = fleet.preview(large);
    assert_eq!(preview.end, End::Unfinished { left: 968, steps: 2000 });
    assert_eq!(
        preview.summary(),
        [
            "This change reaches 1000 machines in about 2000 steps. In the first 64 it replaces 32 machines (32 of class small); at \
          most 1001 machines at a time, no node is missing in between."
        ]
    );
}

/// Time is printed and not judged: see it with `--nocapture`.
#[test]
fn a_thousand_machines_are_rolled_by_tenths() {
    let fleet = Fleet::of(shares(deployment(1000), "10%", "0%"));
    let begin = Instant::now();
    let preview = fleet.preview(large);
    println!("1000 machines by tenths: {} steps in {:?}", preview.steps.len(), begin.elapsed());
    assert_eq!((MachineCount::sum(&preview.replaced), preview.most_machines), (1000, 1100));
    assert_eq!((preview.most_unavailable, preview.end), (0, End::Rest));
}

#[test]
fn a_preview_reads_as_plain_data() {
    let preview = Fleet::of(deployment(1)).preview(large);
    let json = serde_json::to_value(&preview).unwrap();
    assert_eq!(json["replaced"][0]["class"], "small");
    assert_eq!(json["steps"][0]["created"][0]["count"], 1);
    assert_eq!(json["end"]["kind"], "rest");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_preview_ends_and_stays_inside_the_fences(
        replicas in 0..20_i32, surge in 0..6_i32, unavailable in 0..6_i32,
    ) {
        let fleet = Fleet::of(fenced(deployment(replicas), surge, unavailable));
        let preview = fleet.preview(large);
        let fences = millwright_decide::deployment::Fences::of(&fleet.deployment);
        prop_assert_eq!(&preview.end, &End::Rest);
        prop_assert_eq!(i32::try_from(MachineCount::sum(&preview.replaced)).unwrap(), replicas);
        prop_assert!(i32::try_from(preview.most_machines).unwrap() <= fences.most());
        prop_assert!(i32::try_from(preview.fewest_available).unwrap() >= fences.fewest());
    }
}
