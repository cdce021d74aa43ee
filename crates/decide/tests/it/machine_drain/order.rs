//! Which pods go, in which order, and when a refusal is tried again.

use std::time::Duration;

use millwright_decide::drain::{DrainProgress, PodOnNode};

use super::desk::{Desk, asked, done, ending};
use crate::fixtures::pod::pod;
use crate::fixtures::time::at;

fn critical(name: &str, above: i32) -> PodOnNode {
    PodOnNode { priority: 2_000_000_000 + above, ..pod(name) }
}

#[test]
fn drain_skips_daemonset_pods_and_mirror_pods() {
    let daemon = PodOnNode { controller_kind: Some("DaemonSet".into()), ..pod("d") };
    let mirror = PodOnNode { mirror: true, ..pod("m") };
    assert_eq!(Desk::with(&[daemon, mirror]).plan(0), done());
}

#[test]
fn pods_of_nobody_go_too() {
    let unmanaged = PodOnNode { controller_kind: None, ..pod("lonely") };
    assert_eq!(Desk::with(&[unmanaged]).asks(0), ["lonely"]);
}

#[test]
fn a_listing_says_nothing_when_it_is_old() {
    assert_eq!(Desk::with(&[]).plan(119), done());
    assert_eq!(Desk::with(&[]).plan(120), DrainProgress::MustList);
}

#[test]
fn a_listing_from_before_the_node_was_cordoned_never_ends_a_drain() {
    let mut desk = Desk::with(&[]);
    desk.memory.cordoned(at(1));
    assert_eq!(desk.plan(1), DrainProgress::MustList);
    desk.see(&[], 1);
    assert_eq!(desk.plan(1), done());
}

#[test]
fn critical_pods_go_after_the_workload_is_gone_and_the_most_critical_last() {
    let (dns, network) = (critical("dns", 0), critical("network", 1000));
    let mut desk = Desk::with(&[network.clone(), dns.clone(), pod("web")]);
    assert_eq!(desk.asks(0), ["web"]);
    desk.see(&[network.clone(), dns.clone(), ending(&pod("web"), 30)], 1);
    assert_eq!(desk.asks(1), [""; 0]);
    desk.see(&[network.clone(), dns], 2);
    assert_eq!(desk.asks(2), ["dns"]);
    desk.see(&[network], 3);
    assert_eq!(desk.asks(3), ["network"]);
}

#[test]
fn critical_pods_wait_until_the_volumes_of_the_workload_are_detached() {
    let (driver, web) = (critical("driver", 0), pod("web"));
    let mut desk = Desk::with(&[driver.clone(), web.clone()]);
    desk.volumes_of(&web, &["a"]);
    desk.accepted(&web, 0);
    desk.see(&[driver], 1);
    assert_eq!(desk.asks(1), [""; 0], "it may be what detaches the volume");
    desk.detach("a");
    assert_eq!(desk.asks(2), ["driver"]);
}

#[test]
fn a_disruption_budget_is_not_overridden_before_twenty_seconds_for_each_retry() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.settings.max_evict_retries = 2;
    desk.blocked(&web, 0);
    assert_eq!(desk.asks(1), [""; 0]);
    assert_eq!(desk.asks(39), ["web"]);
    assert_eq!(desk.asks(40), ["web!"]);
}

#[test]
fn a_refused_eviction_is_tried_again_after_waits_that_grow_to_twenty_seconds() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    let (mut now, mut waits) = (0, Vec::new());
    for _ in 0..6 {
        desk.blocked(&web, now);
        let wait = (1..60).find(|wait| {
            desk.see(std::slice::from_ref(&web), now + wait);
            !desk.asks(now + wait).is_empty()
        });
        waits.push(wait.unwrap());
        now += wait.unwrap();
    }
    assert!(waits.is_sorted() && waits[0] >= 3 && waits[0] <= 5, "{waits:?}");
    assert!(waits[5] >= 10 && waits[5] <= 20, "{waits:?}");
}

#[test]
fn pods_that_are_refused_together_do_not_come_back_together() {
    let pods: Vec<PodOnNode> = (0..20).map(|number| pod(&format!("web-{number}"))).collect();
    let mut desk = Desk::with(&pods);
    pods.iter().for_each(|pod| desk.blocked(pod, 0));
    let at_once = (3..=5).map(|second| desk.asks(second).len()).collect::<Vec<_>>();
    assert!(at_once[0] < 20 && at_once[1] < 20, "{at_once:?}");
    assert_eq!(at_once[2], 20);
}

#[test]
fn the_api_server_is_not_asked_again_before_it_wants() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.blocked(&web, 0);
    desk.memory.told_to_wait("uid-web", Duration::from_secs(30));
    assert_eq!(desk.asks(29), [""; 0]);
    assert_eq!(desk.asks(30), ["web"]);
    desk.blocked(&web, 30);
    desk.memory.told_to_wait("uid-web", Duration::from_secs(86_400));
    assert_eq!(desk.asks(90), ["web"], "an endless wish is no wish");
}

#[test]
fn one_pod_that_is_held_back_never_keeps_another_from_being_asked() {
    let (kept, free) = (pod("kept"), pod("free"));
    let mut desk = Desk::with(&[kept.clone(), free]);
    desk.blocked(&kept, 0);
    assert_eq!(desk.asks(0), ["free"]);
}

#[test]
fn a_pod_that_takes_longer_than_its_grace_on_a_node_that_is_well_is_never_deleted_without_grace() {
    let web = pod("web");
    let mut desk = Desk::with(&[ending(&web, 30)]);
    for second in [60, 61, 100, 3600, 7199] {
        desk.see(&[ending(&web, 30)], second);
        assert_eq!(desk.asks(second), [""; 0], "{second}");
    }
    assert!(desk.says(7199).contains("default/web should have ended at "), "{}", desk.says(7199));
    let DrainProgress::Going { actions, .. } = desk.force(7200) else { panic!("a pod is left") };
    assert_eq!(asked(&actions), ["web!"]);
}

#[test]
fn a_pod_that_was_to_go_and_stays_is_asked_again() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.accepted(&web, 0);
    desk.see(std::slice::from_ref(&web), 1);
    assert_eq!(desk.asks(1), [""; 0]);
    assert_eq!(desk.asks(6), ["web"]);
}
