//! How long a deletion takes that has nothing to wait for.

use std::time::{Duration, Instant};

use kube::Api;
use millwright_api::Machine;

use crate::fleet::Fleet;
use crate::runtime::run;

/// Two seconds are the aim on a machine with nothing else to do; this holds on one that is busy.
const LONGEST: Duration = Duration::from_secs(10);

#[test]
fn a_machine_with_nothing_to_drain_is_gone_within_seconds() {
    run(async {
        let fleet = Fleet::start("quick", &[]).await;
        fleet.apply(&fleet.deployment("v1", 5)).await;
        let machines = fleet.settled(5).await;
        let api: Api<Machine> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
        let mut took = Vec::new();
        for machine in &machines {
            let begin = Instant::now();
            api.delete(machine, &kube::api::DeleteParams::default()).await.unwrap();
            while fleet.history.now().contains_key(machine) {
                assert!(begin.elapsed() <= LONGEST, "{machine} is still there after {LONGEST:?}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            took.push(begin.elapsed().as_millis());
            assert!(fleet.vm(machine).is_none());
        }
        took.sort_unstable();
        println!("from DELETE of a Machine to its end, ms: {took:?}, median {}", took[took.len() / 2]);
        fleet.settled(5).await;
        fleet.close().await;
    });
}
