//! Lists, evicts and deletes pods at the target cluster, and notes what came of it in the fleet's memory, where the next
//! decision finds it.

mod answer;
mod budgets;
mod pod_volumes;

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
use millwright_decide::drain::{DrainMemory, EvictionOutcome, PodIdentity, PodListing, PodOnNode};

use super::ExecuteError;
use crate::Fleet;
use crate::event_sorts::DRAIN_BLOCKED;

/// A pod's grace time when its spec names none.
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

/// Lists the pods of a node, and finds out about their volumes what is not known yet.
pub(super) async fn list_pods(fleet: &Fleet, machine: &Machine, node: &str) -> Result<(), ExecuteError> {
    let Some(target) = &fleet.parts.target else { return Ok(()) };
    let query = ListParams::default().fields(&format!("spec.nodeName={node}"));
    // Before the request: the answer is no older than this.
    let at = fleet.now();
    let pods = Api::<Pod>::all(target.0.clone())
        .list(&query)
        .await
        .map_err(|source| ExecuteError::new("list", "pods of node", node, source))?;
    let listing = PodListing { at, pods: pods.items.iter().map(pod_on_node).collect() };
    remember(fleet, machine, |drain| drain.listed(listing));
    pod_volumes::look_up(fleet, target, machine, &pods.items, at).await;
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

/// Notes that we cordoned the machine's node: an older listing may miss a pod.
pub(super) fn cordoned(fleet: &Fleet, machine: &Machine) {
    let now = fleet.now();
    remember(fleet, machine, |drain| drain.cordoned(now));
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
    let answer = answer.map(drop);
    let wish = answer::retry_after(&answer);
    let mut outcome = answer::outcome(answer, pod);
    if let EvictionOutcome::Blocked { budget } = &outcome
        && budgets::is_misconfigured(fleet, target, machine, &pod.namespace, budget).await
    {
        outcome = EvictionOutcome::Misconfigured { budget: budget.clone() };
    }
    let now = fleet.now();
    let is_news = remember(fleet, machine, |drain| {
        drain.tried(&pod.uid, now, outcome.clone());
        if let Some(wish) = wish {
            drain.told_to_wait(&pod.uid, wish);
        }
        drain.is_news(&pod.uid, &outcome)
    });
    if let Some(message) = complaint(pod, &outcome).filter(|_| is_news) {
        tracing::warn!(machine = machine.name(), "{message}");
        fleet.event(machine, &DRAIN_BLOCKED, message);
    }
    fleet.parts.queues.machines.add(machine.name().to_owned());
}

/// What users are told once of a pod that does not go.
fn complaint(pod: &PodIdentity, outcome: &EvictionOutcome) -> Option<String> {
    let PodIdentity { namespace, name, .. } = pod;
    match outcome {
        EvictionOutcome::Blocked { budget } => {
            Some(format!("Pod {namespace}/{name} is held back by disruption budget {budget}"))
        }
        EvictionOutcome::Misconfigured { budget } => Some(format!(
            "error while evicting pod {name:?}: pod disruption budget {budget} is misconfigured and requires zero \
             voluntary evictions"
        )),
        EvictionOutcome::Accepted | EvictionOutcome::Failed { .. } => None,
    }
}

/// Deletes a pod without grace and without asking its disruption budget.
pub(super) async fn delete(fleet: &Fleet, machine: &Machine, pod: &PodIdentity) {
    let Some(target) = &fleet.parts.target else { return };
    let pods: Api<Pod> = Api::namespaced(target.0.clone(), &pod.namespace);
    let precondition = Preconditions { uid: Some(pod.uid.clone()), resource_version: None };
    let params = DeleteParams::default().grace_period(0).preconditions(precondition);
    let answer = pods.delete(&pod.name, &params).await.map(drop);
    let wish = answer::retry_after(&answer);
    let outcome = answer::outcome(answer, pod);
    if let EvictionOutcome::Failed { message } = &outcome {
        tracing::warn!(machine = machine.name(), pod = pod.name, namespace = pod.namespace, %message, "a pod could not be deleted");
    }
    let now = fleet.now();
    remember(fleet, machine, |drain| {
        drain.deleted(&pod.uid, now, outcome);
        if let Some(wish) = wish {
            drain.told_to_wait(&pod.uid, wish);
        }
    });
    fleet.parts.queues.machines.add(machine.name().to_owned());
}

/// Reads or notes what is known of the machine's drain.
fn remember<R>(fleet: &Fleet, machine: &Machine, note: impl FnOnce(&mut DrainMemory) -> R) -> R {
    note(&mut fleet.memories.lock().machines.entry(machine.uid().to_owned()).or_default().drain)
}
