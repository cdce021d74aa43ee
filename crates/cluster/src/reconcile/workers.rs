//! Owns the workers of a fleet.

use std::future::Future;
use std::sync::Arc;

use tokio::task::JoinSet;
use tracing::Instrument;

use super::{class, deployment, machine, machineset, secret};
use crate::Fleet;
use crate::fleet::LEASE_PAUSE;
use crate::queue::WorkQueue;

/// How many objects of each kind are worked on at the same time: flag `--concurrent-syncs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// Machines; 0 when the machine controller runs elsewhere.
    pub machines: usize,
    /// Sets; 0 when their controller runs elsewhere.
    pub sets: usize,
    /// Deployments; 0 when their controller runs elsewhere.
    pub deployments: usize,
}

/// Starts the workers. They end when the fleet's queues are shut down; the set ends with an error when one panicked.
pub fn run_workers(fleet: &Arc<Fleet>, workers: Workers, tasks: &mut JoinSet<()>) {
    let queues = &fleet.parts.queues;
    for _ in 0..workers.machines {
        tasks.spawn(work(fleet.clone(), queues.machines.clone(), "machine", machine::reconcile));
    }
    for _ in 0..workers.sets {
        tasks.spawn(work(fleet.clone(), queues.sets.clone(), "machineset", machineset::reconcile));
    }
    for _ in 0..workers.deployments {
        tasks.spawn(work(
            fleet.clone(),
            queues.deployments.clone(),
            "machinedeployment",
            deployment::reconcile,
        ));
    }
    // Classes and Secrets have no work of their own but their finalizer.
    if workers.machines > 0 {
        tasks.spawn(work(fleet.clone(), queues.classes.clone(), "machineclass", class::reconcile));
        tasks.spawn(work(fleet.clone(), queues.secrets.clone(), "secret", secret::reconcile));
    }
    // What nobody works on must not pile up: neither in memory nor in a metric that somebody watches.
    for (count, queue) in [
        (workers.machines, &queues.machines),
        (workers.machines, &queues.classes),
        (workers.machines, &queues.secrets),
        (workers.sets, &queues.sets),
        (workers.deployments, &queues.deployments),
    ] {
        if count == 0 {
            queue.shutdown();
        }
    }
}

async fn work<F, R>(fleet: Arc<Fleet>, queue: WorkQueue<String>, kind: &'static str, reconcile: F)
where
    F: Fn(Arc<Fleet>, String) -> R,
    R: Future<Output = ()>,
{
    while let Some(key) = queue.next().await {
        if fleet.may_write() {
            let span = tracing::info_span!("reconcile", kind, name = %key.key());
            reconcile(fleet.clone(), key.key().clone()).instrument(span).await;
        } else {
            // The lease may only be late; when it is lost, the process ends and nobody comes back to this.
            queue.add_after(key.key().clone(), LEASE_PAUSE);
        }
        key.done();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{FakeServer, fleet, machine};
    use crate::leader::Leadership;

    #[tokio::test(start_paused = true)]
    async fn work_that_another_process_does_never_piles_up() {
        let (fleet, _) = fleet(&FakeServer::default(), Leadership::undisputed());
        let mut tasks = JoinSet::new();
        run_workers(&fleet, Workers { machines: 0, sets: 1, deployments: 1 }, &mut tasks);
        for number in 0..100 {
            fleet.update(|index| index.apply_machine(machine(&format!("m-{number}"))));
        }
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        let queues = &fleet.parts.queues;
        assert_eq!([queues.machines.len(), queues.classes.len(), queues.secrets.len()], [0; 3]);
        assert!(tasks.try_join_next().is_none(), "the others are at work");
    }
}
