//! kubermatic/kubermatic #1437: the API server served a stale watch without ever breaking it; a deletion was not seen until somebody
//! restarted it.

use super::prelude::*;
use millwright_simkube::{WatchFault, Watches};

#[test]
fn a_deletion_that_the_watch_never_tells_is_found_by_the_next_relist() {
    let played = in_world(alone().with("--watch-relist-period=10m"), |world| async move {
        solo_running(&world).await;
        world.kube.watch_faults(Watches::of("machines"), WatchFault::DropEvents(1));
        world.delete("machines", "solo");
        let asked = world.conductor.elapsed();
        world.until("it is gone", || gone(&world)).await;
        assert!(world.conductor.elapsed() - asked < Duration::from_secs(660));
    });
    played.clean();
}
