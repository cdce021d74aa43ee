//! Rollouts of a whole fleet: two at once under one bound, and one whose maintenance window opens later.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::world::objects::{self, NAMESPACE};
use crate::world::{Plan, Setting, World, in_world};

fn begin(world: &World, pools: &[&str]) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    for pool in pools {
        let mut deployment = objects::deployment(pool, 3);
        deployment["spec"]["strategy"]["rollingUpdate"]["maxSurge"] = json!(2);
        world.apply(deployment);
    }
    world.start();
}

/// Asks for machines of another template.
fn roll(world: &World, pool: &str) {
    let changed = world.operator.modify("machinedeployments", NAMESPACE, pool, |deployment| {
        deployment["spec"]["template"]["metadata"]["annotations"] = json!({"version": "2"});
    });
    changed.unwrap();
}

fn machines<'a>(all: &'a [Value], pool: &'a str) -> impl Iterator<Item = &'a Value> {
    all.iter().filter(move |machine| machine["metadata"]["labels"]["pool"] == pool)
}

fn is_new(machine: &Value) -> bool {
    machine["metadata"]["annotations"]["version"] == "2"
}

/// Machines too many and too few, of deployments that want three each.
fn in_work(world: &World, pools: &[&str]) -> usize {
    let all = world.operator.list("machines");
    let of = |pool: &&str| {
        let there = machines(&all, pool).count();
        let run = machines(&all, pool).filter(|machine| {
            machine["metadata"]["deletionTimestamp"].is_null()
                && machine["status"]["currentStatus"]["phase"] == "Running"
        });
        there.saturating_sub(3) + 3_usize.saturating_sub(run.count())
    };
    pools.iter().map(of).sum()
}

fn is_rolled(world: &World, pool: &str) -> bool {
    let all = world.operator.list("machines");
    machines(&all, pool).count() == 3 && machines(&all, pool).all(is_new)
}

fn held(world: &World, pool: &str) -> Option<Value> {
    let deployment = world.operator.get("machinedeployments", NAMESPACE, pool)?;
    let conditions = deployment["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == "RolloutHeld").cloned()
}

async fn ends_empty(world: &World, pools: &[&str]) {
    pools.iter().for_each(|pool| world.delete("machinedeployments", pool));
    world.until("no machine is left", || world.operator.list("machines").is_empty()).await;
    world.delete("machineclasses", objects::CLASS);
    world.until_empty().await;
    world.rest(Duration::from_secs(60)).await;
    world.must_rest().await;
}

#[test]
fn two_rollouts_at_once_never_have_more_in_work_than_the_bound() {
    let flags = Setting::alone(Plan::default()).with("--max-machines-in-replacement=2");
    let played = in_world(flags, async |world| {
        let pools = ["left", "right"];
        begin(&world, &pools);
        world.until_running(6).await;
        world.rest(Duration::from_secs(60)).await;
        pools.iter().for_each(|pool| roll(&world, pool));
        let (mut most, mut waited) = (0, false);
        for _ in 0..40_000 {
            if pools.iter().all(|pool| is_rolled(&world, pool)) {
                break;
            }
            most = most.max(in_work(&world, &pools));
            waited |= pools
                .iter()
                .any(|pool| held(&world, pool).is_some_and(|held| held["reason"] == "FleetBoundReached"));
            world.rest(Duration::from_millis(200)).await;
        }
        assert!(pools.iter().all(|pool| is_rolled(&world, pool)), "it never ends");
        assert_eq!(most, 2, "without a bound it would be four");
        assert!(waited, "nobody said that it waits");
        world.rest(Duration::from_secs(120)).await;
        assert!(pools.iter().all(|pool| held(&world, pool).is_none()));
        ends_empty(&world, &pools).await;
    });
    played.clean();
}

/// A window of an hour, once, on that day.
fn window_at(opens: Timestamp) -> String {
    format!("{} for 1h", opens.strftime("%-M %-H %-d %-m *"))
}

#[test]
fn a_rollout_begins_when_its_window_opens_and_machines_are_made_and_repaired_before() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        begin(&world, &["pool"]);
        world.until_running(3).await;
        let opens = world.kube.now().checked_add(SignedDuration::from_hours(3)).unwrap();
        let windowed = world.operator.modify("machinedeployments", NAMESPACE, "pool", |deployment| {
            deployment["metadata"]["annotations"]["machine.sapcloud.io/maintenance-window"] =
                json!(window_at(opens));
        });
        windowed.unwrap();
        roll(&world, "pool");
        world.until("it says that it waits", || held(&world, "pool").is_some()).await;
        let said = held(&world, "pool").unwrap();
        assert_eq!(said["reason"], "OutsideMaintenanceWindow");
        let minute = opens.strftime("%Y-%m-%dT%H:%M:00Z").to_string();
        assert!(said["message"].as_str().unwrap().contains(&minute), "{said} {minute}");
        world.rest(Duration::from_secs(60)).await;
        // Waiting costs no write.
        world.must_rest().await;
        let victim = world.operator.list("machines")[0]["metadata"]["name"].as_str().unwrap().to_owned();
        world.delete("machines", &victim);
        world.until("it is gone", || world.machine(&victim).is_none()).await;
        world.until_running(3).await;
        assert!(world.operator.list("machines").iter().all(|machine| !is_new(machine)), "not yet");
        assert!(world.kube.now() < opens);
        world.until("it rolls", || is_rolled(&world, "pool")).await;
        assert!(world.kube.now() > opens);
        world.until_running(3).await;
        world.rest(Duration::from_secs(120)).await;
        assert_eq!(held(&world, "pool"), None);
        ends_empty(&world, &["pool"]).await;
    });
    played.clean();
}
