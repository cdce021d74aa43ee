//! Volumes on their way.

use millwright_api::AttachedVolume;
use millwright_decide::drain::{
    DrainProgress, Leftovers, LookUp, NextLook, PodOnNode, PodVolume, PodVolumes, VolumeStage,
};

use super::desk::{Desk, done, ending, pod_volumes, volume};
use crate::fixtures::pod::pod;
use crate::fixtures::time::at;

fn undetached(names: &[&str]) -> DrainProgress {
    DrainProgress::Done { undetached: names.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn pods_with_volumes_go_by_priority_and_only_so_many_at_the_same_time() {
    let pods: Vec<PodOnNode> =
        (0..5).map(|number| PodOnNode { priority: number, ..pod(&format!("db-{number}")) }).collect();
    let mut desk = Desk::with(&[pods.clone(), vec![pod("web")]].concat());
    desk.settings.parallel_volume_evictions = 2;
    for (pod, name) in pods.iter().zip(["a", "b", "c", "d", "e"]) {
        desk.volumes_of(pod, &[name]);
    }
    assert_eq!(desk.asks(0), ["web", "db-4", "db-3"], "others need not wait for them");
    desk.accepted(&pods[4], 0);
    desk.blocked(&pods[3], 0);
    assert_eq!(desk.asks(1), ["web", "db-2"], "who is held back holds up nobody");
}

#[test]
fn a_place_is_free_again_when_the_volume_is_attached_elsewhere() {
    let (one, two) = (pod("db-1"), pod("db-2"));
    let mut desk = Desk::with(&[one.clone(), two.clone()]);
    desk.settings.parallel_volume_evictions = 1;
    desk.volumes_of(&one, &["a"]);
    desk.volumes_of(&two, &["b"]);
    assert_eq!(desk.asks(0), ["db-1"]);
    desk.accepted(&one, 0);
    desk.see(std::slice::from_ref(&two), 5);
    assert_eq!(desk.asks(5), [""; 0], "its pod is gone, its volume is not");
    desk.detach("a");
    assert_eq!(desk.asks(6), [""; 0], "it is not attached elsewhere yet");
    desk.attach_to("other", "a");
    assert_eq!(desk.asks(7), ["db-2"]);
}

#[test]
fn a_pod_that_has_nowhere_to_go_keeps_its_place_for_ninety_seconds_and_is_no_failure() {
    let (one, two) = (pod("db-1"), pod("db-2"));
    let mut desk = Desk::with(&[one.clone(), two.clone()]);
    desk.settings.parallel_volume_evictions = 1;
    desk.volumes_of(&one, &["a"]);
    desk.volumes_of(&two, &["b"]);
    desk.accepted(&one, 0);
    desk.detach("a");
    desk.see(std::slice::from_ref(&two), 5);
    assert_eq!(desk.looks_after(5), 60, "the next listing");
    desk.see(std::slice::from_ref(&two), 60);
    assert_eq!(desk.asks(94), [""; 0]);
    assert_eq!(desk.looks_after(94), 1);
    assert_eq!(desk.asks(95), ["db-2"]);
    assert!(desk.says(95).contains("volume a of default/db-1 was not attached elsewhere in time"));
}

#[test]
fn the_end_of_a_drain_never_waits_for_volumes_to_be_attached_elsewhere() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    desk.volumes_of(&db, &["a"]);
    desk.accepted(&db, 0);
    desk.see(&[], 1);
    assert!(matches!(desk.plan(1), DrainProgress::Going { .. }), "it is still attached");
    desk.detach("a");
    assert_eq!(desk.plan(2), done());
}

#[test]
fn a_volume_that_is_not_detached_in_time_is_named_and_never_counted_as_success() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    desk.volumes_of(&db, &["a", "b"]);
    desk.accepted(&db, 0);
    desk.see(&[], 60);
    desk.detach("b");
    assert!(desk.says(149).contains("volume a, b of default/db waits to be detached until"));
    desk.see(&[], 179);
    assert!(matches!(desk.plan(179), DrainProgress::Going { .. }));
    // Two minutes from the end of its pod.
    assert_eq!(desk.plan(180), undetached(&["a"]));
    desk.detach("a");
    assert_eq!(desk.plan(181), done());
}

#[test]
fn a_volume_never_pays_for_the_time_that_its_pod_took_to_end() {
    let db = pod("db");
    // The eviction's own time is over at 150: just before, long before and after the pod's end.
    for end in [40, 145, 170] {
        let mut desk = Desk::with(std::slice::from_ref(&db));
        desk.volumes_of(&db, &["a"]);
        desk.accepted(&db, 0);
        desk.see(&[ending(&db, 30)], 30);
        desk.plan(end - 1);
        desk.see(&[], end);
        for second in [end, end + 20, end + 119] {
            let text = desk.says(second);
            let until =
                format!("Volumes: volume a of default/db waits to be detached until {}.", at(end + 120));
            assert!(text.contains(&until), "ended at {end}, seen at {second}: {text}");
        }
        desk.see(&[], end + 120);
        assert_eq!(desk.plan(end + 120), undetached(&["a"]), "ended at {end}: and no grace once more");
    }
}

#[test]
fn a_volume_that_is_not_detached_in_time_frees_its_place_and_stays_in_the_text() {
    let (one, two) = (pod("db-1"), pod("db-2"));
    let mut desk = Desk::with(&[one.clone(), two.clone()]);
    desk.settings.parallel_volume_evictions = 1;
    desk.volumes_of(&one, &["a"]);
    desk.volumes_of(&two, &["b"]);
    desk.accepted(&one, 0);
    desk.see(std::slice::from_ref(&two), 100);
    desk.see(std::slice::from_ref(&two), 200);
    assert_eq!(desk.asks(219), [""; 0]);
    assert_eq!(desk.asks(220), ["db-2"]);
    assert!(desk.says(220).contains("volume a of default/db-1 should have been detached until "));
}

#[test]
fn a_volume_is_gone_only_when_the_node_and_its_attachment_say_so() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    desk.volumes_of(&db, &["a"]);
    desk.accepted(&db, 0);
    desk.see(&[], 1);
    // The node's report drops it before the detachment begins.
    desk.node.status.volumes_attached.clear();
    assert!(matches!(desk.plan(1), DrainProgress::Going { .. }));
    desk.attachments.clear();
    assert_eq!(desk.plan(2), done());
}

#[test]
fn volumes_of_several_pods_and_of_other_clouds_are_not_waited_for() {
    let (one, two, three) = (pod("one"), pod("two"), pod("three"));
    let mut desk = Desk::with(&[one.clone(), two.clone(), three.clone()]);
    desk.volumes_of(&one, &["shared"]);
    desk.volumes_of(&two, &["shared"]);
    desk.attach("foreign");
    let foreign = PodVolume { name: "foreign".into(), ids: Vec::new() };
    desk.memory.looked_up("uid-three", pod_volumes(&three, vec![foreign]));
    desk.settings.parallel_volume_evictions = 1;
    assert_eq!(desk.asks(0), ["one", "two", "three"]);
    [&one, &two, &three].into_iter().for_each(|pod| desk.accepted(pod, 0));
    desk.see(&[], 1);
    assert_eq!(desk.plan(1), done());
}

#[test]
fn a_daemonset_pod_with_volumes_needs_no_wait() {
    let daemon = PodOnNode { controller_kind: Some("DaemonSet".into()), ..pod("d") };
    let mut desk = Desk::with(std::slice::from_ref(&daemon));
    desk.volumes_of(&daemon, &["a"]);
    assert_eq!(desk.plan(0), done());
    desk.see(&[], 1);
    desk.memory.leftovers = Leftovers::Known;
    assert_eq!(desk.plan(1), done());
}

#[test]
fn volumes_that_another_process_left_on_their_way_are_waited_for() {
    let mut desk = Desk::with(&[]);
    desk.attach("a");
    let left = PodVolumes::left_behind(volume("a"), at(0));
    desk.memory.looked_up(&PodVolumes::key_of_left_behind("a"), left);
    assert!(desk.says(0).contains("volume a waits to be detached until"));
    desk.see(&[], 100);
    assert_eq!(desk.plan(120), undetached(&["a"]));
    desk.detach("a");
    assert_eq!(desk.plan(121), done());
}

#[test]
fn a_pod_whose_volumes_can_not_be_found_waits_a_little_and_then_goes_and_that_is_said() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    let mut look_up = None;
    for attempt in 1..=3 {
        let failing = LookUp::failed_after(look_up.as_ref(), "claim data: forbidden".into());
        let volumes = PodVolumes { look_up: failing.clone(), ..pod_volumes(&db, Vec::new()) };
        desk.memory.looked_up("uid-db", volumes);
        look_up = Some(failing);
        if attempt < 3 {
            assert_eq!(desk.asks(0), [""; 0]);
            assert!(desk.says(0).contains("finding the volumes of default/db failed: claim data: forbidden"));
            assert!(desk.looks_after(0) <= 2, "it is tried again soon");
        }
    }
    assert_eq!(desk.asks(0), ["db"]);
    assert!(desk.says(0).contains("The volumes of default/db are not known: claim data: forbidden"));
}

#[test]
fn a_pod_whose_volumes_could_not_be_found_never_ends_a_drain_while_something_unknown_is_attached() {
    for attempts in [0, 1, 3] {
        let (db, web) = (pod("db"), pod("web"));
        let mut desk = Desk::with(&[db.clone(), web.clone()]);
        let look_up = LookUp::Failing { attempts, message: "claim data: forbidden".into() };
        desk.memory.looked_up("uid-db", PodVolumes { look_up, ..pod_volumes(&db, Vec::new()) });
        desk.volumes_of(&web, &["b"]);
        desk.attach("a");
        desk.memory.leftovers = Leftovers::Known;
        desk.accepted(&db, 0);
        desk.accepted(&web, 0);
        desk.see(&[], 1);
        desk.detach("b");
        let text = desk.says(2);
        assert!(text.contains("an unknown volume of default/db waits to be detached until"), "{text}");
        desk.see(&[], 120);
        assert!(matches!(desk.plan(120), DrainProgress::Going { .. }));
        // Two minutes from the end of its pod.
        assert_eq!(desk.plan(121), undetached(&["a"]));
        desk.detach("a");
        assert_eq!(desk.plan(122), done());
    }
}

#[test]
fn a_daemonset_pod_whose_volumes_could_not_be_found_needs_no_wait() {
    let daemon = PodOnNode { controller_kind: Some("DaemonSet".into()), ..pod("d") };
    let mut desk = Desk::with(std::slice::from_ref(&daemon));
    let look_up = LookUp::Failing { attempts: 3, message: "forbidden".into() };
    desk.memory.looked_up("uid-d", PodVolumes { look_up, ..pod_volumes(&daemon, Vec::new()) });
    desk.attach("a");
    desk.memory.leftovers = Leftovers::Known;
    assert_eq!(desk.plan(0), done());
}

#[test]
fn a_drain_never_ends_while_it_is_not_known_whose_volumes_are_attached_and_that_has_a_bound() {
    for leftovers in [Leftovers::Unknown, Leftovers::Failing { message: "volume a: busy".into() }] {
        let mut desk = Desk::with(&[]);
        desk.attach("a");
        desk.memory.leftovers = leftovers.clone();
        let text = desk.says(0);
        assert!(
            text.contains("Volumes: a of an unknown pod waits to be detached until 2027-01-15T08:02:00Z."),
            "{text}"
        );
        assert_eq!(
            text.contains("pods that went before failed: volume a: busy."),
            leftovers != Leftovers::Unknown
        );
        assert!(desk.looks_after(0) <= 2, "it is looked up again soon");
        desk.see(&[], 119);
        assert!(matches!(desk.plan(119), DrainProgress::Going { .. }));
        assert!(desk.memory.ended_at.is_none());
        assert_eq!(desk.plan(120), undetached(&["a"]));
        desk.detach("a");
        assert_eq!(desk.plan(121), done());
    }
}

#[test]
fn a_volume_that_only_the_node_reports_is_never_hidden_by_an_attachment_that_it_does_not_report() {
    let in_tree = "kubernetes.io/aws-ebs/aws://eu-west-1a/vol-b";
    let mut desk = Desk::with(&[]);
    // On its way, or on its way back: an object stands for it, and the node says nothing of it.
    desk.attach_to("n", "a");
    let known = pod_volumes(&pod("db"), vec![volume("a")]);
    desk.memory.looked_up("uid-db", PodVolumes { stage: VolumeStage::Settled, ..known });
    desk.node.status.volumes_attached.push(AttachedVolume { name: in_tree.into() });
    let text = desk.says(0);
    assert!(text.contains(&format!("{in_tree} of an unknown pod waits to be detached until")), "{text}");
    assert_eq!(desk.force(1), undetached(&["a", in_tree]));
}

#[test]
fn volumes_left_behind_that_are_not_looked_up_cost_a_few_lists_and_then_no_more() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.attach("a");
    let (mut now, mut lists) = (0, 0);
    while now < 1200 {
        if let DrainProgress::Going { actions, look, .. } = desk.plan(now) {
            actions.iter().for_each(|_| desk.blocked(&web, now));
            match look {
                NextLook::ListNow => {
                    lists += 1;
                    desk.see(std::slice::from_ref(&web), now);
                }
                NextLook::After(_) if !actions.is_empty() => {}
                NextLook::After(wait) => now += i64::try_from(wait.as_secs()).unwrap().max(1),
            }
        }
    }
    assert!((10..=35).contains(&lists), "{lists} lists in twenty minutes");
}

#[test]
fn a_volume_gets_its_time_to_be_detached_also_when_its_pod_ended_late() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    desk.volumes_of(&db, &["a"]);
    desk.accepted(&db, 0);
    desk.see(&[ending(&db, 30)], 400);
    assert!(desk.says(400).contains("should have been detached until"), "{}", desk.says(400));
    desk.see(&[], 500);
    assert!(desk.says(500).contains("waits to be detached until"), "{}", desk.says(500));
    desk.see(&[], 600);
    assert!(matches!(desk.plan(619), DrainProgress::Going { .. }));
    assert_eq!(desk.plan(620), undetached(&["a"]));
    desk.detach("a");
    assert_eq!(desk.plan(621), done());
}

#[test]
fn an_eviction_without_a_clear_answer_keeps_its_place_until_the_pods_are_listed_again() {
    let (one, two) = (pod("db-1"), pod("db-2"));
    let mut desk = Desk::with(&[one.clone(), two.clone()]);
    desk.settings.parallel_volume_evictions = 1;
    desk.volumes_of(&one, &["a"]);
    desk.volumes_of(&two, &["b"]);
    desk.failed(&one, 0, "connection reset");
    assert_eq!(desk.asks(1), [""; 0], "it may be on its way");
    desk.see(&[ending(&one, 30), two.clone()], 2);
    assert_eq!(desk.asks(2), [""; 0], "it is");
    desk.see(&[one, two], 3);
    assert_eq!(desk.asks(3), ["db-2"], "it is not");
}
