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
    note(fleet, machine, pod, outcome(answer.map(drop)));
}

/// Deletes a pod without grace and without asking its disruption budget.
pub(super) async fn delete(fleet: &Fleet, machine: &Machine, pod: &PodIdentity) {
    let Some(target) = &fleet.parts.target else { return };
    let pods: Api<Pod> = Api::namespaced(target.0.clone(), &pod.namespace);
    let precondition = Preconditions { uid: Some(pod.uid.clone()), resource_version: None };
    let params = DeleteParams::default().grace_period(0).preconditions(precondition);
    let answer = pods.delete(&pod.name, &params).await;
    note(fleet, machine, pod, outcome(answer.map(drop)));
}

fn outcome(answer: kube::Result<()>) -> EvictionOutcome {
    match answer {
        Ok(()) => EvictionOutcome::Accepted,
        Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => {
            EvictionOutcome::Accepted
        }
        Err(kube::Error::Api(status)) if status.code == 429 => EvictionOutcome::Blocked {
            budget: status
                .details
                .as_ref()
                .and_then(|details| details.causes.first())
                .map_or_else(|| status.message.clone(), |cause| cause.message.clone()),
        },
        Err(error) => EvictionOutcome::Failed { message: error.to_string() },
    }
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
