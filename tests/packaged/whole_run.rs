//! What the API server wrote down about the whole run. Named so that it comes last; alone, it looks at a fleet of its own.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::audit::{Request, controller_requests, rights_used};
use crate::fleet::Fleet;
use crate::house::House;
use crate::runtime::run;

#[test]
fn the_controller_asks_for_nothing_that_config_does_not_grant() {
    run(async {
        let fleet = Fleet::start("whole", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--timeout=80s"]).await;
        let requests = controller_requests(fleet.house);
        let refused: BTreeSet<&Request> = requests.iter().filter(|request| request.code == 403).collect();
        assert!(refused.is_empty(), "{refused:#?}");
        let used = rights_used(&requests);
        for (verb, group, resource) in granted(fleet.house, &fleet.namespace).await {
            if !used.contains(&(verb.clone(), group.clone(), resource.clone())) {
                println!("granted and not used in this run: {verb} {resource} ({group:?})");
            }
        }
        fleet.close().await;
    });
}

/// Verb, group and resource of each right of the controller in a fleet.
async fn granted(house: &House, namespace: &str) -> BTreeSet<(String, String, String)> {
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
