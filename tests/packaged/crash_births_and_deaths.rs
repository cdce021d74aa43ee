//! A controller that dies again and again, at whatever it is doing, while many machines are born and while they are deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{Node, Secret};
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};
use millwright_simcloud::{Effect, Fault, JournalEntry, Operation};

use crate::fleet::Fleet;
use crate::kube_names::EVERYTHING;
use crate::runtime::run;
use crate::seeded::Seeded;

const MACHINES: usize = 50;
/// For the births, and as many for the deaths.
const KILLS: usize = 8;
/// Both halves together; the last kills of a half may come too late to hit anything.
const HITS: usize = 10;

/// Ten at a time, so that there are some in each state whenever it dies. Nobody else can be running: the dead one is dead.
const FLAGS: [&str; 2] = ["--leader-elect=false", "--concurrent-syncs=10"];

#[test]
fn a_controller_killed_at_random_makes_no_machine_twice_and_leaves_nothing() {
    run(async {
        let mut fleet = Fleet::start("killed", &FLAGS).await;
        let mut random = Seeded::new();
        // A call that takes time can be interrupted.
        for operation in [Operation::CreateVm, Operation::DeleteVm] {
            fleet.cloud().arm(Fault::always(operation, Effect::Latency { seconds: 0.4 })).unwrap();
        }
        let begin = Instant::now();
        fleet.apply(&fleet.deployment("v1", 50)).await;
        let hits_in_births = kill(&mut fleet, &mut random, |fleet| fleet.available().len() < MACHINES).await;
        let machines: BTreeSet<String> = fleet.settled(MACHINES).await.into_iter().collect();
        let born = begin.elapsed();
        let made = answered(&fleet, Operation::CreateVm, 201);
        assert_eq!(
            made.keys().collect::<BTreeSet<_>>(),
            machines.iter().collect(),
            "a VM of nobody was made"
        );
        assert_eq!(twice(&made), [""; 0], "two VMs were made for one machine");
        assert!(answered(&fleet, Operation::DeleteVm, 200).is_empty(), "a VM was deleted");

        let begin = Instant::now();
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--wait=false"]).await;
        let hits_in_deaths = kill(&mut fleet, &mut random, |fleet| !fleet.history.now().is_empty()).await;
        fleet.settled(0).await;
        let died = begin.elapsed();
        let deleted = answered(&fleet, Operation::DeleteVm, 200);
        assert_eq!(deleted.len(), MACHINES);
        nothing_is_left(&fleet, &machines).await;

        println!(
            "{MACHINES} births in {} s with {hits_in_births} kills, {MACHINES} deaths in {} s with {hits_in_deaths} kills; \
             CreateVm answered {} times with a new VM and {} times with the one that was there",
            born.as_secs(),
            died.as_secs(),
            made.len(),
            answered(&fleet, Operation::CreateVm, 200).values().sum::<usize>(),
        );
        assert!(hits_in_births + hits_in_deaths >= HITS, "the kills came too late");
        fleet.close().await;
    });
}

/// Kills the controller at random moments and starts it again at once; yields how often there was something under way.
async fn kill(fleet: &mut Fleet, random: &mut Seeded, is_under_way: impl Fn(&Fleet) -> bool) -> usize {
    let mut hits = 0;
    for _ in 0..KILLS {
        let calls = fleet.cloud().journal(0).len() + usize::try_from(random.up_to(12)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(4);
        while fleet.cloud().journal(0).len() < calls && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(random.within(Duration::from_millis(400))).await;
        hits += usize::from(is_under_way(fleet));
        fleet.kill_controller();
        fleet.start_controller(&FLAGS).await;
    }
    hits
}

/// How often each subject of a call was answered with that status.
fn answered(fleet: &Fleet, operation: Operation, status: u16) -> BTreeMap<String, usize> {
    let is_it = |entry: &JournalEntry| entry.operation == operation && entry.status == status;
    let mut counts = BTreeMap::new();
    for entry in fleet.cloud().journal(0).into_iter().filter(is_it) {
        *counts.entry(entry.subject.unwrap_or_default()).or_default() += 1;
    }
    counts
}

fn twice(counts: &BTreeMap<String, usize>) -> Vec<&str> {
    counts.iter().filter(|(_, count)| **count > 1).map(|(name, _)| name.as_str()).collect()
}

async fn nothing_is_left(fleet: &Fleet, machines: &BTreeSet<String>) {
    let client = &fleet.house.client;
    let cloud = fleet.cloud();
    assert!(cloud.vms().is_empty() && cloud.nics().is_empty() && cloud.disks().is_empty());
    let nodes = Api::<Node>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    let left: Vec<String> =
        nodes.iter().map(|node| node.name_any()).filter(|name| machines.contains(name)).collect();
    assert_eq!(left, [""; 0], "nodes are left");
    assert_eq!(tokens_of(fleet, machines).await, [""; 0], "bootstrap tokens are left");
    // What nobody uses any more goes when it is asked to: no finalizer is stuck.
    fleet.kubectl_must(&["delete", "machineclass", "v1", "--timeout=80s"]).await;
    fleet.kubectl_must(&["delete", "secret", "cloud", "--timeout=80s"]).await;
    let kinds = EVERYTHING.trim_end_matches(",events");
    assert_eq!(fleet.kubectl_must(&["get", kinds, "-o", "name"]).await, "");
}

/// Descriptions of bootstrap tokens that are some machine's.
async fn tokens_of(fleet: &Fleet, machines: &BTreeSet<String>) -> Vec<String> {
    let secrets: Api<Secret> = Api::namespaced(fleet.house.client.clone(), "kube-system");
    let tokens = ListParams::default().fields("type=bootstrap.kubernetes.io/token");
    let tokens = secrets.list(&tokens).await.unwrap();
    let descriptions = tokens.iter().filter_map(|token| {
        let text = &token.data.as_ref()?.get("description")?.0;
        Some(String::from_utf8_lossy(text).into_owned())
    });
    descriptions.filter(|text| machines.iter().any(|machine| text.contains(machine))).collect()
}
