//! Evictions and disruption budgets.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::Eviction;
use kube::Api;
use kube::api::{ObjectMeta, PostParams};
use kube::core::Status;
use millwright_simkube::SimKube;
use serde_json::{Value, json};

use crate::paused::{NAMESPACE, pod};

async fn evict(sim: &SimKube, name: &str) -> Result<Status, Box<Status>> {
    let api: Api<Pod> = Api::namespaced(sim.client("us", NAMESPACE), NAMESPACE);
    let eviction = Eviction {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        delete_options: None,
    };
    match api.create_subresource("eviction", name, &PostParams::default(), &eviction).await {
        Ok(status) => Ok(status),
        Err(kube::Error::Api(status)) => Err(status),
        Err(other) => panic!("{other}"),
    }
}

fn budget(name: &str, spec: &Value) -> Value {
    let mut budget = json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": { "name": name, "namespace": NAMESPACE },
        "spec": { "selector": { "matchLabels": { "app": "web" } } },
    });
    for (field, value) in spec.as_object().unwrap() {
        budget["spec"][field] = value.clone();
    }
    budget
}

#[tokio::test(start_paused = true)]
async fn a_budget_lets_as_many_pods_go_as_it_can_spare() {
    for spec in [json!({"minAvailable": 2}), json!({"maxUnavailable": 1}), json!({"minAvailable": "60%"})] {
        let sim = SimKube::new();
        for name in ["a", "b", "c"] {
            sim.operator().apply(pod(name, "web", "True")).unwrap();
        }
        sim.operator().apply(budget("guard", &spec)).unwrap();
        evict(&sim, "a").await.unwrap();
        let refusal = evict(&sim, "b").await.unwrap_err();
        assert_eq!(refusal.code, 429, "{spec}");
        let causes = refusal.details.unwrap().causes;
        assert_eq!(causes[0].reason, "DisruptionBudget");
        assert_eq!(causes[0].message, "The disruption budget guard needs 2 healthy pods and has 2 currently");

        let a = sim.operator().get("pods", NAMESPACE, "a").unwrap();
        assert!(a["metadata"]["deletionTimestamp"].is_string(), "the kubelet ends it");
        sim.operator().finish("pods", NAMESPACE, "a").unwrap();
        assert!(sim.operator().get("pods", NAMESPACE, "a").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn an_unready_pod_may_go_when_the_budget_is_kept_without_it() {
    let sim = SimKube::new();
    for (name, ready) in [("a", "True"), ("b", "False")] {
        sim.operator().apply(pod(name, "web", ready)).unwrap();
    }
    sim.operator().apply(budget("guard", &json!({"minAvailable": 1}))).unwrap();
    evict(&sim, "b").await.unwrap();
    assert_eq!(evict(&sim, "a").await.unwrap_err().code, 429);
}

#[tokio::test(start_paused = true)]
async fn a_written_status_decides_and_is_counted_down() {
    let sim = SimKube::new();
    for name in ["a", "b"] {
        sim.operator().apply(pod(name, "web", "True")).unwrap();
    }
    let mut guard = budget("guard", &json!({"minAvailable": 2}));
    guard["status"] = json!({"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "observedGeneration": 1, "expectedPods": 2});
    sim.operator().apply(guard).unwrap();
    evict(&sim, "a").await.unwrap();
    let guard = sim.operator().get("poddisruptionbudgets", NAMESPACE, "guard").unwrap();
    assert_eq!(guard["status"]["disruptionsAllowed"], 0);
    assert!(guard["status"]["disruptedPods"]["a"].is_string());
    assert_eq!(evict(&sim, "b").await.unwrap_err().code, 429);
}

#[tokio::test(start_paused = true)]
async fn two_budgets_for_a_pod_are_a_mistake() {
    let sim = SimKube::new();
    sim.operator().apply(pod("a", "web", "True")).unwrap();
    for name in ["one", "two"] {
        sim.operator().apply(budget(name, &json!({"minAvailable": 0}))).unwrap();
    }
    let refusal = evict(&sim, "a").await.unwrap_err();
    assert_eq!(refusal.code, 500);
    assert!(refusal.message.contains("more than one PodDisruptionBudget"), "{}", refusal.message);
}
