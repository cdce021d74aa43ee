//! kubermatic/machine-controller #2080: after the quota was raised the machine stayed in its error, the creation was never tried again.

use super::prelude::*;
use millwright_simcloud::{Quota, Scarcity};

#[test]
fn a_machine_comes_when_the_quota_is_raised() {
    let played = in_world(alone(), |world| async move {
        let none = Quota { zone: None, size: None, limit: 0, scarcity: Scarcity::Quota };
        world.cloud.set_quotas(vec![none]).unwrap();
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world
            .until("it says why", || {
                world.machine("solo").unwrap()["status"]["lastOperation"]["errorCode"] == "ResourceExhausted"
            })
            .await;
        world.rest(Duration::from_secs(300)).await;
        world.cloud.set_quotas(Vec::new()).unwrap();
        world.until_running(1).await;
    });
    played.clean();
}
