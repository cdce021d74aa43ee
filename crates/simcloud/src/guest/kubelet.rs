//! A VM that joins as a kubelet does: user data, certificate, node, then lease, status and pods side by side.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::conditions::Conditions;
use super::{Guest, bootstrap, lease, node, offset, pods, register};
use crate::boot::Phase;
use crate::health::Health;
use crate::identity::Identity;
use crate::kube::KubeClient;
use crate::kubeconfig::{Access, Credential};

/// A kubelet posts an unchanged status this often.
const STATUS_INTERVAL: Duration = Duration::from_secs(300);
/// It looks this often whether its node says something else: a node life cycle controller that lost sight of a node calls it Unknown, and
/// only its kubelet takes that back.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

/// Why a kubelet ends although its VM has power.
#[derive(Debug)]
pub(super) enum Ended {
    /// Somebody deleted its node object.
    NodeGone,
    /// There is no way to go on; the reason is for the console.
    Hopeless(String),
}

pub(super) async fn run(guest: &mut Guest, health: watch::Receiver<Health>) {
    guest.enter(Phase::Joining);
    let ended = match join_and_stay(guest, health).await {
        Ok(never) => match never {},
        Err(ended) => ended,
    };
    match ended {
        Ended::NodeGone => {
            guest.print("the node object was deleted; a kubelet registers again only after a restart");
            guest.enter(Phase::NodeGone);
        }
        Ended::Hopeless(reason) => {
            guest.print(reason);
            guest.enter(Phase::Failed);
        }
    }
}

async fn join_and_stay(
    guest: &mut Guest,
    health: watch::Receiver<Health>,
) -> Result<std::convert::Infallible, Ended> {
    let identity = match guest.vm.identity.clone() {
        Some(identity) => identity,
        None => Box::pin(bootstrap::run(guest)).await?,
    };
    let client = client(guest, &identity)?;
    let conditions = Conditions::default().under(&health.borrow());
    let node = node::of_kubelet(guest, &identity, conditions.clone());
    let uid = Box::pin(register::run(guest, &client, node)).await;
    guest.enter(Phase::Joined);
    guest.print(format!("joined as node {}", identity.node_name));

    let name = identity.node_name.as_str();
    tokio::select! {
        ended = Box::pin(lease::keep(guest, &client, name, &uid)) => Err(ended),
        ended = Box::pin(keep_status(guest, &client, name, conditions, health)) => Err(ended),
        ended = Box::pin(pods::keep(guest, &client, name)) => Err(ended),
    }
}

fn client(guest: &Guest, identity: &Arc<Identity>) -> Result<KubeClient, Ended> {
    let access = Access {
        server: identity.server.clone(),
        ca_pem: identity.ca_pem.clone().into_bytes(),
        credential: Credential::Certificate {
            certificate_pem: identity.certificate_pem.clone().into_bytes(),
            key_pem: identity.key_pem.clone(),
        },
    };
    KubeClient::new(Arc::clone(&guest.environment.network), &access)
        .map_err(|error| Ended::Hopeless(error.to_string()))
}

/// Posts the status when the health changes or the node says something else, and rarely otherwise.
async fn keep_status(
    guest: &Guest,
    client: &KubeClient,
    name: &str,
    mut conditions: Conditions,
    mut health: watch::Receiver<Health>,
) -> Ended {
    let mut posted = Instant::now();
    let mut next = posted + offset(guest, LOOK_INTERVAL);
    loop {
        let is_due = tokio::select! {
            () = sleep_until(next) => match register::shown(guest, client, name).await {
                ControlFlow::Break(ended) => return ended,
                ControlFlow::Continue(shown) => {
                    shown.is_some_and(|shown| !conditions.are_shown_in(&shown))
                        || posted.elapsed() >= STATUS_INTERVAL
                }
            },
            changed = health.changed() => match changed {
                Ok(()) => true,
                // Whoever could change it is gone, and so is this guest in a moment.
                Err(_) => std::future::pending().await,
            },
        };
        next = Instant::now() + LOOK_INTERVAL;
        if !is_due {
            continue;
        }
        conditions = conditions.under(&health.borrow_and_update().clone());
        match register::post_status(guest, client, name, &conditions).await {
            ControlFlow::Break(ended) => return ended,
            ControlFlow::Continue(true) => posted = Instant::now(),
            // The next look finds out that it is due.
            ControlFlow::Continue(false) => {}
        }
    }
}
