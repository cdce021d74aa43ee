//! Two controllers, one leader.

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;

use crate::fleet::Fleet;
use crate::runtime::run;

/// Soon taken over, and still long enough to be renewed on a busy machine.
pub(crate) const SHORT_LEASE: [&str; 3] = [
    "--leader-elect-lease-duration=10s",
    "--leader-elect-renew-deadline=8s",
    "--leader-elect-retry-period=1s",
];

async fn holders(fleet: &Fleet) -> Vec<String> {
    let leases: Api<Lease> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
    let mut holders = Vec::new();
    for name in ["machine-controller-manager", "machine-controller"] {
        let lease = leases.get(name).await.unwrap();
        holders.extend(lease.spec.and_then(|spec| spec.holder_identity));
    }
    holders
}

#[test]
fn only_the_leader_acts_and_when_it_is_killed_the_other_takes_over() {
    run(async {
        let mut fleet = Fleet::start("elect", &SHORT_LEASE).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        let first = holders(&fleet).await;
        fleet.start_controller(&SHORT_LEASE).await;
        fleet.scale(2).await;
        fleet.settled(2).await;
        assert_eq!(holders(&fleet).await, first);
        assert_eq!(fleet.controllers[1].writes().await, 0, "the one that waits wrote something");

        fleet.kill_controller();
        fleet.scale(3).await;
        fleet.settled(3).await;
        let second = holders(&fleet).await;
        assert!(second.len() == 2 && second.iter().all(|holder| !first.contains(holder)), "{second:?}");
        assert!(fleet.controllers[0].writes().await > 0);
        fleet.close().await;
    });
}
