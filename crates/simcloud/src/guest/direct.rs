//! A VM whose node the simulator registers itself, Ready in the request that creates it.
//!
//! There is no lease and nobody looks after pods: it is for benches against a control plane without
//! a node lifecycle controller, where only the machine controller's own cost should show.

use std::ops::ControlFlow;

use tokio::sync::watch;

use super::conditions::Conditions;
use super::patience::Patience;
use super::{Guest, kubelet::Ended, node, register};
use crate::boot::Phase;
use crate::health::Health;
use crate::kube::KubeClient;

pub(super) async fn run(guest: &Guest, mut health: watch::Receiver<Health>) {
    let Some(client) = &guest.environment.direct else {
        guest.print("boot mode direct needs a cloud that was started with --kubeconfig");
        guest.enter(Phase::Failed);
        return;
    };
    let mut conditions = Conditions::default().under(&health.borrow_and_update());
    if guest.vm.phase != Phase::Joined {
        let node = node::of_simulator(guest, conditions.clone());
        Box::pin(register::run(guest, client, node)).await;
        guest.enter(Phase::Joined);
    }
    while health.changed().await.is_ok() {
        conditions = conditions.under(&health.borrow_and_update());
        if let ControlFlow::Break(Ended::NodeGone) = post(guest, client, &conditions).await {
            guest.enter(Phase::NodeGone);
            return;
        }
    }
}

async fn post(guest: &Guest, client: &KubeClient, conditions: &Conditions) -> ControlFlow<Ended> {
    let mut patience = Patience::default();
    while let ControlFlow::Continue(posted) =
        register::post_status(guest, client, &guest.vm.name, conditions).await
    {
        if posted {
            return ControlFlow::Continue(());
        }
        patience.wait().await;
    }
    ControlFlow::Break(Ended::NodeGone)
}
