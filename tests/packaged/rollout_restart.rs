//! A rollout whose controller dies in the middle.

use std::collections::BTreeMap;

use millwright_simcloud::{Effect, Fault, Operation};
use serde_json::json;

use crate::fleet::Fleet;
use crate::history::{is_available, is_live};
use crate::runtime::run;

/// Nobody else can be running: the dead one is dead.
const FLAGS: [&str; 1] = ["--leader-elect=false"];

#[test]
fn a_rollout_goes_on_within_its_limits_when_its_controller_is_killed_in_the_middle() {
    run(async {
        let mut fleet = Fleet::start("midway", &FLAGS).await;
        fleet.apply(&fleet.class("v2")).await;
        fleet.apply(&fleet.deployment("v1", 4)).await;
        fleet.settled(4).await;
        // Slow enough to be met in the middle of a call, too.
        fleet.cloud().arm(Fault::always(Operation::CreateVm, Effect::Latency { seconds: 0.5 })).unwrap();
        let calls = fleet.cloud().journal(0).last().map_or(0, |entry| entry.seq);
        let begin = fleet.history.len();
        fleet.patch(&json!({ "spec": { "template": { "spec": { "class": { "name": "v2" } } } } })).await;
        for born in [1, 3] {
            fleet
                .until(&format!("{born} new machines"), async |fleet| {
                    let now = fleet.history.now();
                    let new = now.values().filter(|machine| machine.spec.class.name == "v2").count();
                    (new >= born).then_some(())
                })
                .await;
            fleet.kill_controller();
            fleet.start_controller(&FLAGS).await;
        }
        fleet
            .until("no old machine is left", async |fleet| {
                let now = fleet.history.now();
                now.values().all(|machine| machine.spec.class.name == "v2").then_some(())
            })
            .await;
        fleet.settled(4).await;
        fleet.history.each_since(begin, |moment| {
            let live = moment.values().filter(|machine| is_live(machine)).count();
            let available = moment.values().filter(|machine| is_available(machine)).count();
            assert!(live <= 5, "{live} machines at a time");
            assert!(available >= 4, "only {available} available");
        });
        let mut made = BTreeMap::<_, usize>::new();
        for call in fleet.cloud().journal(calls) {
            if call.operation == Operation::CreateVm && call.status == 201 {
                *made.entry(call.subject).or_default() += 1;
            }
        }
        assert!(made.len() == 4 && made.values().all(|times| *times == 1), "VMs that were made: {made:?}");
        fleet.close().await;
    });
}
