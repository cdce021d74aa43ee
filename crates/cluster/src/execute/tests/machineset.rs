//! What a set writes: adoptions that were confirmed, releases that release, and freezes that are told once.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{
    MachineDeployment, MachinePhase, MachineSet, MachineSetCondition, MachineSetStatus, controller_reference,
};
use millwright_decide::deployment::DeploymentAction;
use millwright_decide::machineset::{SetAction, SetMarks};
use serde_json::{Value, json};

use super::{MACHINES, as_json, led, set};
use crate::Fleet;
use crate::execute::{machine_deployment, machine_set};
use crate::fake::{FakeServer, machine, status};
use crate::reconcile::reconcile_set;

const BASE: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet";

/// What an API server may answer to the question for an owner, and whether it may adopt then.
fn answers(owner: &Value) -> Vec<(&'static str, (u16, Value), bool)> {
    let mut other = owner.clone();
    other["metadata"]["uid"] = json!("uid-of-a-namesake");
    let mut dying = owner.clone();
    dying["metadata"]["deletionTimestamp"] = json!("2026-03-01T10:00:00Z");
    vec![
        ("there", (200, owner.clone()), true),
        ("a namesake", (200, other), false),
        ("being deleted", (200, dying), false),
        ("gone", (404, status(404, "NotFound")), false),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_set_that_is_gone_in_truth_never_adopts_a_machine() {
    for (what, answer, adopts) in answers(&as_json(&set())) {
        let server = FakeServer::answering([answer, (200, as_json(&machine("m")))]);
        let fleet = led(&server);
        fleet.update(|index| index.apply_machine(machine("m")));
        let done = machine_set(&fleet, &set(), &SetAction::AdoptMachine { name: "m".into() }).await;
        assert!(done.is_ok(), "{what}: {done:?}");
        let mut asked = vec![format!("GET {BASE}/machinesets/s")];
        asked.extend(adopts.then(|| format!("PATCH {MACHINES}/m")));
        assert_eq!(server.asked(), asked, "{what}");
        if adopts {
            let sent = &server.sent()[1]["metadata"];
            assert_eq!((&sent["uid"], &sent["resourceVersion"]), (&json!("uid-m"), &json!("1")));
            assert_eq!(sent["ownerReferences"][0]["uid"], "uid-s");
            assert_eq!(sent["ownerReferences"][0]["controller"], true);
            assert_eq!(sent["ownerReferences"][0]["blockOwnerDeletion"], true);
        }
    }
    let server = FakeServer::answering([(500, status(500, "etcdserver: request timed out"))]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_machine(machine("m")));
    let done = machine_set(&fleet, &set(), &SetAction::AdoptMachine { name: "m".into() }).await;
    assert!(done.is_err(), "not knowing is no confirmation");
}

#[tokio::test(start_paused = true)]
async fn a_deployment_that_is_gone_in_truth_never_adopts_a_set() {
    let mut owner = MachineDeployment::default();
    owner.metadata.name = Some("web".into());
    owner.metadata.uid = Some("uid-web".into());
    for (what, answer, adopts) in answers(&as_json(&owner)) {
        let server = FakeServer::answering([answer, (200, as_json(&set()))]);
        let fleet = led(&server);
        fleet.update(|index| index.apply_set(set()));
        let action = DeploymentAction::AdoptSet { name: "s".into() };
        assert!(machine_deployment(&fleet, &owner, &action).await.is_ok(), "{what}");
        let mut asked = vec![format!("GET {BASE}/machinedeployments/web")];
        asked.extend(adopts.then(|| format!("PATCH {BASE}/machinesets/s")));
        assert_eq!(server.asked(), asked, "{what}");
    }
}

/// Weak point 16 of the predecessor: its release was none, and the machine was patched again and again.
#[tokio::test(start_paused = true)]
async fn a_release_takes_our_reference_out_and_leaves_those_of_others() {
    let foreign =
        OwnerReference { name: "theirs".into(), uid: "uid-theirs".into(), ..OwnerReference::default() };
    for others in [vec![], vec![foreign]] {
        let mut stray = machine("m");
        let mut owners = others.clone();
        owners.push(controller_reference(&set()));
        stray.metadata.owner_references = Some(owners);
        let server = FakeServer::answering([(200, as_json(&machine("m")))]);
        let fleet = led(&server);
        fleet.update(|index| index.apply_machine(stray));
        let done = machine_set(&fleet, &set(), &SetAction::ReleaseMachine { name: "m".into() }).await;
        assert!(done.is_ok(), "{done:?}");
        // A merge patch replaces a list as a whole.
        assert_eq!(server.sent()[0]["metadata"]["ownerReferences"], as_json(&others));
    }
}

fn frozen() -> MachineSetStatus {
    MachineSetStatus {
        conditions: vec![MachineSetCondition {
            type_: "Frozen".into(),
            status: "True".into(),
            message: "too many".into(),
            ..MachineSetCondition::default()
        }],
        ..MachineSetStatus::default()
    }
}

fn with(status: MachineSetStatus) -> MachineSet {
    let mut set = set();
    set.metadata.resource_version = Some("7".into());
    set.status = status;
    set
}

fn knows_frozen(fleet: &Fleet) -> bool {
    fleet.with_index(|index| index.set("s").is_some_and(|set| !set.status.conditions.is_empty()))
}

#[tokio::test(start_paused = true)]
async fn a_freeze_whose_answer_is_lost_is_looked_up_and_one_that_was_refused_is_not() {
    let lost = || (0, Value::Null);
    let found = |status: MachineSetStatus| (200, as_json(&with(status)));
    for (what, script, asks, is_done) in [
        ("answered", vec![found(frozen())], 1, true),
        ("lost and done", vec![lost(), found(frozen())], 2, true),
        ("lost and not done", vec![lost(), found(MachineSetStatus::default())], 2, false),
        ("lost twice", vec![lost(), lost()], 2, false),
        ("refused", vec![(409, status(409, "Conflict"))], 1, false),
    ] {
        let server = FakeServer::answering(script);
        let fleet = led(&server);
        let done = machine_set(&fleet, &set(), &SetAction::Freeze(Box::new(frozen()))).await;
        assert_eq!(done.is_ok(), is_done, "{what}: {done:?}");
        assert_eq!(server.asked().len(), asks, "{what}");
        assert_eq!(knows_frozen(&fleet), is_done, "{what}: the next look must not freeze it again");
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_never_reaches_a_namesake() {
    let server = FakeServer::default();
    let fleet = led(&server);
    drop(machine_set(&fleet, &set(), &SetAction::Freeze(Box::new(frozen()))).await);
    assert_eq!(server.sent()[0]["metadata"]["uid"], "uid-s");
}

#[tokio::test(start_paused = true)]
async fn marks_of_a_set_are_set_and_removed_in_one_write() {
    let server = FakeServer::answering([(200, as_json(&set()))]);
    let fleet = led(&server);
    let marks = SetMarks {
        labels: [(labels::FREEZE, None)].into(),
        annotations: [(annotations::UNFREEZE, None)].into(),
    };
    machine_set(&fleet, &set(), &SetAction::MarkSet(marks)).await.expect("written");
    let sent = &server.sent()[0]["metadata"];
    assert_eq!(sent["labels"], json!({ "freeze": null }));
    assert_eq!(sent["annotations"], json!({ "safety.machine.sapcloud.io/unfreeze": null }));
    assert_eq!(sent["uid"], "uid-s");
}

#[tokio::test(start_paused = true)]
async fn a_set_is_frozen_before_the_machines_that_are_too_many_go() {
    let mut owner = set();
    owner.metadata.namespace = Some("fleet".into());
    owner.metadata.resource_version = Some("1".into());
    owner.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    let pool = Some([("pool".to_owned(), "a".to_owned())].into());
    owner.spec.selector = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector {
        match_labels: pool.clone(),
        ..Default::default()
    });
    owner.spec.template.metadata.labels.clone_from(&pool);
    let server = FakeServer::answering([(200, as_json(&with(frozen())))]);
    let fleet = led(&server);
    for number in 0..3 {
        let mut member = machine(&format!("m{number}"));
        member.metadata.labels.clone_from(&pool);
        member.metadata.creation_timestamp = Some(Time(fleet.now()));
        member.metadata.owner_references = Some(vec![controller_reference(&owner)]);
        member.status.current_status.phase = MachinePhase::Running;
        fleet.update(|index| index.apply_machine(member));
    }
    fleet.update(|index| index.apply_set(owner));
    reconcile_set(fleet.clone(), "s".into()).await;
    let asked = server.asked();
    assert_eq!(asked[0], format!("PATCH {BASE}/machinesets/s/status"), "{asked:?}");
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("DELETE")).count(), 3, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_fails_for_good_never_makes_the_condition_say_something_new_each_time() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let told = async |name: &str| {
        server.answer([(403, status(403, &format!("machines {name:?} is forbidden: quota")))]);
        let failed = machine_set(&fleet, &set(), &SetAction::CreateMachine(Box::new(machine(name)))).await;
        assert!(failed.is_err());
        let memories = fleet.memories.lock();
        memories.sets["uid-s"].failure.as_ref().map(|failure| failure.message.clone())
    };
    let first = told("s-abcde").await.expect("it is remembered");
    assert!(first.contains("s-…") && first.contains("quota"), "{first}");
    assert_eq!(told("s-fghij").await, Some(first));
}
