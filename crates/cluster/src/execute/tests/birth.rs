//! Births: the VM that is found again, the token, the status that reaches no namesake, the node that can't be written.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{Machine, MachineCode, MachinePhase, NodeCondition, NodeView, ObjectView};
use millwright_bootstrap::{BootstrapToken as Token, SystemRandomness, TokenId, TokenOwner, token_secret};
use millwright_decide::machine::{BootstrapToken, CloudOperation, MachineAction, VmKnowledge};
use serde_json::json;

use super::super::{bootstrap_token, machine as execute};
use super::{MACHINES, as_json, led};
use crate::Fleet;
use crate::fake::{FakeServer, fleet, machine, node, status};
use crate::leader::Leadership;
use crate::reconcile::reconcile_machine;

const SECRETS: &str = "/api/v1/namespaces/kube-system/secrets";

/// The Secret of a machine's token, under one of its ids, good for so long.
fn token_of(uid: &str, attempt: u32, fleet: &Fleet, life: Duration) -> Secret {
    let id = TokenId::for_machine("uid-m", attempt);
    let token = Token::generate(id, &mut SystemRandomness).expect("randomness");
    let until = fleet.now().checked_add(life).expect("a time");
    let mut secret = token_secret(&token, TokenOwner { name: "m", uid }, until, "");
    secret.metadata.uid = Some("uid-secret".into());
    secret.metadata.resource_version = Some("7".into());
    secret
}

fn path(attempt: u32) -> String {
    format!("{SECRETS}/{}", TokenId::for_machine("uid-m", attempt).secret_name())
}

fn known_token(fleet: &Fleet) -> BootstrapToken {
    fleet.memories.lock().machines["uid-m"].bootstrap_token
}

const LIFE: Duration = Duration::from_secs(20 * 60);

#[tokio::test(start_paused = true)]
async fn a_token_is_issued_once_and_a_retry_takes_it_up() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let own = token_of("uid-m", 0, &fleet, LIFE);
    server.answer([(201, as_json(&own)), (409, status(409, "AlreadyExists")), (200, as_json(&own))]);
    bootstrap_token::ensure(&fleet, &machine("m")).await.expect("issued");
    let again = bootstrap_token::ensure(&fleet, &machine("m")).await.expect("taken up");
    assert_eq!(
        again.id(),
        TokenId::for_machine("uid-m", 0).secret_name().rsplit('-').next().unwrap_or_default()
    );
    assert_eq!(
        server.asked(),
        [format!("POST {SECRETS}"), format!("POST {SECRETS}"), format!("GET {}", path(0))]
    );
    assert!(matches!(known_token(&fleet), BootstrapToken::Issued { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_retry_near_the_end_of_its_token_renews_it() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let old = token_of("uid-m", 0, &fleet, Duration::from_secs(60));
    server.answer([(409, status(409, "AlreadyExists")), (200, as_json(&old)), (200, as_json(&old))]);
    bootstrap_token::ensure(&fleet, &machine("m")).await.expect("taken up");
    assert_eq!(server.asked()[2], format!("PUT {}", path(0)));
    assert_eq!(
        server.sent()[2]["metadata"]["resourceVersion"],
        "7",
        "it loses against whoever else writes it"
    );
    assert_eq!(
        server.sent()[2]["data"]["token-secret"],
        as_json(&old)["data"]["token-secret"],
        "a VM may hold it"
    );
    let until = fleet.now().checked_add(LIFE).expect("a time");
    assert_eq!(known_token(&fleet), BootstrapToken::Issued { until });
}

#[tokio::test(start_paused = true)]
async fn a_token_that_expires_while_it_is_taken_up_never_leads_to_one_that_nobody_finds_again() {
    let server = FakeServer::answering([(409, status(409, "AlreadyExists")), (404, status(404, "NotFound"))]);
    let fleet = led(&server);
    let error = bootstrap_token::ensure(&fleet, &machine("m")).await.expect_err("tried again soon");
    assert_eq!(error.code, MachineCode::Aborted);
    // A second id would be looked for only where the first is taken.
    assert_eq!(server.asked(), [format!("POST {SECRETS}"), format!("GET {}", path(0))]);
}

#[tokio::test(start_paused = true)]
async fn the_token_of_another_machine_is_neither_used_nor_deleted() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let foreign = token_of("uid-other", 0, &fleet, LIFE);
    let own = token_of("uid-m", 1, &fleet, LIFE);
    server.answer([(409, status(409, "AlreadyExists")), (200, as_json(&foreign)), (201, as_json(&own))]);
    bootstrap_token::ensure(&fleet, &machine("m")).await.expect("issued under the next id");
    server.answer([
        (200, as_json(&foreign)),
        (200, as_json(&own)),
        (200, json!({"kind": "Status", "status": "Success"})),
    ]);
    bootstrap_token::delete(&fleet, &machine("m")).await.expect("deleted");
    assert_eq!(
        server.asked()[3..],
        [format!("GET {}", path(0)), format!("GET {}", path(1)), format!("DELETE {}", path(1))]
    );
    assert_eq!(server.sent()[5]["preconditions"]["uid"], "uid-secret");
    assert_eq!(known_token(&fleet), BootstrapToken::Deleted);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_may_still_join_keeps_its_token_alive() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let old = token_of("uid-m", 0, &fleet, Duration::from_secs(60));
    server.answer([(200, as_json(&old)), (200, as_json(&old))]);
    let known = std::sync::Arc::new(machine("m"));
    execute(&fleet, &known, &MachineAction::RenewBootstrapToken).await.expect("renewed");
    assert_eq!(server.asked(), [format!("GET {}", path(0)), format!("PUT {}", path(0))]);
    let until = fleet.now().checked_add(LIFE).expect("a time");
    assert_eq!(known_token(&fleet), BootstrapToken::Issued { until });
    server.answer([(404, status(404, "NotFound")), (404, status(404, "NotFound"))]);
    execute(&fleet, &known, &MachineAction::RenewBootstrapToken).await.expect("there is none");
    assert_eq!(
        known_token(&fleet),
        BootstrapToken::Deleted,
        "a new one would be another secret than the VM has"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_under_the_second_id_is_found_after_the_holder_of_the_first_has_gone() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let own = token_of("uid-m", 1, &fleet, LIFE);
    server.answer([
        (404, status(404, "NotFound")),
        (200, as_json(&own)),
        (200, json!({"kind": "Status", "status": "Success"})),
    ]);
    bootstrap_token::delete(&fleet, &machine("m")).await.expect("deleted");
    assert_eq!(server.asked()[2], format!("DELETE {}", path(1)));
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_is_asked_about_every_few_seconds_costs_no_request_for_its_token_each_time() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let own = token_of("uid-m", 0, &fleet, LIFE);
    server.answer([(201, as_json(&own))]);
    let issued = bootstrap_token::ensure(&fleet, &machine("m")).await.expect("issued");
    let going_on = VmKnowledge::Creating { provider_id: None, state: "op".into(), ask_at: fleet.now() };
    fleet.memories.lock().machines.entry("uid-m".into()).or_default().answered(going_on);
    for _ in 0..9 {
        tokio::time::sleep(Duration::from_secs(60)).await;
        let again = bootstrap_token::ensure(&fleet, &machine("m")).await.expect("known");
        assert_eq!(again.expose(), issued.expose(), "a VM may hold it");
    }
    assert_eq!(server.asked().len(), 1, "{:?}", server.asked());
    // It must be good for as long as the machine may still join.
    tokio::time::sleep(LIFE / 2).await;
    server.answer([(409, status(409, "AlreadyExists")), (200, as_json(&own)), (200, as_json(&own))]);
    bootstrap_token::ensure(&fleet, &machine("m")).await.expect("renewed");
    assert_eq!(server.asked().last(), Some(&format!("PUT {}", path(0))));
    bootstrap_token::remember(&fleet, &machine("m"), BootstrapToken::Deleted);
    assert!(fleet.memories.lock().tokens.is_empty(), "a secret that nobody needs is not kept");
}

/// A machine with its finalizer, a node label and an id.
fn born(phase: MachinePhase) -> Machine {
    let mut machine = machine("m");
    machine.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    machine.metadata.labels = Some([(labels::NODE.to_owned(), "m".to_owned())].into());
    machine.spec.provider_id = "fake://m".into();
    machine.status.current_status.phase = phase;
    machine
}

#[tokio::test(start_paused = true)]
async fn a_vm_that_has_an_id_is_looked_up_and_never_made_a_second_time() {
    let server = FakeServer::default();
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    let known = std::sync::Arc::new(born(MachinePhase::Empty));
    execute(&fleet, &known, &MachineAction::CreateVm).await.expect("noted, not returned");
    assert_eq!(*cloud.calls.lock(), ["status m Some(\"fake://m\")"]);
    let memories = fleet.memories.lock();
    let failure = memories.machines["uid-m"].failure.clone().expect("it is not there");
    assert_eq!((failure.operation, failure.code), (CloudOperation::Create, MachineCode::NotFound));
    assert_eq!(memories.machines["uid-m"].vm, VmKnowledge::NotAsked);
}

#[tokio::test(start_paused = true)]
async fn a_status_never_reaches_a_machine_that_was_made_anew_or_that_somebody_else_wrote_to() {
    let server = FakeServer::answering([(409, status(409, "Conflict"))]);
    let fleet = led(&server);
    let known = std::sync::Arc::new(born(MachinePhase::Pending));
    let mut newest = born(MachinePhase::Pending);
    newest.metadata.resource_version = Some("8".into());
    fleet.update(|index| index.apply_machine(newest));
    let wanted = MachineAction::PatchStatus(Box::new(born(MachinePhase::Running).status));
    let error = execute(&fleet, &known, &wanted).await.expect_err("a conflict");
    assert!(!error.is_worth_a_line(), "{error}");
    assert_eq!(server.asked(), [format!("PATCH {MACHINES}/m/status")]);
    assert_eq!(server.sent()[0]["metadata"]["resourceVersion"], "8", "our own last write counts");
    let mut anew = born(MachinePhase::Empty);
    anew.metadata.uid = Some("uid-second".into());
    anew.metadata.resource_version = Some("9".into());
    fleet.update(|index| index.apply_machine(anew));
    execute(&fleet, &known, &wanted).await.expect("there is nobody to write to");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_status_that_somebody_else_wrote_meanwhile_is_not_undone() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let decided_about = std::sync::Arc::new(born(MachinePhase::Running));
    let mut newest = born(MachinePhase::Terminating);
    newest.metadata.resource_version = Some("8".into());
    fleet.update(|index| index.apply_machine(newest));
    let mut wanted = decided_about.status.clone();
    wanted.current_status.phase = MachinePhase::Unknown;
    let done = execute(&fleet, &decided_about, &MachineAction::PatchStatus(Box::new(wanted))).await;
    let error = done.expect_err("it is decided anew");
    assert!(!error.is_worth_a_line(), "{error}");
    assert_eq!(server.asked(), [""; 0]);
}

fn ready() -> NodeView {
    let mut node = node("m");
    node.status.conditions =
        vec![NodeCondition { type_: "Ready".into(), status: "True".into(), ..NodeCondition::default() }];
    node
}

#[tokio::test(start_paused = true)]
async fn a_node_patch_that_is_refused_for_good_never_keeps_a_machine_from_running() {
    let mut running = born(MachinePhase::Running);
    running.metadata.resource_version = Some("2".into());
    let server = FakeServer::answering([
        (200, as_json(&running)),
        (403, status(403, "Forbidden")), // the token
        (422, status(422, "Invalid")),   // the node
    ]);
    let fleet = led(&server);
    let mut pending = born(MachinePhase::Pending);
    pending.metadata.creation_timestamp = Some(Time(fleet.now()));
    pending.metadata.labels.get_or_insert_default().insert(labels::DEPLOYMENT_NAME.into(), "web".into());
    pending.spec.node_template.metadata.labels = Some([("tier".to_owned(), "not valid!".to_owned())].into());
    fleet.update(|index| index.apply_machine(pending));
    fleet.update(|index| index.apply_node(ready()));
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert_eq!(
        server.asked(),
        [
            format!("PATCH {MACHINES}/m/status"),
            format!("GET {}", path(0)),
            "PATCH /api/v1/nodes/m".to_owned()
        ]
    );
    assert_eq!(server.sent()[0]["status"]["currentStatus"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_node_of_another_vm_is_not_the_machines() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let mut foreign = ready();
    foreign.spec.provider_id = "fake://another".into();
    fleet.update(|index| index.apply_machine(born(MachinePhase::Running)));
    fleet.update(|index| index.apply_node(foreign.clone()));
    assert!(fleet.with_index(|index| index.node_of(&born(MachinePhase::Running)).is_none()));
    let known = std::sync::Arc::new(born(MachinePhase::Running));
    execute(&fleet, &known, &MachineAction::DeleteNode { name: "m".into() }).await.expect("left alone");
    assert_eq!(server.asked(), Vec::<String>::new());
    foreign.spec.provider_id = "fake://m".into();
    foreign.metadata.resource_version = Some("2".into());
    fleet.update(|index| index.apply_node(foreign));
    assert_eq!(
        fleet.with_index(|index| index.node_of(&known).map(|node| node.name().to_owned())).as_deref(),
        Some("m")
    );
}

#[tokio::test(start_paused = true)]
async fn the_zone_of_a_node_counts_for_machines_whose_template_names_none_and_is_kept_when_the_node_goes() {
    use millwright_decide::machine::{MeltdownGroup, MeltdownScope};
    let fleet = led(&FakeServer::default());
    let group = |machine: &Machine| {
        fleet.with_index(|index| index.meltdown_group(machine, MeltdownScope::Zone)).expect("always one")
    };
    fleet.update(|index| index.apply_machine(born(MachinePhase::Pending)));
    assert_eq!(group(&born(MachinePhase::Pending)), MeltdownGroup::Zone(String::new()));
    let mut placed = ready();
    placed.metadata.labels = Some([(labels::ZONE.to_owned(), "a".to_owned())].into());
    fleet.update(|index| index.apply_node(placed.clone()));
    let zone = MeltdownGroup::Zone("a".into());
    assert_eq!(group(&born(MachinePhase::Pending)), zone);
    fleet.update(|index| index.forget_node("m", placed.uid()));
    assert_eq!(group(&born(MachinePhase::Unknown)), zone);
    let judged = {
        let mut other = born(MachinePhase::Unknown);
        other.metadata.name = Some("other".into());
        other.metadata.uid = Some("uid-other".into());
        other.spec.node_template.metadata.labels = Some([(labels::ZONE.to_owned(), "a".to_owned())].into());
        other
    };
    fleet.update(|index| index.apply_machine(judged.clone()));
    let changing = || fleet.with_index(|index| index.tally_beside(&judged, &zone).changing);
    assert_eq!(changing(), 1, "the pending one");
    fleet.update(|index| index.forget_machine("m", "uid-m"));
    assert_eq!(changing(), 0);
    assert_eq!(group(&born(MachinePhase::Pending)), MeltdownGroup::Zone(String::new()));
}
