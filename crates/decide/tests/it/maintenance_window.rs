//! Rollouts outside of their maintenance window: they take no step, what is under way comes to its end, and all else goes on.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::annotations;
use millwright_api::{MachineDeployment, MachineDeploymentStatus, ObjectView};
use millwright_decide::deployment::{DeploymentMemory, DeploymentPlan, DeploymentView, SetFacts, plan};
use millwright_decide::{Bounds, Freeze, Places, Requeue, RolloutSettings};

use crate::fixtures::deployment::{
    created, deployment, facts, fenced, names, rolling, set_of, sizes, strategy, written,
};

const WINDOW: &str = "0 22 * * SAT for 4h in Europe/Berlin";
/// A Saturday, an hour before the window.
const BEFORE: &str = "2026-11-21T20:00:00Z";
const INSIDE: &str = "2026-11-21T21:30:00Z";

fn decide(
    deployment: &MachineDeployment,
    sets: &[SetFacts<'_>],
    flag: Option<&str>,
    now: &str,
) -> DeploymentPlan {
    let settings = RolloutSettings {
        bounds: Bounds { maintenance: flag.map(|text| text.parse().unwrap()), ..Bounds::default() },
        ..RolloutSettings::default()
    };
    let memory = DeploymentMemory::default();
    let view = DeploymentView {
        deployment,
        sets: sets.to_vec(),
        class: None,
        settings: &settings,
        memory: &memory,
        places: Places::Unbounded,
        freeze: Freeze::Thawed,
    };
    plan(&view, now.parse::<Timestamp>().unwrap())
}

fn windowed(mut deployment: MachineDeployment, windows: &str) -> MachineDeployment {
    let annotations = deployment.metadata.annotations.get_or_insert_default();
    annotations.insert(annotations::MAINTENANCE_WINDOW.to_owned(), windows.to_owned());
    deployment
}

fn held(status: &MachineDeploymentStatus) -> Option<(String, String)> {
    let found = status.conditions.iter().find(|condition| condition.type_ == "RolloutHeld")?;
    assert_eq!(found.status, "True");
    Some((found.reason.clone(), found.message.clone()))
}

fn reason(plan: &DeploymentPlan) -> Option<String> {
    held(written(plan)?).map(|(reason, _)| reason)
}

#[test]
fn outside_of_its_window_a_rollout_does_not_begin_and_says_when_it_will() {
    let (deployment, old) = rolling(3);
    let deployment = windowed(deployment, WINDOW);
    let plan = decide(&deployment, &[facts(&old, 3, 3)], None, BEFORE);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let (because, message) = held(written(&plan).unwrap()).unwrap();
    assert_eq!(because, "OutsideMaintenanceWindow");
    assert!(message.contains("2026-11-21T22:00:00+01:00 (2026-11-21T21:00:00Z)"), "{message}");
    assert_eq!(plan.requeue, Requeue::After(Duration::from_secs(3600)));
    let plan = decide(&deployment, &[facts(&old, 3, 3)], None, INSIDE);
    assert!(created(&plan).is_some());
    assert_eq!(reason(&plan), None);
}

#[test]
fn the_deployments_own_windows_win_over_those_of_all() {
    let (plain, old) = rolling(3);
    for (own, flag, goes) in [
        (None, None, true),
        (None, Some(WINDOW), false),
        (Some("always"), Some(WINDOW), true),
        (Some("0 20 * * SAT for 2h"), Some(WINDOW), true),
        (Some(WINDOW), Some("always"), false),
        (Some("some day"), None, false),
    ] {
        let deployment = own.map_or_else(|| plain.clone(), |own| windowed(plain.clone(), own));
        let plan = decide(&deployment, &[facts(&old, 3, 3)], flag, BEFORE);
        assert_eq!(created(&plan).is_some(), goes, "{own:?} {flag:?}");
        assert_eq!(reason(&plan).is_none(), goes, "{own:?} {flag:?}");
    }
}

#[test]
fn a_window_that_can_not_be_read_holds_the_rollout_and_says_what_is_allowed() {
    let (deployment, old) = rolling(3);
    let plan = decide(&windowed(deployment, "saturdays"), &[facts(&old, 3, 3)], None, INSIDE);
    let (reason, message) = held(written(&plan).unwrap()).unwrap();
    assert_eq!(reason, "MaintenanceWindowUnreadable");
    assert!(message.contains("0 22 * * SAT for 4h in Europe/Berlin"), "{message}");
}

#[test]
fn outside_of_the_window_the_surge_stays_and_no_old_machine_goes() {
    let (deployment, old) = rolling(3);
    let deployment = windowed(deployment, WINDOW);
    let newest = set_of(&deployment, "large", 2, 1, 3);
    let sets = [facts(&old, 3, 3), facts(&newest, 1, 1)];
    assert_eq!(sizes(&decide(&deployment, &sets, None, BEFORE)), [""; 0]);
    assert_eq!(sizes(&decide(&deployment, &sets, None, INSIDE)), ["web-small 3 -> 2"]);
}

#[test]
fn outside_of_the_window_machines_that_were_taken_away_are_still_replaced() {
    let (deployment, mut old) = rolling(4);
    let deployment = fenced(windowed(deployment, WINDOW), 1, 2);
    old.spec.replicas = 2;
    let newest = set_of(&deployment, "large", 2, 0, 4);
    let sets = [facts(&old, 3, 2), facts(&newest, 0, 0)];
    assert_eq!(sizes(&decide(&deployment, &sets, None, BEFORE)), ["web-large 0 -> 1"], "one still lingers");
    let sets = [facts(&old, 2, 2), facts(&newest, 0, 0)];
    assert_eq!(sizes(&decide(&deployment, &sets, None, BEFORE)), ["web-large 0 -> 2"], "and none above that");
}

#[test]
fn outside_of_the_window_scaling_goes_on() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.replicas = 5;
    let deployment = windowed(deployment, WINDOW);
    let plan = decide(&deployment, &[facts(&old, 3, 3)], None, BEFORE);
    assert_eq!(sizes(&plan), ["web-small 3 -> 5"]);
    assert_eq!(reason(&plan).as_deref(), Some("OutsideMaintenanceWindow"));
    let (mut deployment, old) = rolling(3);
    deployment.spec.replicas = 1;
    let plan = decide(&windowed(deployment, WINDOW), &[facts(&old, 3, 3)], None, BEFORE);
    assert_eq!(sizes(&plan), ["web-small 3 -> 1"]);
}

#[test]
fn what_needs_no_rollout_waits_for_no_window() {
    let first = windowed(deployment(3), WINDOW);
    assert!(created(&decide(&first, &[], None, BEFORE)).is_some(), "nothing old is replaced");
    let set = set_of(&first, "small", 1, 3, 3);
    let mut changed = first.clone();
    changed.spec.template.spec.node_template.metadata.labels = Some([("x".into(), "y".into())].into());
    let plan = decide(&changed, &[facts(&set, 3, 3)], None, BEFORE);
    assert!(names(&plan).contains(&"PatchSet"), "{plan:?}");
    assert_eq!(reason(&plan), None);
    // At rest it says nothing, and asks for nothing.
    let plan = decide(&first, &[facts(&set, 3, 3)], None, BEFORE);
    assert_eq!((reason(&plan), plan.requeue), (None, Requeue::OnChange));
}

#[test]
fn a_recreation_outside_of_its_window_does_not_begin_but_one_that_began_ends() {
    let (deployment, mut old) = rolling(3);
    let deployment = windowed(strategy(deployment, "Recreate"), WINDOW);
    let plan = decide(&deployment, &[facts(&old, 3, 3)], None, BEFORE);
    assert_eq!(names(&plan), ["PatchStatus"]);
    old.spec.replicas = 0;
    let plan = decide(&deployment, &[facts(&old, 0, 0)], None, BEFORE);
    assert_eq!(created(&plan).map(|set| set.spec.replicas), Some(3));
    assert_eq!(reason(&plan), None);
}

#[test]
fn a_paused_rollout_waits_for_its_user_and_no_window() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.paused = true;
    let plan = decide(&windowed(deployment, WINDOW), &[facts(&old, 3, 3)], None, BEFORE);
    assert_eq!(reason(&plan), None);
    assert_eq!(plan.requeue, Requeue::OnChange);
}

#[test]
fn the_end_of_the_window_is_looked_at_although_nothing_happens() {
    let (deployment, old) = rolling(3);
    let deployment = windowed(deployment, WINDOW);
    let newest = set_of(&deployment, "large", 2, 1, 3);
    let plan = decide(&deployment, &[facts(&old, 3, 3), facts(&newest, 1, 0)], None, INSIDE);
    assert_eq!(plan.requeue, Requeue::After(Duration::from_secs(3 * 3600 + 1800)));
}

#[test]
fn sets_do_not_carry_the_window() {
    let set = created(&decide(&windowed(deployment(3), WINDOW), &[], None, BEFORE)).cloned().unwrap();
    assert_eq!(set.annotation(annotations::MAINTENANCE_WINDOW), None);
}

#[test]
fn while_a_rollout_is_held_its_deadline_does_not_run() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.progress_deadline_seconds = Some(60);
    let mut deployment = windowed(deployment, WINDOW);
    let sets = [facts(&old, 3, 3)];
    let progressing = |plan: &DeploymentPlan| {
        let status = written(plan)?;
        status.conditions.iter().find(|condition| condition.type_ == "Progressing").map(|c| c.reason.clone())
    };
    let plan = decide(&deployment, &sets, None, "2026-11-20T20:00:00Z");
    deployment.status = written(&plan).unwrap().clone();
    let later = decide(&deployment, &sets, None, "2026-11-21T19:00:00Z");
    assert_ne!(progressing(&later).as_deref(), Some("ProgressDeadlineExceeded"), "{later:?}");
    let opened = decide(&deployment, &sets, None, "2026-11-21T21:00:00Z");
    assert_ne!(progressing(&opened).as_deref(), Some("ProgressDeadlineExceeded"), "{opened:?}");
}
