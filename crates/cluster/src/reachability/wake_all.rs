//! After a time without judgement everybody is looked at again: while it lasted, nobody was told when to come back.

use std::time::Duration;

use millwright_api::ObjectView;

use crate::Fleet;

/// Between two machines, so that a large fleet does not ask for everything in the moment in which a server is back.
const STEP: Duration = Duration::from_millis(10);

/// The last one comes no later than this.
const LONGEST: Duration = Duration::from_secs(30);

pub(super) fn wake_all(fleet: &Fleet) {
    let names = |objects: Vec<&str>| objects.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (machines, sets, deployments, classes, secrets) = fleet.with_index(|index| {
        (
            names(index.machines().map(|object| object.name()).collect()),
            names(index.sets().map(|object| object.name()).collect()),
            names(index.deployments().map(|object| object.name()).collect()),
            names(index.classes().map(|object| object.name()).collect()),
            names(index.secrets().map(|object| object.name()).collect()),
        )
    });
    let queues = &fleet.parts.queues;
    let count = u32::try_from(machines.len()).unwrap_or(u32::MAX).max(1);
    let step = STEP.min(LONGEST / count);
    let mut wait = Duration::ZERO;
    for name in machines {
        queues.machines.add_after(name, wait);
        wait += step;
    }
    sets.into_iter().for_each(|name| queues.sets.add(name));
    deployments.into_iter().for_each(|name| queues.deployments.add(name));
    classes.into_iter().for_each(|name| queues.classes.add(name));
    secrets.into_iter().for_each(|name| queues.secrets.add(name));
}
