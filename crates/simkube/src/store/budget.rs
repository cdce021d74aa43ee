//! Disruption budgets of pods: of which pod, and whether it may go.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Caller, Past, Store, Target};
use crate::{kinds, object, refusal::Refusal, selector::LabelSelector};

/// What a budget says to the eviction of one pod.
#[derive(Debug)]
pub(super) enum Permission {
    Granted,
    /// Granted, and the budget's status counts the pod as disrupted.
    Counted(Value),
}

impl Store {
    /// The budgets that select a pod.
    pub(super) fn budgets_of(&self, pod: &Value) -> Vec<Arc<Value>> {
        let Some(kind) = kinds::named("poddisruptionbudgets") else { return Vec::new() };
        let namespace = object::meta(pod, "namespace");
        let budgets = self.all(kind, Past::Now).map(|(_, budget)| budget);
        budgets
            .filter(|budget| object::meta(budget, "namespace") == namespace)
            .filter(|budget| {
                LabelSelector::from_object(&budget["spec"]["selector"])
                    .is_some_and(|selector| selector.selects(&pod["metadata"]["labels"]))
            })
            .collect()
    }

    /// Whether a budget lets a pod go. Its status decides when somebody has written one, as in a real cluster;
    /// otherwise the pods that are there are counted.
    pub(super) fn permission(&self, budget: &Value, pod: &Value, by: &Caller) -> Result<Permission, Refusal> {
        let tally = self.tally(budget);
        let unhealthy_may_go = match budget["spec"]["unhealthyPodEvictionPolicy"].as_str() {
            Some("AlwaysAllow") => true,
            _ => tally.healthy >= tally.desired && tally.desired > 0,
        };
        if !is_ready(pod) && unhealthy_may_go {
            return Ok(Permission::Granted);
        }
        let name = object::meta(budget, "name");
        if tally.observed.is_some_and(|observed| observed < object::generation(budget)) {
            let why = format!("The disruption budget {name} is still being processed by the server.");
            return Err(refuse(&why, Some(10)));
        }
        if tally.allowed <= 0 {
            return Err(refuse(&blocked(name, &tally), None));
        }
        let Some(_) = tally.observed else { return Ok(Permission::Granted) };
        let mut counted = budget.clone();
        let status = object::member(&mut counted, "status");
        status.insert("disruptionsAllowed".to_owned(), json!(tally.allowed - 1));
        let pods = status.entry("disruptedPods").or_insert_with(|| json!({}));
        pods[object::meta(pod, "name")] = object::wire_time(by.now);
        Ok(Permission::Counted(counted))
    }

    pub(super) fn count(&mut self, by: &Caller, budget: Value) {
        let Some(kind) = kinds::named("poddisruptionbudgets") else { return };
        let (namespace, name) =
            (object::meta(&budget, "namespace").to_owned(), object::meta(&budget, "name").to_owned());
        self.commit(by, &Target { kind, namespace, name }, "status", Some(budget));
    }

    fn tally(&self, budget: &Value) -> Tally {
        let status = &budget["status"];
        let number = |field: &str| status[field].as_i64().unwrap_or_default();
        if let Some(allowed) = status["disruptionsAllowed"].as_i64() {
            let observed = Some(number("observedGeneration"));
            return Tally {
                allowed,
                healthy: number("currentHealthy"),
                desired: number("desiredHealthy"),
                observed,
            };
        }
        let pods = self.pods_of(budget);
        let expected = i64::try_from(pods.len()).unwrap_or(i64::MAX);
        let healthy = pods.iter().filter(|pod| is_ready(pod) && !object::is_deleting(pod)).count();
        let healthy = i64::try_from(healthy).unwrap_or(i64::MAX);
        let spec = &budget["spec"];
        let desired =
            match (amount(&spec["minAvailable"], expected), amount(&spec["maxUnavailable"], expected)) {
                (Some(least), _) => least,
                (None, Some(most)) => (expected - most).max(0),
                (None, None) => 0,
            };
        Tally { allowed: (healthy - desired).max(0), healthy, desired, observed: None }
    }

    fn pods_of(&self, budget: &Value) -> Vec<Arc<Value>> {
        let (Some(kind), Some(selector)) =
            (kinds::named("pods"), LabelSelector::from_object(&budget["spec"]["selector"]))
        else {
            return Vec::new();
        };
        let namespace = object::meta(budget, "namespace");
        let pods = self.all(kind, Past::Now).map(|(_, pod)| pod);
        pods.filter(|pod| object::meta(pod, "namespace") == namespace)
            .filter(|pod| selector.selects(&pod["metadata"]["labels"]))
            .filter(|pod| !matches!(pod["status"]["phase"].as_str(), Some("Failed" | "Succeeded")))
            .collect()
    }
}

struct Tally {
    allowed: i64,
    healthy: i64,
    desired: i64,
    /// The generation that the status is of; `None` when nobody has written one.
    observed: Option<i64>,
}

/// An integer, or a percentage rounded up.
fn amount(value: &Value, of: i64) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let percent: i64 = value.as_str()?.strip_suffix('%')?.parse().ok()?;
    Some((percent * of + 99) / 100)
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn blocked(name: &str, tally: &Tally) -> String {
    if tally.healthy <= tally.desired {
        let Tally { healthy, desired, .. } = tally;
        return format!(
            "The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        );
    }
    format!("The disruption budget {name} does not allow evicting pods currently")
}

fn refuse(why: &str, retry_after: Option<i64>) -> Refusal {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let mut refusal = Refusal::new(429, "TooManyRequests", message);
    *refusal.details = json!({ "causes": [{ "reason": "DisruptionBudget", "message": why }] });
    if let Some(seconds) = retry_after {
        refusal.details["retryAfterSeconds"] = json!(seconds);
    }
    refusal
}
