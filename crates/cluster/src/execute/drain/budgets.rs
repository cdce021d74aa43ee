//! Looks at disruption budgets, only where one stands against an eviction: some never will let a pod go.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::Api;
use kube::api::ListParams;
use millwright_api::{Machine, ObjectView};
use millwright_decide::drain::BudgetListing;

use super::remember;
use crate::Fleet;
use crate::client::TargetClient;

/// How long a look at a namespace's budgets holds for one drain.
const LISTING_LIFE: Duration = Duration::from_secs(60);

/// Whether the budget that stands against an eviction always will. What can't be looked up is taken for well.
pub(super) async fn is_misconfigured(
    fleet: &Fleet,
    target: &TargetClient,
    machine: &Machine,
    namespace: &str,
    budget: &str,
) -> bool {
    let Some((_, name)) = budget.split_once('/') else { return false };
    let now = fleet.now();
    let known = remember(fleet, machine, |drain| {
        let listing = drain.budgets.get(namespace)?;
        let age = Duration::try_from(now.duration_since(listing.at)).unwrap_or_default();
        (age < LISTING_LIFE).then(|| listing.misconfigured.contains(name))
    });
    if let Some(known) = known {
        return known;
    }
    let budgets: Api<PodDisruptionBudget> = Api::namespaced(target.0.clone(), namespace);
    let misconfigured: BTreeSet<String> = match budgets.list(&ListParams::default()).await {
        Ok(list) => list
            .items
            .iter()
            .filter(|budget| lets_no_pod_go(budget))
            .map(|budget| budget.name().to_owned())
            .collect(),
        Err(error) => {
            tracing::warn!(namespace, %error, "disruption budgets could not be listed");
            BTreeSet::new()
        }
    };
    let found = misconfigured.contains(name);
    remember(fleet, machine, |drain| {
        drain.budgets.insert(namespace.to_owned(), BudgetListing { at: now, misconfigured });
    });
    found
}

/// All its pods are well, and it lets none go all the same; as Gardener's controller judges it.
fn lets_no_pod_go(budget: &PodDisruptionBudget) -> bool {
    budget.status.as_ref().is_some_and(|status| {
        status.observed_generation == budget.metadata.generation
            && status.expected_pods > 0
            && status.current_healthy >= status.expected_pods
            && status.disrupted_pods.as_ref().is_none_or(|pods| pods.is_empty())
            && status.disruptions_allowed == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_budget_is_misconfigured_only_when_nothing_but_itself_is_in_the_way() {
        let budget = |change: &str, value: serde_json::Value| {
            let mut budget = json!({"metadata": {"name": "web", "generation": 3}, "spec": {}, "status": {
                "observedGeneration": 3, "expectedPods": 2, "currentHealthy": 2, "desiredHealthy": 2,
                "disruptionsAllowed": 0}});
            if !change.is_empty() {
                budget["status"][change] = value;
            }
            lets_no_pod_go(&serde_json::from_value(budget).expect("a budget"))
        };
        assert!(budget("", json!(null)));
        for (field, value) in [
            ("observedGeneration", json!(2)),
            ("expectedPods", json!(0)),
            ("currentHealthy", json!(1)),
            ("disruptionsAllowed", json!(1)),
            ("disruptedPods", json!({"web-1": "2026-01-01T00:00:00Z"})),
        ] {
            assert!(!budget(field, value), "{field}");
        }
        assert!(!lets_no_pod_go(&PodDisruptionBudget::default()));
    }
}
