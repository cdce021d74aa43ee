//! A controller that dies at the worst moment.

use std::collections::BTreeSet;

use millwright_simcloud::{Effect, Fault, Operation};

use crate::election::SHORT_LEASE;
use crate::fleet::Fleet;
use crate::runtime::run;

const MACHINES: usize = 20;

#[test]
fn a_controller_killed_while_it_creates_machines_leaves_no_machine_twice() {
    run(async {
        let mut fleet = Fleet::start("crash", &SHORT_LEASE).await;
        // The first half is made at once, the second half while nobody waits for the answers any more.
        let slow = Fault::always(Operation::CreateVm, Effect::Latency { seconds: 5.0 });
        fleet.cloud().arm(Fault { nth: 11, ..slow }).unwrap();
        fleet.apply(&fleet.deployment("v1", 20)).await;
        fleet.until("some VMs exist", async |fleet| (!fleet.cloud().vms().is_empty()).then_some(())).await;
        fleet.kill_controller();
        fleet.cloud().disarm();
        fleet.start_controller(&SHORT_LEASE).await;
        fleet.settled(MACHINES).await;
        let calls = fleet.cloud().stats().calls;
        assert_eq!(
            calls.get(&Operation::DeleteVm).copied().unwrap_or_default(),
            0,
            "there was a VM too many"
        );
        let names: BTreeSet<String> = fleet.cloud().vms().into_iter().map(|vm| vm.name).collect();
        assert_eq!(names.len(), MACHINES);
        fleet.close().await;
    });
}
