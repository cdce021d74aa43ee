//! What the status says of a drain.

use std::time::Duration;

use millwright_api::MachinePhase;
use millwright_decide::drain::{EvictionOutcome, PodListing, PodOnNode};

use super::desk::{Desk, ending};
use crate::fixtures::machine::{born, deleting};
use crate::fixtures::node::ready;
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, names, status};
use crate::fixtures::time::at;

#[test]
fn the_text_names_what_is_waited_for_since_when_and_until_when() {
    let (web, db, other) = (pod("web"), pod("db"), pod("other"));
    let mut desk = Desk::with(&[web.clone(), db.clone(), other.clone()]);
    desk.volumes_of(&db, &["pv-1"]);
    desk.blocked(&web, 5);
    desk.accepted(&db, 5);
    desk.accepted(&other, 5);
    desk.see(&[web, ending(&other, 35)], 10);
    assert_eq!(
        desk.says(12),
        "Draining node n since 2027-01-15T08:00:00Z. Pods: 2 of 3 left; ending: default/other. default/web is held \
         back by disruption budget default/web since 2027-01-15T08:00:05Z. Volumes: volume pv-1 of default/db waits \
         to be detached until 2027-01-15T08:02:10Z. Forced at 2027-01-15T10:00:00Z."
    );
}

#[test]
fn a_budget_that_lets_no_pod_go_is_called_misconfigured_and_the_pod_is_tried_all_the_same() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    let budget = "default/web".to_owned();
    desk.memory.tried("uid-web", at(0), EvictionOutcome::Misconfigured { budget });
    let text = "error while evicting pod \"web\": pod disruption budget default/web is misconfigured and requires \
                zero voluntary evictions";
    assert!(desk.says(1).contains(text), "{}", desk.says(1));
    assert_eq!(desk.asks(1), [""; 0]);
    assert_eq!(desk.asks(6), ["web"]);
}

#[test]
fn many_obstacles_are_not_all_named() {
    let pods: Vec<PodOnNode> = (0..9).map(|number| pod(&format!("web-{number}"))).collect();
    let mut desk = Desk::with(&pods);
    pods.iter().for_each(|pod| desk.blocked(pod, 0));
    let text = desk.says(1);
    assert_eq!(text.matches("held back").count(), 3, "{text}");
    assert!(text.contains("And more pods are held up."), "{text}");
}

fn draining(pods: &[PodOnNode]) -> Situation {
    let machine = deleting(born("m", MachinePhase::Running), 0);
    let mut situation = Situation::with_node(machine, ready("m"));
    situation.memory.drain.listed(PodListing { at: at(0), pods: pods.to_vec() });
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation
}

#[test]
fn counts_alone_are_written_now_and_then_and_an_obstacle_at_once() {
    let (one, two) = (pod("one"), pod("two"));
    let mut situation = draining(&[one.clone(), two.clone()]);
    for pod in [&one, &two] {
        situation.memory.drain.tried(&pod.id.uid, at(0), EvictionOutcome::Accepted);
    }
    situation.memory.drain.listed(PodListing { at: at(10), pods: vec![ending(&one, 300)] });
    assert!(!names(&situation.plan(10)).contains(&"PatchStatus"), "a count");
    situation.memory.drain.listed(PodListing { at: at(31), pods: vec![ending(&one, 300)] });
    let plan = situation.plan(31);
    assert!(status(&plan).last_operation.description.contains("Pods: 1 of 2 left; ending: default/one."));
    situation.obey(&plan);
    let budget = "default/web".to_owned();
    situation.memory.drain.tried("uid-one", at(32), EvictionOutcome::Blocked { budget });
    situation.memory.drain.listed(PodListing { at: at(32), pods: vec![one] });
    assert!(status(&situation.plan(32)).last_operation.description.contains("held back by"), "an obstacle");
}

#[test]
fn the_same_failure_with_another_request_id_costs_no_write() {
    let web = pod("web");
    let mut situation = draining(std::slice::from_ref(&web));
    let failed = |id: &str| EvictionOutcome::Failed { message: format!("webhook is down. Request {id}") };
    situation.memory.drain.tried("uid-web", at(0), failed("7f-1"));
    let plan = situation.plan(1);
    assert!(names(&plan).contains(&"PatchStatus"));
    situation.obey(&plan);
    situation.memory.drain.tried("uid-web", at(6), failed("02-9"));
    assert!(!names(&situation.plan(6)).contains(&"PatchStatus"));
}

#[test]
fn the_beginning_of_a_drain_is_not_forgotten_at_a_restart() {
    let mut situation = draining(&[pod("web")]);
    let said = situation.machine.status.last_operation.description.clone();
    situation.memory = Default::default();
    situation.memory.drain.listed(PodListing { at: at(100), pods: vec![pod("web")] });
    let plan = situation.plan(100);
    assert!(!names(&plan).contains(&"PatchStatus"), "{plan:?}");
    assert!(said.contains("Draining node m since 2027-01-15T08:00:00Z."), "{said}");
}

#[test]
fn a_deadline_that_is_put_off_while_an_api_server_is_in_doubt_is_not_written_every_second() {
    let web = pod("web");
    let mut situation = draining(std::slice::from_ref(&web));
    situation.memory.drain.tried(&web.id.uid, at(0), EvictionOutcome::Accepted);
    let own_timeout = situation.settings.drain_timeout;
    let mut written = 0;
    for second in 1_u32..=60 {
        let now = i64::from(second);
        situation.trusted_since = at(now);
        situation.settings.drain_timeout = own_timeout + Duration::from_secs(second.into());
        situation.memory.drain.listed(PodListing { at: at(now), pods: vec![ending(&web, 300)] });
        let plan = situation.plan(now);
        written += names(&plan).iter().filter(|name| **name == "PatchStatus").count();
        situation.obey(&plan);
    }
    assert!(written <= 3, "{written} writes in a minute");
    let said = &situation.machine.status.last_operation.description;
    assert!(said.contains("Forced at 2027-01-15T10:01:00Z."), "{said}");
}
