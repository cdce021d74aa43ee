//! Whose requests the API server counted: all of them, less those of the bench and of the simulated cloud's VMs.

use std::collections::BTreeMap;

use crate::{cloud::CloudStats, request_counts::RequestKind};

/// Requests by kind.
pub(super) type Counts = BTreeMap<RequestKind, u64>;

/// What `counted` holds beyond `own` and what the cloud's VMs sent.
pub(super) fn of_others(counted: Counts, own: &Counts, cloud: &CloudStats) -> Counts {
    let mut rest = counted;
    for (kind, count) in own {
        if let Some(left) = rest.get_mut(kind) {
            *left = left.saturating_sub(*count);
        }
    }
    for (verb, resources) in &cloud.kubernetes {
        for (resource, count) in resources {
            take(&mut rest, metric_verb(verb), resource, *count);
        }
    }
    rest.retain(|_, count| *count > 0);
    rest
}

/// Takes `count` requests away; the cloud names a resource without its group.
fn take(rest: &mut Counts, verb: &str, resource: &str, count: u64) {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let fitting = rest
        .iter_mut()
        .find(|(kind, _)| kind.verb == verb && kind.resource == resource && kind.subresource == subresource);
    if let Some((_, left)) = fitting {
        *left = left.saturating_sub(count);
    }
}

/// The API server's metrics name verbs by HTTP's methods, RBAC by its own.
fn metric_verb(verb: &str) -> &str {
    match verb {
        "create" => "POST",
        "update" => "PUT",
        "patch" => "PATCH",
        "delete" => "DELETE",
        "get" => "GET",
        "list" => "LIST",
        "watch" => "WATCH",
        other => other,
    }
}

/// The counts under the names that are shown: `PATCH machines/status`.
pub(super) fn named(counts: &Counts) -> BTreeMap<String, u64> {
    let mut named = BTreeMap::new();
    for (kind, count) in counts {
        // Groups share names of resources rarely: events do.
        *named.entry(kind.to_string()).or_default() += count;
    }
    named
}

/// What was added to counters since an earlier reading.
pub(super) fn since<K: Ord + Clone>(now: &BTreeMap<K, u64>, earlier: &BTreeMap<K, u64>) -> BTreeMap<K, u64> {
    let added = now.iter().map(|(key, count)| {
        (key.clone(), count.saturating_sub(earlier.get(key).copied().unwrap_or_default()))
    });
    added.filter(|(_, count)| *count > 0).collect()
}

/// What the cloud counted since an earlier reading.
pub(super) fn stats_since(now: &CloudStats, earlier: &CloudStats) -> CloudStats {
    let nothing = BTreeMap::new();
    let kubernetes = now.kubernetes.iter().map(|(verb, resources)| {
        (verb.clone(), since(resources, earlier.kubernetes.get(verb).unwrap_or(&nothing)))
    });
    CloudStats { calls: since(&now.calls, &earlier.calls), kubernetes: kubernetes.collect(), vms: now.vms }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(verb: &str, resource: &str, subresource: &str) -> RequestKind {
        RequestKind {
            verb: verb.to_owned(),
            group: "g".to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    fn stats(verb: &str, resource: &str, count: u64) -> CloudStats {
        let resources = BTreeMap::from([(resource.to_owned(), count)]);
        CloudStats { kubernetes: BTreeMap::from([(verb.to_owned(), resources)]), ..CloudStats::default() }
    }

    #[test]
    fn what_is_the_benchs_or_the_clouds_is_taken_away() {
        let counted = Counts::from([
            (kind("POST", "nodes", ""), 10),
            (kind("PATCH", "nodes", ""), 10),
            (kind("PATCH", "nodes", "status"), 4),
            (kind("GET", "machinedeployments", ""), 8),
        ]);
        let own = Counts::from([(kind("GET", "machinedeployments", ""), 8)]);
        let others = of_others(counted.clone(), &own, &stats("create", "nodes", 10));
        assert_eq!(
            others,
            Counts::from([(kind("PATCH", "nodes", ""), 10), (kind("PATCH", "nodes", "status"), 4)])
        );
        let others = of_others(counted, &Counts::new(), &stats("patch", "nodes/status", 3));
        assert_eq!(others[&kind("PATCH", "nodes", "status")], 1);
        assert_eq!(others[&kind("PATCH", "nodes", "")], 10);
    }

    #[test]
    fn resources_of_two_groups_under_one_name_are_added_up() {
        let core = RequestKind { group: String::new(), ..kind("POST", "events", "") };
        let named = named(&Counts::from([(kind("POST", "events", ""), 1), (core, 2)]));
        assert_eq!(named, BTreeMap::from([("POST events".to_owned(), 3)]));
    }

    #[test]
    fn more_taken_than_counted_is_nothing_left() {
        let counted = Counts::from([(kind("POST", "nodes", ""), 1)]);
        assert!(of_others(counted, &Counts::new(), &stats("create", "nodes", 2)).is_empty());
    }

    #[test]
    fn counters_are_compared_with_an_earlier_reading() {
        let added = stats_since(&stats("create", "nodes", 5), &stats("create", "nodes", 2));
        assert_eq!(added, stats("create", "nodes", 3));
        let added = stats_since(&stats("create", "nodes", 5), &CloudStats::default());
        assert_eq!(added, stats("create", "nodes", 5));
    }
}
