//! When a drain is forced: by a node that can end no pod, and at its deadline.

use std::time::Duration;

use super::*;

fn with_condition(type_: &str, value: &str, since: i64) -> NodeView {
    let mut node = ready("m");
    node.status.conditions.retain(|known| known.type_ != type_);
    let mut bad = condition(type_, value);
    bad.last_transition_time = time(since);
    node.status.conditions.push(bad);
    node
}

fn forces(node: NodeView, trusted_since: i64, now: i64) -> bool {
    let mut situation = Situation::with_node(dying(), node);
    situation.trusted_since = at(trusted_since);
    see(&mut situation, &[pod("web")], now);
    names(&situation.plan(now)).contains(&"DeletePod")
}

#[test]
fn a_node_that_can_end_no_pod_for_five_minutes_is_drained_by_force() {
    for (type_, value, forced_by_it) in [
        ("Ready", "Unknown", true),
        ("Ready", "False", true),
        ("ReadonlyFilesystem", "True", true),
        ("ReadonlyFilesystem", "Unknown", true),
        ("Ready", "True", false),
        ("ReadonlyFilesystem", "False", false),
        ("DiskPressure", "True", false),
    ] {
        let node = || with_condition(type_, value, 0);
        assert!(!forces(node(), -1000, minutes(5) - 1), "{type_} {value}");
        assert_eq!(forces(node(), -1000, minutes(5) + 1), forced_by_it, "{type_} {value}");
        assert!(!forces(node(), minutes(1), minutes(5) + 1), "blind time does not count");
    }
}

#[test]
fn a_drain_time_out_that_ran_out_while_nobody_could_see_leaves_time_to_evict() {
    let thaw = minutes(180);
    assert!(!forces(ready("m"), thaw, thaw + 1));
    assert!(forces(ready("m"), thaw, thaw + minutes(5) + 1));
    // A restart in the middle takes nothing from the promised time, and adds nothing to it.
    assert!(!forces(ready("m"), minutes(60), minutes(120) - 1));
    assert!(forces(ready("m"), minutes(60), minutes(120) + 1));
}

#[test]
fn a_drain_may_take_as_much_longer_as_nothing_was_seen_in_it() {
    let forced_at = |timeout: Duration, seconds: i64| {
        let mut situation = Situation::with_node(dying(), ready("m"));
        situation.settings.drain_timeout = timeout;
        situation.blind_since_deletion = Duration::from_secs(3600);
        see(&mut situation, &[pod("web")], seconds);
        names(&situation.plan(seconds)).contains(&"DeletePod")
    };
    let timeout = Duration::from_secs(2 * 3600);
    assert!(!forced_at(timeout, minutes(180) - 1));
    assert!(forced_at(timeout, minutes(180) + 1));
    assert!(forced_at(Duration::ZERO, 1), "who does not want to wait does not");
}
