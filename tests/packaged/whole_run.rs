//! What the API server wrote down about the whole run. Named so that it comes last; alone, it looks at a fleet of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::audit::{Request, Right, Use, controller_requests, rights_used};
use crate::fleet::{Fleet, others};
use crate::house::House;
use crate::runtime::run;

/// From so many fleets on it was the whole run, and not a few tests chosen by name.
const WHOLE_RUN: usize = 25;

/// What a run does not always come to: an attachment that the cluster does not detach first.
const RARE: [(&str, &str); 1] = [("delete", "volumeattachments")];

#[test]
fn the_controller_needs_what_config_grants_and_no_more() {
    run(async {
        let fleet = Fleet::start("whole", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--timeout=80s"]).await;
        fleet.until("all other tests are done", async |_| (others().0 == 0).then_some(())).await;

        let requests = controller_requests(&fleet.house);
        let refused: BTreeSet<&Request> = requests.iter().filter(|request| request.code == 403).collect();
        assert!(refused.is_empty(), "{refused:#?}");
        let granted = granted(&fleet.house, &fleet.namespace).await;
        let used = rights_used(&requests);
        tell(&granted, &used);
        let is_rare = |right: &&Right| RARE.contains(&(right.0.as_str(), right.2.as_str()));
        let is_unused = |right: &&Right| !used.contains_key(right);
        let unused: Vec<&Right> = granted.iter().filter(is_unused).filter(|right| !is_rare(right)).collect();
        let (_, closed) = others();
        assert!(
            unused.is_empty() || closed < WHOLE_RUN,
            "granted, and not used by {closed} fleets: {unused:#?}"
        );
        fleet.close().await;
    });
}

/// One line for each right: a right that few requests used is one that the next run may not come to.
fn tell(granted: &BTreeSet<Right>, used: &BTreeMap<Right, Use>) {
    for right @ (verb, group, resource) in granted {
        let none = Use::default();
        let Use { requests, places } = used.get(right).unwrap_or(&none);
        let first: Vec<&String> = places.iter().take(3).collect();
        println!(
            "{requests:>7} requests to {verb} {resource} {group} in {} places, such as {first:?}",
            places.len()
        );
    }
}

/// Verb, group and resource of each right of the controller in a fleet.
async fn granted(house: &House, namespace: &str) -> BTreeSet<Right> {
    let mut all = BTreeSet::new();
    for place in [
        &["clusterrole", "millwright-nodes"][..],
        &["role", "--namespace", namespace],
        &["role", "--namespace", "kube-system", "millwright-bootstrap-tokens"],
    ] {
        let text = house.kubectl_must(&[&["get", "-o", "json"], place].concat()).await;
        let read: Value = serde_json::from_str(&text).unwrap();
        let roles = read["items"].as_array().cloned().unwrap_or_else(|| vec![read.clone()]);
        for rule in roles.iter().flat_map(|role| role["rules"].as_array().unwrap()) {
            let texts = |key: &str| {
                rule[key]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|text| text.as_str().unwrap().to_owned())
                    .collect::<Vec<_>>()
            };
            for verb in texts("verbs") {
                for group in texts("apiGroups") {
                    for resource in texts("resources") {
                        all.insert((verb.clone(), group.clone(), resource));
                    }
                }
            }
        }
    }
    all
}
