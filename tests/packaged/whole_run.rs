//! What the API server wrote down about the whole run. Named so that it comes last; alone, it looks at a fleet of its own.

use std::collections::{BTreeMap, BTreeSet};

use millwright_testbed::Identity;
use serde_json::Value;

use crate::audit::{Request, Right, Use, requests_of, rights_used};
use crate::fleet::Fleet;
use crate::guests::alone;
use crate::house::House;
use crate::runtime::run;

/// From so many guests on it was the whole run, and not a few tests chosen by name.
const WHOLE_RUN: usize = 25;

/// What a run does not always come to: an attachment that the cluster does not detach first.
const RARE: [(&str, &str); 1] = [("delete", "volumeattachments")];

/// What may be granted to the webhook, all together.
const OF_THE_WEBHOOK: [&str; 5] = [
    "config/rbac/webhook/role.yaml",
    "config/components/all-namespaces/role.yaml",
    "config/components/secret-checks/role.yaml",
    "config/components/self-signed/role.yaml",
    "config/components/self-signed/cluster-role.yaml",
];

#[test]
fn the_controller_and_the_webhook_need_what_config_grants_and_no_more() {
    run(async {
        let fleet = Fleet::start("whole", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--timeout=80s"]).await;
        let closed = alone().await;

        let requests = requests_of(&fleet.house, Identity::Controller);
        let refused: BTreeSet<&Request> = requests.iter().filter(|request| request.code == 403).collect();
        assert!(refused.is_empty(), "{refused:#?}");
        let granted = granted(&fleet.house, &fleet.namespace).await;
        let used = rights_used(&requests);
        tell(&granted, &used);
        of_the_webhook(&fleet.house, closed).await;
        let is_rare = |right: &&Right| RARE.contains(&(right.0.as_str(), right.2.as_str()));
        let is_unused = |right: &&Right| !used.contains_key(right);
        let unused: Vec<&Right> = granted.iter().filter(is_unused).filter(|right| !is_rare(right)).collect();
        assert!(
            unused.is_empty() || closed < WHOLE_RUN,
            "granted, and not used by {closed} guests: {unused:#?}"
        );
        fleet.close().await;
    });
}

/// The webhook looked for objects before there were rights to them, so a right counts as used when a request for it was granted, and as
/// missing when none was.
async fn of_the_webhook(house: &House, closed: usize) {
    let (refused, requests): (Vec<Request>, Vec<Request>) =
        requests_of(house, Identity::Webhook).into_iter().partition(|request| request.code == 403);
    let used = rights_used(&requests);
    let missing: Vec<Right> =
        rights_used(&refused).into_keys().filter(|right| !used.contains_key(right)).collect();
    assert!(missing.is_empty(), "the webhook asked for what nothing grants: {missing:#?}");
    let mut granted = BTreeSet::new();
    for path in OF_THE_WEBHOOK {
        let file = millwright_testbed::root().join(path).display().to_string();
        let list = house.kubectl_must(&["apply", "--dry-run=client", "-o", "json", "-f", &file]).await;
        granted.extend(rights(&serde_json::from_str(&list).unwrap()));
    }
    tell(&granted, &used);
    let unused: Vec<&Right> = granted.iter().filter(|right| !used.contains_key(right)).collect();
    assert!(
        unused.is_empty() || closed < WHOLE_RUN,
        "granted to the webhook, and not used by {closed} guests: {unused:#?}"
    );
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
        all.extend(rights(&serde_json::from_str(&text).unwrap()));
    }
    all
}

/// Verb, group and resource of each right in a role, or in the roles of a list.
fn rights(read: &Value) -> BTreeSet<Right> {
    let mut all = BTreeSet::new();
    let roles = read["items"].as_array().cloned().unwrap_or_else(|| vec![read.clone()]);
    let rules = roles.iter().filter_map(|role| role["rules"].as_array()).flatten();
    for rule in rules {
        let texts = |key: &str| {
            let texts = rule[key].as_array().unwrap().iter();
            texts.map(|text| text.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        for verb in texts("verbs") {
            for group in texts("apiGroups") {
                for resource in texts("resources") {
                    all.insert((verb.clone(), group.clone(), resource));
                }
            }
        }
    }
    all
}
