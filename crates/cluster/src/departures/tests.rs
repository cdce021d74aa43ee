use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{ClassRecord, ObjectView};
use millwright_decide::machine::{CloudOperation, MachineAction, VmKnowledge};
use millwright_provider::{LeftoverKind, Listed, ListedKind};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::prove_departures;
use crate::Fleet;
use crate::execute;
use crate::fake::{FakeCloud, FakeServer, class, fleet, machine};
use crate::leader::Leadership;

/// A fleet with machines, on a cloud whose deletions are for lists to prove.
struct Scene {
    fleet: Arc<Fleet>,
    cloud: Arc<FakeCloud>,
    proving: JoinHandle<()>,
}

impl Scene {
    fn of(machines: usize) -> Self {
        let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
        *cloud.proves_by_list.lock() = true;
        for number in 0..machines {
            let mut machine = machine(&format!("m-{number}"));
            machine.spec.provider_id = format!("fake://{number}");
            machine.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
            fleet.update(|index| index.apply_machine(machine));
        }
        let proving = tokio::spawn(prove_departures(fleet.clone(), CancellationToken::new()));
        Self { fleet, cloud, proving }
    }

    async fn delete(&self, number: usize) {
        let machine = self.fleet.with_index(|index| index.machine(&format!("m-{number}")).cloned());
        let machine = machine.expect("it is there");
        execute::machine(&self.fleet, &machine, &MachineAction::DeleteVm).await.expect("a deletion");
    }

    fn knows(&self, number: usize) -> VmKnowledge {
        self.fleet.memories.lock().machines[&format!("uid-m-{number}")].vm.clone()
    }

    fn lists(&self) -> usize {
        self.cloud.calls.lock().iter().filter(|call| *call == "list").count()
    }
}

fn listed(id: &str, name: &str, kind: ListedKind) -> Listed {
    Listed { id: id.into(), machine_name: name.into(), machine_uid: None, created_at: None, kind }
}

#[tokio::test(start_paused = true)]
async fn one_list_answers_for_all_that_die_together() {
    let scene = Scene::of(100);
    for number in 0..100 {
        scene.delete(number).await;
        assert_eq!(scene.knows(number), VmKnowledge::Unproven);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!((0..100).all(|number| scene.knows(number) == VmKnowledge::Gone));
    assert_eq!(scene.lists(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_crowd_that_dies_is_answered_by_ever_fewer_lists_and_in_seconds() {
    let scene = Scene::of(500);
    for number in 0..500 {
        scene.delete(number).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(super::LONGEST).await;
    assert!((0..500).all(|number| scene.knows(number) == VmKnowledge::Gone));
    assert!(scene.lists() <= 5, "{} lists in 10 s", scene.lists());
}

#[tokio::test(start_paused = true)]
async fn a_rollout_never_waits_long_for_a_list_however_long_it_goes_on() {
    let scene = Scene::of(50);
    for number in 0..50 {
        scene.delete(number).await;
        tokio::time::sleep(super::FIRST * 2).await;
        assert_eq!(scene.knows(number), VmKnowledge::Gone);
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_never_called_gone_while_the_list_shows_its_vm_or_a_part_of_it() {
    for (entry, is_its_own) in [
        (listed("FAKE://0", "other-name", ListedKind::Vm), false),
        (listed("fake://0", "other-name", ListedKind::Vm), true),
        (listed("fake://7", "m-0", ListedKind::Vm), false),
        (listed("nic-1", "m-0", ListedKind::Leftover(LeftoverKind::Nic)), true),
        (listed("nic-1", "m-00", ListedKind::Leftover(LeftoverKind::Nic)), false),
        (
            Listed {
                machine_uid: Some("uid-before".into()),
                ..listed("nic-1", "m-0", ListedKind::Leftover(LeftoverKind::Nic))
            },
            false,
        ),
    ] {
        let scene = Scene::of(1);
        scene.cloud.listed.lock().push(entry.clone());
        scene.delete(0).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let is_asked_again = matches!(scene.knows(0), VmKnowledge::Deleting { .. });
        assert_eq!(is_asked_again, is_its_own, "{entry:?}: {:?}", scene.knows(0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_is_a_failed_deletion_that_is_tried_again() {
    let scene = Scene::of(2);
    *scene.cloud.lists_fail.lock() = true;
    scene.delete(0).await;
    scene.delete(1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for uid in ["uid-m-0", "uid-m-1"] {
        let failure = scene.fleet.memories.lock().machines[uid].failure.clone().expect("a failure");
        assert_eq!((failure.operation, failure.attempts), (CloudOperation::Delete, 1));
    }
    *scene.cloud.lists_fail.lock() = false;
    scene.delete(0).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(scene.knows(0), VmKnowledge::Gone);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_panics_never_leaves_machines_waiting_for_an_answer_that_nobody_gives() {
    let mut scene = Scene::of(1);
    *scene.cloud.lists_panic.lock() = true;
    scene.delete(0).await;
    let ended = tokio::time::timeout(Duration::from_secs(10), &mut scene.proving).await;
    let broke = ended.expect("the task ends, and with it the process").expect_err("not in good order");
    assert!(broke.is_panic());
}

#[tokio::test(start_paused = true)]
async fn a_namesake_never_gets_the_answer_of_the_machine_before_it() {
    let scene = Scene::of(1);
    scene.delete(0).await;
    let mut namesake = machine("m-0");
    namesake.metadata.uid = Some("uid-later".into());
    namesake.metadata.resource_version = Some("9".into());
    assert_eq!(namesake.name(), "m-0");
    scene.fleet.update(|index| index.forget_machine("m-0", "uid-m-0"));
    scene.fleet.update(|index| index.apply_machine(namesake));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!scene.fleet.memories.lock().machines.contains_key("uid-later"));
}

#[tokio::test(start_paused = true)]
async fn a_proof_never_tells_of_a_vm_that_was_asked_for_after_its_list_was_waited_for() {
    let scene = Scene::of(2);
    scene.delete(0).await;
    scene.delete(1).await;
    let asked_with = ClassRecord::of(&class("small"));
    scene.fleet.memories.lock().machines.entry("uid-m-0".into()).or_default().asks_with(asked_with);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((scene.knows(0), scene.knows(1)), (VmKnowledge::NotAsked, VmKnowledge::Gone));
}
