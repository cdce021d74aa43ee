//! One probe of both API servers: a read of one object that needs their storage, as all our work does.
//!
//! A list, not a get: nodes may only be listed, and "there is none" is then a positive answer, which a proxy's "not
//! found" is not. Anything else counts as silence, a refusal too: we would see nothing through it.

use std::fmt::Debug;
use std::time::Duration;

use kube::api::ListParams;
use kube::{Api, Client, Resource};
use millwright_api::{Machine, NodeView};
use millwright_decide::freeze::ProbeAnswer;
use serde::de::DeserializeOwned;

use crate::Fleet;
use crate::client::{Side, explain};

/// What no object should be called; one that is does no harm.
const NAME: &str = "reachability-probe";

/// Clients of both clusters that wait for nobody: a probe that stands in line behind our own requests says nothing
/// about the server.
#[derive(Clone)]
pub struct ProbeClients {
    /// Of the control cluster.
    pub control: Client,
    /// Of the target cluster; `None` when there is none.
    pub target: Option<Client>,
}

/// Asks both at the same time, so that one that hangs does not delay the other.
pub(super) async fn ask(fleet: &Fleet, clients: &ProbeClients, limit: Duration) -> ProbeAnswer {
    let asked_at = fleet.now();
    let control = async {
        let machines = Api::<Machine>::namespaced(clients.control.clone(), &fleet.parts.namespace);
        ask_one(Side::Control, &machines, limit).await
    };
    let target = async {
        match &clients.target {
            Some(client) => ask_one(Side::Target, &Api::<NodeView>::all(client.clone()), limit).await,
            None => Ok(()),
        }
    };
    let complaints: Vec<String> = match tokio::join!(control, target) {
        (Ok(()), Ok(())) => return ProbeAnswer::Answered { asked_at },
        (control, target) => [control.err(), target.err()].into_iter().flatten().collect(),
    };
    ProbeAnswer::Silent { asked_at, reason: complaints.join("; ") }
}

async fn ask_one<K>(side: Side, api: &Api<K>, limit: Duration) -> Result<(), String>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let one = ListParams::default().fields(&format!("metadata.name={NAME}")).limit(1);
    let reason = match tokio::time::timeout(limit, api.list_metadata(&one)).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => explain(&error),
        Err(_) => format!("no answer within {limit:?}"),
    };
    Err(format!("{side}: {reason}"))
}
