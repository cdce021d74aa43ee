//! How long a deletion takes that has nothing to wait for: two seconds, and what the cloud takes for itself. Time is
//! simulated, so what is measured is what the program waits for and never what else the machine is doing.

use std::time::Duration;

use millwright_simcloud::{Effect, Fault, Operation};

use crate::world::objects;
use crate::world::{CloudFault, Party, Plan, Point, Setting, Signature, Strike, World, in_world};

/// What a death may take beside the cloud's own time.
const PROMPT: Duration = Duration::from_secs(2);
/// How often a cloud is looked at that has said nothing of when it will be done, and the list of those that die together.
const LOOK: Duration = Duration::from_millis(2250);
const GLANCE: Duration = Duration::from_millis(10);

/// Machines of their own run, and nothing is on their nodes.
async fn running(world: &World, names: &[String]) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    names.iter().for_each(|name| drop(world.apply(objects::machine(name))));
    world.start();
    world.until_running(names.len()).await;
    // What follows a birth is not what is measured.
    world.rest(Duration::from_secs(60)).await;
}

/// From the deletion of these machines to the end of the last of them.
async fn time_to_go(world: &World, names: &[String]) -> Duration {
    let began = world.conductor.elapsed();
    names.iter().for_each(|name| world.delete("machines", name));
    while names.iter().any(|name| world.machine(name).is_some()) {
        assert!(world.conductor.elapsed() - began < crate::world::PATIENCE, "they never go");
        world.rest(GLANCE).await;
    }
    let left: Vec<String> = world.cloud.vms().into_iter().map(|vm| vm.name).collect();
    assert!(names.iter().all(|name| !left.contains(name)), "of {left:?} somebody went before its VM");
    world.conductor.elapsed() - began
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("w-{number}")).collect()
}

/// Writes to API servers since there were so many of all.
fn api_writes(world: &World, before: usize) -> Vec<String> {
    let writes = world.writes();
    let to_api = writes[before..].iter().filter(|write| write.point.signature.party == Party::Api);
    to_api.map(|write| write.point.to_string()).collect()
}

#[test]
fn a_machine_costs_seven_writes_to_be_born_and_goes_by_four_within_two_seconds() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        // Its class is in use, so that what the first of a class costs is not counted.
        running(&world, &["first".to_owned()]).await;
        let before = world.writes().len();
        world.apply(objects::machine("second"));
        world.until_running(2).await;
        world.rest(Duration::from_secs(60)).await;
        let born = api_writes(&world, before);
        let before = world.writes().len();
        let took = time_to_go(&world, &["second".to_owned()]).await;
        world.rest(Duration::from_secs(60)).await;
        let died = api_writes(&world, before);
        println!("gone after {took:?}; born by {born:?}; died by {died:?}");
        assert!(took <= PROMPT, "it took {took:?}");
        // Two of them are its bootstrap token's.
        assert!(born.len() <= 7, "{born:?}");
        assert!(died.len() <= 4, "{died:?}");
    });
    played.clean();
}

#[test]
fn what_the_cloud_takes_to_delete_is_all_that_is_added() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        let names = names(1);
        running(&world, &names).await;
        let its_own = Duration::from_secs(20);
        let slow = Effect::Latency { seconds: its_own.as_secs_f64() };
        world.cloud.arm(Fault::once(Operation::DeleteVm, slow)).unwrap();
        let took = time_to_go(&world, &names).await;
        println!("gone after {took:?}");
        assert!(took >= its_own, "the fault did nothing: it took {took:?}");
        assert!(took <= its_own + PROMPT, "it took {took:?}");
    });
    played.clean();
}

#[test]
fn a_hundred_machines_that_go_at_once_are_as_quick() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        let names = names(100);
        running(&world, &names).await;
        let took = time_to_go(&world, &names).await;
        println!("the last of {} gone after {took:?}", names.len());
        assert!(took <= PROMPT, "it took {took:?}");
    });
    played.clean();
}

#[test]
fn a_cloud_that_goes_on_deleting_after_its_answer_is_looked_at_every_two_seconds() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        let names = names(1);
        running(&world, &names).await;
        let its_own = Duration::from_secs(31);
        let delete = Signature::new(Party::Cloud, "delete", "cloud vms/i-0", true);
        world.conductor.set_plan(Plan::At {
            point: Point { signature: delete, nth: 1 },
            strike: Strike::Cloud(CloudFault::EffectLater(its_own)),
            more: 100,
        });
        let took = time_to_go(&world, &names).await;
        println!("gone after {took:?}");
        assert!(took >= its_own, "the fault did nothing: it took {took:?}");
        assert!(took <= its_own + PROMPT + LOOK, "it took {took:?}");
    });
    played.clean();
}
