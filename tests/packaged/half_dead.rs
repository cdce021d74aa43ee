//! Half of a deployment dies at once.

use std::collections::BTreeSet;
use std::time::Instant;

use millwright_simcloud::State;
use serde_json::json;

use crate::fleet::Fleet;
use crate::history::is_live;
use crate::runtime::run;
use crate::standing::Standing;

const MACHINES: usize = 8;
/// What is allowed of a deployment without any flag.
const AT_A_TIME: usize = 1;

#[test]
fn half_of_the_vms_killed_at_once_are_replaced_without_a_meltdown() {
    run(async {
        let fleet = Fleet::start("half", &[]).await;
        let mut deployment = fleet.deployment("v1", 8);
        deployment["spec"]["template"]["spec"]["healthTimeout"] = json!("3s");
        fleet.apply(&deployment).await;
        let machines = fleet.settled(MACHINES).await;
        let (victims, survivors) = machines.split_at(MACHINES / 2);
        let standing = victims.iter().fold(Standing::of(&fleet), |standing, name| standing.without(name));
        let begin = fleet.history.len();
        let start = Instant::now();
        for victim in victims {
            fleet.cloud().set_health(&fleet.vm(victim).unwrap().id, State::Dead.into()).unwrap();
        }
        for victim in victims.iter().enumerate() {
            fleet
                .until(&format!("{} victims are gone", victim.0 + 1), async |fleet| {
                    let now = fleet.history.now();
                    let left = victims.iter().filter(|name| now.contains_key(*name)).count();
                    (left + victim.0 < victims.len()).then_some(())
                })
                .await;
        }
        let left: BTreeSet<String> = fleet.settled(MACHINES).await.into_iter().collect();
        assert!(survivors.iter().all(|name| left.contains(name)));
        standing.must_be_there(&fleet);
        let mut most = 0;
        for moment in fleet.history.since(begin) {
            let given_up = moment.values().filter(|machine| {
                !is_live(machine) || machine.status.current_status.phase.as_str() == "Failed"
            });
            most = most.max(given_up.count());
        }
        println!(
            "{} of {MACHINES} replaced in {} s, at most {most} at a time",
            victims.len(),
            start.elapsed().as_secs()
        );
        assert!(most <= AT_A_TIME, "{most} machines were given up at the same time");
        fleet.close().await;
    });
}
