//! Fleets large enough that a slip shows: not one machine too many, not one too few, whatever is asked of them and however soon. What is
//! counted comes from every event of a watch and from every call of the cloud.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use millwright_simcloud::{Code, Effect, Fault, Operation};
use serde_json::{Value, json};

use crate::fleet::{Fleet, Webhook};
use crate::history::{Moment, is_available, is_live};
use crate::house::quiet_house;
use crate::runtime::run;

/// How many machines are rolled; the whole thousand takes minutes of a small machine, and is for whoever asks for it.
const ROLLED: &str = "MILLWRIGHT_ROLLED_MACHINES";
const ROLLED_BY_DEFAULT: usize = 300;

#[test]
fn from_3_to_131_and_back_there_is_never_one_machine_too_many() {
    run(async {
        let fleet = start("crowd").await;
        fleet.apply(&deployment(&fleet, 3)).await;
        let first: BTreeSet<String> = fleet.settled(3).await.into_iter().collect();

        let up = Mark::of(&fleet);
        fleet.scale(131).await;
        fleet.settled(131).await;
        up.each(&fleet, |moment| assert!((3..=131).contains(&moment.len()), "{} machines", moment.len()));
        assert_eq!(up.made_and_deleted(&fleet), (128, 0));
        assert!(first.iter().all(|name| fleet.history.now().contains_key(name)), "the first ones are gone");
        println!("3 -> 131: {}", up.told(&fleet));

        let down = Mark::of(&fleet);
        fleet.scale(3).await;
        fleet.settled(3).await;
        down.each(&fleet, |moment| assert!(live(moment) >= 3 && moment.len() <= 131));
        assert_eq!(down.made_and_deleted(&fleet), (0, 128));
        println!("131 -> 3: {}", down.told(&fleet));
        fleet.close().await;
    });
}

#[test]
fn a_big_scale_down_does_not_hold_up_the_scale_up_that_follows_at_once() {
    run(async {
        let fleet = start("zigzag").await;
        fleet.apply(&deployment(&fleet, 131)).await;
        fleet.settled(131).await;
        let mark = Mark::of(&fleet);
        // Machines that are on their way out stay for as long as the test wants.
        let stuck = Effect::Error { code: Code::Unavailable, message: None };
        fleet.cloud().arm(Fault::always(Operation::DeleteVm, stuck)).unwrap();
        fleet.scale(3).await;
        fleet.until("three are left", async |fleet| (live(&fleet.history.now()) == 3).then_some(())).await;
        fleet.scale(50).await;
        fleet
            .until("fifty do their work while the others still go", async |fleet| {
                (fleet.available().len() == 50).then_some(())
            })
            .await;
        assert_eq!(fleet.history.now().len(), 131 + 47);
        fleet.cloud().disarm();
        fleet.settled(50).await;
        assert_eq!(mark.made_and_deleted(&fleet), (47, 128));
        mark.each(&fleet, |moment| assert!(live(moment) >= 3 && moment.len() <= 131 + 47));
        println!("131 -> 3 -> 50: {}", mark.told(&fleet));
        fleet.close().await;
    });
}

#[test]
fn hundreds_of_machines_are_rolled_within_their_surge_and_scaled_to_nothing() {
    let asked = std::env::var(ROLLED).ok();
    let machines: usize =
        asked.map_or(ROLLED_BY_DEFAULT, |text| text.parse().expect("MILLWRIGHT_ROLLED_MACHINES is a number"));
    let surge = machines.div_ceil(10);
    run(async {
        let fleet = start("horde").await;
        let birth = Mark::of(&fleet);
        fleet.apply(&deployment(&fleet, machines)).await;
        until_none(&fleet, "machines to be born", |fleet| machines - fleet.available().len()).await;
        fleet.settled(machines).await;
        birth.each(&fleet, |moment| assert!(moment.len() <= machines, "{} machines", moment.len()));
        assert_eq!(birth.made_and_deleted(&fleet), (machines, 0));
        println!("{machines} born: {}", birth.told(&fleet));

        let roll = Mark::of(&fleet);
        let new = json!({ "spec": { "template": { "spec": { "class": { "name": "new" } } } } }).to_string();
        fleet
            .kubectl_must(&["patch", "machinedeployment", &fleet.namespace, "--type=merge", "-p", &new])
            .await;
        let is_new = |moment: &Moment| moment.values().all(|machine| machine.spec.class.name == "new");
        fleet.until("no old machine is left", async |fleet| is_new(&fleet.history.now()).then_some(())).await;
        fleet.settled(machines).await;
        let (mut most, mut fewest) = (0, machines);
        roll.each(&fleet, |moment| {
            let available = moment.values().filter(|machine| is_available(machine)).count();
            (most, fewest) = (most.max(moment.len()), fewest.min(available));
        });
        println!("{machines} rolled: {}; at most {most}, at least {fewest} available", roll.told(&fleet));
        assert!(most <= machines + surge, "{most} machines at a time, those on their way out included");
        assert_eq!(fewest, machines, "the fewest that were available");
        assert_eq!(roll.made_and_deleted(&fleet), (machines, machines));

        let end = Mark::of(&fleet);
        fleet.scale(0).await;
        until_none(&fleet, "machines", |fleet| fleet.history.now().len()).await;
        fleet.settled(0).await;
        assert_eq!(end.made_and_deleted(&fleet), (0, machines));
        assert!(fleet.cloud().nics().is_empty() && fleet.cloud().disks().is_empty());
        println!("{machines} deleted: {}", end.told(&fleet));
        fleet.close().await;
    });
}

/// A fleet of VMs that are nodes as soon as they have power and need no token: what is tried here is numbers.
async fn start(prefix: &str) -> Fleet {
    let mut fleet = Fleet::within(Arc::clone(quiet_house().await), prefix, Webhook::Asked).await;
    let mut secret = fleet.secret();
    secret["metadata"]["name"] = json!("plain");
    secret["stringData"]["userData"] = json!("#cloud-config\n");
    fleet.apply(&secret).await;
    for name in ["old", "new"] {
        let mut class = fleet.class(name);
        class["secretRef"] = json!({ "name": "plain" });
        class["providerSpec"]["boot"] = json!({ "mode": "direct", "delay": "100ms" });
        fleet.apply(&class).await;
    }
    fleet.start_controller(&[]).await;
    fleet
}

fn deployment(fleet: &Fleet, replicas: usize) -> Value {
    let mut deployment = fleet.deployment("old", u32::try_from(replicas).unwrap());
    deployment["spec"]["strategy"]["rollingUpdate"] = json!({ "maxSurge": "10%", "maxUnavailable": 0 });
    deployment
}

/// Waits as long as they get fewer: how fast a thousand go depends on the computer, that they go does not.
async fn until_none(fleet: &Fleet, what: &str, left: impl Fn(&Fleet) -> usize) {
    let mut before = left(fleet);
    while before > 0 {
        before = fleet
            .until(&format!("fewer {what} than {before}"), async |fleet| {
                Some(left(fleet)).filter(|now| *now < before)
            })
            .await;
    }
}

fn live(moment: &Moment) -> usize {
    moment.values().filter(|machine| is_live(machine)).count()
}

/// A moment from which on it is counted.
struct Mark {
    start: Instant,
    moments: usize,
    calls: u64,
}

impl Mark {
    fn of(fleet: &Fleet) -> Self {
        let calls = fleet.cloud().journal(0).last().map_or(0, |entry| entry.seq);
        Self { start: Instant::now(), moments: fleet.history.len(), calls }
    }

    fn each(&self, fleet: &Fleet, look: impl FnMut(&Moment)) {
        fleet.history.each_since(self.moments, look);
    }

    /// VMs since then.
    fn made_and_deleted(&self, fleet: &Fleet) -> (usize, usize) {
        let calls = fleet.cloud().journal(self.calls);
        let count = |operation, status| {
            calls.iter().filter(|call| call.operation == operation && call.status == status).count()
        };
        (count(Operation::CreateVm, 201), count(Operation::DeleteVm, 200))
    }

    fn told(&self, fleet: &Fleet) -> String {
        let (made, deleted) = self.made_and_deleted(fleet);
        format!(
            "{:.1} s, {} events of machines, {made} VMs made, {deleted} deleted, {} cloud calls",
            self.start.elapsed().as_secs_f64(),
            fleet.history.len() - self.moments,
            fleet.cloud().journal(self.calls).len(),
        )
    }
}
