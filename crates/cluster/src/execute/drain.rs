//! Lists, evicts and deletes pods at the target cluster, and notes what came of it.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::Eviction;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    DeleteOptions, ObjectMeta, Preconditions as EvictionPreconditions, Status,
};
use kube::Api;
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions};
use millwright_api::keys::annotations::MIRROR_POD;
use millwright_api::{Machine, ObjectView, controller_of};
use millwright_decide::drain::{EvictionOutcome, PodIdentity, PodListing, PodOnNode};

use super::ExecuteError;
use crate::Fleet;

/// A pod's grace time when its spec names none.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

/// The cause that the API server gives when a disruption budget stands against an eviction.
const BUDGET_CAUSE: &str = "DisruptionBudget";

/// Lists the pods of a node.
pub(super) async fn list_pods(fleet: &Fleet, machine: &Machine, node: &str) -> Result<(), ExecuteError> {
    let Some(target) = &fleet.parts.target else { return Ok(()) };
    let query = ListParams::default().fields(&format!("spec.nodeName={node}"));
    let pods = Api::<Pod>::all(target.0.clone())
        .list(&query)
        .await
        .map_err(|source| ExecuteError::new("list", "pods of node", node, source))?;
    let listing = PodListing { at: fleet.now(), pods: pods.items.iter().map(pod_on_node).collect() };
    fleet.memories.lock().machines.entry(machine.uid().to_owned()).or_default().drain.listed(listing);
    fleet.parts.queues.machines.add(machine.name().to_owned());
    Ok(())
}

fn pod_on_node(pod: &Pod) -> PodOnNode {
    let spec = pod.spec.as_ref();
    let grace = spec.and_then(|spec| spec.termination_grace_period_seconds);
    PodOnNode {
        id: PodIdentity {
            namespace: pod.namespace().to_owned(),
            name: pod.name().to_owned(),
            uid: pod.uid().to_owned(),
        },
        controller_kind: controller_of(&pod.metadata).map(|owner| owner.kind.clone()),
        mirror: pod.annotation(MIRROR_POD).is_some(),
        deleted_at: pod.deleted_at(),
        grace: grace
            .and_then(|seconds| u64::try_from(seconds).ok())
            .map_or(DEFAULT_GRACE, Duration::from_secs),
        priority: spec.and_then(|spec| spec.priority).unwrap_or(0),
    }
}

/// Evicts a pod. Typed and with the UID: kube's own eviction drops the options.
pub(super) async fn evict(fleet: &Fleet, machine: &Machine, pod: &PodIdentity) {
    let Some(target) = &fleet.parts.target else { return };
    let eviction = Eviction {
        metadata: ObjectMeta {
            name: Some(pod.name.clone()),
            namespace: Some(pod.namespace.clone()),
            ..ObjectMeta::default()
        },
        delete_options: Some(DeleteOptions {
            preconditions: Some(EvictionPreconditions { uid: Some(pod.uid.clone()), resource_version: None }),
            ..DeleteOptions::default()
        }),
    };
    let pods: Api<Pod> = Api::namespaced(target.0.clone(), &pod.namespace);
    let answer: kube::Result<Status> =
        pods.create_subresource("eviction", &pod.name, &PostParams::default(), &eviction).await;
    note(fleet, machine, pod, outcome(answer.map(drop), &pod.namespace));
}

/// Deletes a pod without grace and without asking its disruption budget.
pub(super) async fn delete(fleet: &Fleet, machine: &Machine, pod: &PodIdentity) {
    let Some(target) = &fleet.parts.target else { return };
    let pods: Api<Pod> = Api::namespaced(target.0.clone(), &pod.namespace);
    let precondition = Preconditions { uid: Some(pod.uid.clone()), resource_version: None };
    let params = DeleteParams::default().grace_period(0).preconditions(precondition);
    let answer = pods.delete(&pod.name, &params).await;
    note(fleet, machine, pod, outcome(answer.map(drop), &pod.namespace));
}

fn outcome(answer: kube::Result<()>, namespace: &str) -> EvictionOutcome {
    match answer {
        Ok(()) => EvictionOutcome::Accepted,
        Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => {
            EvictionOutcome::Accepted
        }
        // A server that is too busy says 429 too, without such a cause.
        Err(kube::Error::Api(status)) if status.code == 429 => {
            let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
            match causes.iter().find(|cause| cause.reason == BUDGET_CAUSE) {
                Some(cause) => EvictionOutcome::Blocked { budget: budget(&cause.message, namespace) },
                None => EvictionOutcome::Failed { message: status.message.clone() },
            }
        }
        Err(error) => EvictionOutcome::Failed { message: error.to_string() },
    }
}

/// The budget's name from the API server's sentence about it; a budget is in its pods' namespace.
fn budget(sentence: &str, namespace: &str) -> String {
    let name = sentence.strip_prefix("The disruption budget ").and_then(|rest| rest.split(' ').next());
    name.map_or_else(|| sentence.to_owned(), |name| format!("{namespace}/{name}"))
}

fn note(fleet: &Fleet, machine: &Machine, pod: &PodIdentity, outcome: EvictionOutcome) {
    let now = fleet.now();
    fleet
        .memories
        .lock()
        .machines
        .entry(machine.uid().to_owned())
        .or_default()
        .drain
        .tried(&pod.uid, now, outcome);
    fleet.parts.queues.machines.add(machine.name().to_owned());
}

#[cfg(test)]
mod tests {
    use kube::core::response::{Status as Answer, StatusCause, StatusDetails};

    use super::*;

    fn refused(causes: Vec<StatusCause>) -> EvictionOutcome {
        let none = String::new;
        let details = StatusDetails {
            name: none(),
            group: none(),
            kind: none(),
            uid: none(),
            causes,
            retry_after_seconds: 0,
        };
        let answer = Answer::failure(
            "Cannot evict pod as it would violate the pod's disruption budget.",
            "TooManyRequests",
        );
        outcome(Err(kube::Error::Api(Box::new(answer.with_code(429).with_details(details)))), "shop")
    }

    fn cause(message: &str) -> StatusCause {
        StatusCause { reason: BUDGET_CAUSE.into(), message: message.into(), field: String::new() }
    }

    #[test]
    fn a_budget_that_stands_against_an_eviction_is_known_by_its_name() {
        for (sentence, budget) in [
            ("The disruption budget web needs 1 healthy pods and has 1 currently", "shop/web"),
            ("The disruption budget web is still being processed by the server.", "shop/web"),
            ("Budgets are said otherwise now", "Budgets are said otherwise now"),
        ] {
            let expected = EvictionOutcome::Blocked { budget: budget.to_owned() };
            assert_eq!(refused(vec![cause(sentence)]), expected);
        }
    }

    #[test]
    fn a_busy_server_is_not_taken_for_a_budget() {
        assert!(matches!(refused(vec![]), EvictionOutcome::Failed { .. }));
    }
}
