//! A whole API server that goes away for longer than a machine may be unhealthy, in a house of its own. The tests lie apart, because they
//! begin in the order of their names and two that wait for the same turn would hold up all others.

use std::sync::Arc;
use std::time::Duration;

use millwright_testbed::Testbed;

use crate::fleet::{Fleet, Webhook};
use crate::house::own_house;
use crate::standing::Standing;

const AWAY: Duration = Duration::from_secs(60);
/// Longer than simulated kubelets take to be seen again, and less than the API server is away.
const FLAGS: [&str; 1] = ["--machine-health-timeout=40s"];
/// Whoever is judged for what was not seen is given up in this time.
const AFTERWARDS: Duration = Duration::from_secs(50);

/// What happens to the API server.
#[derive(Clone, Copy)]
pub(crate) enum Outage {
    /// It dies and is started anew.
    Dead,
    /// It hangs: who asks waits.
    Asleep,
}

impl Outage {
    async fn last(self, testbed: &Testbed) {
        match self {
            Self::Dead => {
                testbed.kill_api_server();
                tokio::time::sleep(AWAY).await;
                testbed.start_api_server().await.unwrap_or_else(|error| panic!("{error}"));
            }
            Self::Asleep => {
                testbed.pause_api_server();
                tokio::time::sleep(AWAY).await;
                testbed.resume_api_server();
            }
        }
    }
}

/// Nobody is replaced, and afterwards the controller works as before.
pub(crate) async fn costs_no_machine(prefix: &str, outage: Outage) {
    let house = own_house().await;
    let mut fleet = Fleet::within(Arc::clone(&house), prefix, Webhook::Asked).await;
    fleet.apply(&fleet.class("v1")).await;
    fleet.start_controller(&FLAGS).await;
    fleet.apply(&fleet.deployment("v1", 4)).await;
    fleet.settled(4).await;
    let standing = Standing::of(&fleet);

    let ends = fleet.keep_controller(&FLAGS, outage.last(&house.testbed)).await;
    println!("{prefix}: away for {} s; the controller ended {} times: {ends:?}", AWAY.as_secs(), ends.len());
    fleet.settled(4).await;
    // The controllers of the cluster itself come back one after the other, and nodes may be called Unknown meanwhile.
    tokio::time::sleep(AFTERWARDS).await;
    fleet.settled(4).await;
    standing.must_be_untouched(&fleet);

    fleet.scale(5).await;
    fleet.settled(5).await;
    fleet.close().await;
}
