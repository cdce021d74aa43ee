//! A controller that has nothing to do does nothing.

use std::time::Duration;

use millwright_testbed::Identity;

use crate::audit::{Request, requests_of};
use crate::fleet::Fleet;
use crate::runtime::run;

fn writes(fleet: &Fleet) -> Vec<Request> {
    let is_work = |request: &Request| {
        request.is_write() && request.resource != "leases" && request.is_of(&fleet.namespace)
    };
    requests_of(&fleet.house, Identity::Controller).into_iter().filter(is_work).collect()
}

#[test]
fn at_rest_nothing_is_written_but_leases() {
    run(async {
        let fleet = Fleet::start("rest", &[]).await;
        fleet.apply(&fleet.deployment("v1", 3)).await;
        fleet.settled(3).await;
        fleet
            .until("the last work is done", async |fleet| {
                let before = writes(fleet).len();
                tokio::time::sleep(Duration::from_secs(4)).await;
                (before > 0 && writes(fleet).len() == before).then_some(())
            })
            .await;
        let before = writes(&fleet).len();
        tokio::time::sleep(Duration::from_secs(20)).await;
        let after = writes(&fleet);
        assert_eq!(after.len(), before, "{:#?}", &after[before..]);
        fleet.close().await;
    });
}
