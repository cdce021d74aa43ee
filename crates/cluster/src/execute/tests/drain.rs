//! Drains: what an answer to an eviction means, what is looked up of volumes and budgets and how often, and who is woken.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{AttachedVolume, Machine, NodeView, VolumeAttachmentView};
use millwright_decide::drain::{
    EvictionOutcome, Leftovers, LookUp, PodIdentity, PodListing, PodOnNode, PodVolume, VolumeStage,
};
use millwright_decide::machine::MachineAction;
use serde_json::{Value, json};

use super::super::machine as execute;
use super::{as_json, led};
use crate::Fleet;
use crate::fake::{FakeServer, fleet, machine, next, node, status};
use crate::leader::Leadership;
use crate::reconcile::reconcile_machine;
use crate::watch::WatchEvent;

const PODS: &str = "GET /api/v1/pods";
const EVICTION: &str = "POST /api/v1/namespaces/shop/pods/web/eviction";
const BUDGETS: &str = "GET /apis/policy/v1/namespaces/shop/poddisruptionbudgets";
const CLAIMS: &str = "GET /api/v1/namespaces/shop/persistentvolumeclaims";
const VOLUMES: &str = "GET /api/v1/persistentvolumes";

fn web() -> PodIdentity {
    PodIdentity { namespace: "shop".into(), name: "web".into(), uid: "uid-web".into() }
}

fn list(kind: &str, items: &[Value]) -> (u16, Value) {
    (200, json!({"kind": format!("{kind}List"), "apiVersion": "v1", "metadata": {}, "items": items}))
}

fn pod(name: &str, volumes: &Value) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("uid-{name}")},
        "spec": {"containers": [], "nodeName": "n", "volumes": volumes}})
}

fn claim(name: &str, volume: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop"}, "spec": {"volumeName": volume}})
}

fn volume(name: &str, driver: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"csi": {"driver": driver, "volumeHandle": format!("vol-{name}")}}})
}

fn accepted() -> (u16, Value) {
    (201, json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
}

fn blocked() -> (u16, Value) {
    let mut answer = status(429, "TooManyRequests");
    answer["details"] = json!({"causes": [
        {"reason": "DisruptionBudget", "message": "The disruption budget web needs 1 healthy pods and has 1 currently"}
    ]});
    (429, answer)
}

fn attachment(node: &str, volume: &str) -> VolumeAttachmentView {
    let mut attachment = VolumeAttachmentView::default();
    attachment.metadata.name = Some(format!("{volume}-{node}"));
    attachment.metadata.uid = Some(format!("uid-{volume}-{node}"));
    attachment.metadata.resource_version = Some("1".into());
    attachment.spec.attacher = "fake".into();
    attachment.spec.node_name = node.into();
    attachment.spec.source.persistent_volume_name = volume.into();
    attachment.status.attached = true;
    attachment
}

fn dying(fleet: &Fleet, name: &str, node: &str) -> Machine {
    let mut machine = machine(name);
    machine.metadata.labels = Some([(labels::NODE.to_owned(), node.to_owned())].into());
    machine.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    machine.metadata.deletion_timestamp = Some(Time(fleet.now()));
    machine
}

fn cordoned(name: &str) -> NodeView {
    let mut node = node(name);
    node.spec.unschedulable = true;
    node
}

/// A machine that is deleted, on whose cordoned node these volumes are attached.
fn with_volumes(fleet: &Fleet, volumes: &[&str]) -> Arc<Machine> {
    let machine = dying(fleet, "m", "n");
    let mut node = cordoned("n");
    for volume in volumes {
        let name = format!("kubernetes.io/csi/fake^vol-{volume}");
        node.status.volumes_attached.push(AttachedVolume { name });
        fleet.update(|index| index.attachment_event(WatchEvent::Apply(attachment("n", volume))));
    }
    fleet.update(|index| index.apply_machine(machine.clone()));
    fleet.update(|index| index.apply_node(node));
    Arc::new(machine)
}

async fn list_pods(fleet: &Arc<Fleet>, machine: &Arc<Machine>) {
    let action = MachineAction::ListPods { node: "n".into() };
    execute(fleet, machine, &action).await.expect("listed");
}

#[tokio::test(start_paused = true)]
async fn answers_to_an_eviction_mean_what_they_say() {
    let mut gone = status(404, "NotFound");
    gone["details"] = json!({"name": "web", "kind": "pods"});
    for (code, answer, expected) in [
        (201, accepted().1, "accepted"),
        (404, gone, "accepted"),
        (404, status(404, "NotFound"), "failed"),
        (409, status(409, "Conflict"), "accepted"),
        (429, blocked().1, "blocked"),
        (429, status(429, "TooManyRequests"), "failed"),
        (500, status(500, "InternalError"), "failed"),
        (0, Value::Null, "failed"),
    ] {
        let server = FakeServer::answering([(code, answer)]);
        let fleet = led(&server);
        let known = Arc::new(machine("m"));
        assert!(execute(&fleet, &known, &MachineAction::EvictPod(web())).await.is_ok());
        assert_eq!(server.asked()[0], EVICTION);
        let memories = fleet.memories.lock();
        let found = match &memories.machines["uid-m"].drain.evictions["uid-web"].outcome {
            EvictionOutcome::Accepted => "accepted",
            EvictionOutcome::Blocked { budget } if budget == "shop/web" => "blocked",
            EvictionOutcome::Blocked { .. } | EvictionOutcome::Misconfigured { .. } => "something else",
            EvictionOutcome::Failed { .. } => "failed",
        };
        assert_eq!(found, expected, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn budgets_are_looked_up_when_one_is_in_the_way_and_once_a_minute() {
    let budget = json!({"metadata": {"name": "web", "generation": 1}, "spec": {}, "status": {
        "observedGeneration": 1, "expectedPods": 1, "currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 0}});
    let budgets = || list("PodDisruptionBudget", std::slice::from_ref(&budget));
    let server = FakeServer::answering([blocked(), budgets(), blocked(), blocked(), budgets()]);
    let fleet = led(&server);
    let known = Arc::new(machine("m"));
    let evict = async || execute(&fleet, &known, &MachineAction::EvictPod(web())).await.expect("noted");
    evict().await;
    evict().await;
    tokio::time::sleep(Duration::from_secs(61)).await;
    evict().await;
    assert_eq!(server.asked(), [EVICTION, BUDGETS, EVICTION, EVICTION, BUDGETS]);
    let outcome = EvictionOutcome::Misconfigured { budget: "shop/web".into() };
    let mut memories = fleet.memories.lock();
    let drain = &mut memories.machines.get_mut("uid-m").expect("it drains").drain;
    assert_eq!(drain.evictions["uid-web"].outcome, outcome);
    assert!(!drain.is_news("uid-web", &outcome), "users were told, and once");
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_can_not_be_looked_up_holds_back_as_any_other() {
    let server = FakeServer::answering([blocked(), (403, status(403, "Forbidden"))]);
    let fleet = led(&server);
    execute(&fleet, &Arc::new(machine("m")), &MachineAction::EvictPod(web())).await.expect("noted");
    let memories = fleet.memories.lock();
    let outcome = &memories.machines["uid-m"].drain.evictions["uid-web"].outcome;
    assert_eq!(*outcome, EvictionOutcome::Blocked { budget: "shop/web".into() });
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_server_asks_for_is_remembered() {
    let mut busy = status(429, "TooManyRequests");
    busy["details"] = json!({"retryAfterSeconds": 17});
    let server = FakeServer::answering([(429, busy)]);
    let fleet = led(&server);
    execute(&fleet, &Arc::new(machine("m")), &MachineAction::EvictPod(web())).await.expect("noted");
    let memories = fleet.memories.lock();
    let record = &memories.machines["uid-m"].drain.evictions["uid-web"];
    assert_eq!(record.retry_after, Some(Duration::from_secs(17)));
}

#[tokio::test(start_paused = true)]
async fn a_node_without_volumes_costs_one_list() {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let server = FakeServer::answering([list("Pod", &[pod("web", &volumes)])]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &[]);
    list_pods(&fleet, &machine).await;
    assert_eq!(server.asked(), [PODS]);
}

#[tokio::test(start_paused = true)]
async fn volumes_are_found_by_lists_that_name_one_object_and_once_for_each_pod() {
    let volumes = json!([
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
        {"name": "config", "configMap": {"name": "c"}},
    ]);
    let pods = || list("Pod", &[pod("web", &volumes)]);
    let server = FakeServer::answering([
        pods(),
        list("PersistentVolumeClaim", &[claim("data", "a")]),
        list("PersistentVolume", &[volume("a", "fake")]),
        list("PersistentVolumeClaim", &[claim("web-scratch", "b")]),
        list("PersistentVolume", &[volume("b", "another")]),
        pods(),
    ]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a", "b"]);
    list_pods(&fleet, &machine).await;
    list_pods(&fleet, &machine).await;
    assert_eq!(server.asked(), [PODS, CLAIMS, VOLUMES, CLAIMS, VOLUMES, PODS]);
    let asked_for: Vec<bool> = ["nodeName%3Dn", "name%3Ddata", "name%3Da", "name%3Dweb-scratch", "name%3Db"]
        .iter()
        .zip(server.queries())
        .map(|(wanted, query)| query.contains(wanted))
        .collect();
    assert_eq!(asked_for, [true; 5], "{:?}", server.queries());
    let memories = fleet.memories.lock();
    let found = &memories.machines["uid-m"].drain.volumes["uid-web"];
    let known = |name: &str, ids: &[&str]| PodVolume {
        name: name.into(),
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
    };
    assert_eq!(found.volumes, [known("a", &["vol-a"]), known("b", &[])]);
    assert_eq!(found.stage, VolumeStage::InUse);
}

/// What is known of the look-ups of these pods' volumes: how often each was refused.
fn refusals<const N: usize>(fleet: &Fleet, pods: [&str; N]) -> [Option<u32>; N] {
    let memories = fleet.memories.lock();
    pods.map(|pod| match &memories.machines["uid-m"].drain.volumes[pod].look_up {
        LookUp::Failing { attempts, message } => {
            assert!(message.contains("claim data"), "{message}");
            Some(*attempts)
        }
        LookUp::Done => None,
    })
}

fn leftovers(fleet: &Fleet) -> Leftovers {
    fleet.memories.lock().machines["uid-m"].drain.leftovers.clone()
}

#[tokio::test(start_paused = true)]
async fn a_look_up_that_is_refused_is_tried_three_times_for_each_pod_and_never_stops_the_drain() {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let pods = || list("Pod", &[pod("web", &volumes), pod("db", &volumes)]);
    let refused = || (403, status(403, "Forbidden"));
    let found = || list("PersistentVolumeClaim", &[claim("data", "a")]);
    let server = FakeServer::answering([
        pods(),
        refused(),
        refused(),
        pods(),
        refused(),
        found(),
        list("PersistentVolume", &[volume("a", "fake")]),
        pods(),
        refused(),
        pods(),
    ]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    for expected in [[Some(1), Some(1)], [Some(2), None], [Some(3), None], [Some(3), None]] {
        list_pods(&fleet, &machine).await;
        assert_eq!(refusals(&fleet, ["uid-web", "uid-db"]), expected);
    }
    assert_eq!(
        server.asked(),
        [PODS, CLAIMS, CLAIMS, PODS, CLAIMS, CLAIMS, VOLUMES, PODS, CLAIMS, PODS],
        "after three looks there is none"
    );
    assert!(matches!(leftovers(&fleet), Leftovers::Failing { .. }), "what is attached may be the pod's");
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_can_not_answer_is_asked_once_a_look_and_says_nothing_about_a_pod() {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let pods = || list("Pod", &[pod("web", &volumes), pod("db", &volumes)]);
    let answers =
        [(429, status(429, "TooManyRequests")), (500, status(500, "InternalError")), (0, Value::Null)];
    let server = FakeServer::default();
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    for answer in answers.into_iter().cycle().take(9) {
        server.answer([pods(), answer]);
        list_pods(&fleet, &machine).await;
        assert_eq!(refusals(&fleet, ["uid-web", "uid-db"]), [Some(0), Some(0)]);
        let memories = fleet.memories.lock();
        let drain = &memories.machines["uid-m"].drain;
        assert!(drain.volumes.values().all(|pod| pod.look_up.is_open()), "no pod is evicted meanwhile");
    }
    assert_eq!(server.asked(), [PODS, CLAIMS].repeat(9));
}

#[tokio::test(start_paused = true)]
async fn volumes_whose_cloud_is_not_known_are_waited_for_all_the_same() {
    let server = FakeServer::answering([list("Pod", &[])]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    let class =
        fleet.with_index(|index| index.class(&machine.spec.class.name).cloned()).expect("it has a class");
    let mut class = (*class).clone();
    class.provider = "nobody".into();
    class.metadata.resource_version = Some("1000".into());
    fleet.update(|index| index.apply_class(class));
    list_pods(&fleet, &machine).await;
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert!(!server.asked().iter().any(|asked| asked.starts_with("DELETE")), "{:?}", server.asked());
    let Leftovers::Failing { message } = leftovers(&fleet) else { panic!("nobody knows them") };
    assert!(message.contains("the cloud of MachineClass"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_list_of_volumes_that_fails_once_after_a_restart_never_ends_a_drain_with_volumes_attached() {
    let server = FakeServer::answering([list("Pod", &[]), (500, status(500, "InternalError"))]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    list_pods(&fleet, &machine).await;
    reconcile_machine(fleet.clone(), "m".into()).await;
    let deletes = |asked: &[String]| asked.iter().any(|asked| asked.starts_with("DELETE"));
    assert!(!deletes(&server.asked()), "{:?}", server.asked());
    let said = |text: &str| {
        let sent = server.sent();
        sent.iter()
            .filter_map(|body| body["status"]["lastOperation"]["description"].as_str())
            .any(|description| description.contains(text))
    };
    assert!(said("a of an unknown pod waits to be detached until"), "{:?}", server.sent());
    // The next listing looks again.
    server.answer([list("Pod", &[]), list("PersistentVolume", &[volume("a", "fake")])]);
    list_pods(&fleet, &machine).await;
    assert_eq!(leftovers(&fleet), Leftovers::Known);
    assert_eq!(server.asked().iter().filter(|asked| **asked == VOLUMES).count(), 2);
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert!(!deletes(&server.asked()), "{:?}", server.asked());
    let memories = fleet.memories.lock();
    assert_eq!(memories.machines["uid-m"].drain.volume_names().collect::<Vec<_>>(), ["a"], "it is followed");
}

#[tokio::test(start_paused = true)]
async fn volumes_on_their_way_are_taken_over_from_a_process_before() {
    let server = FakeServer::answering([list("Pod", &[]), list("PersistentVolume", &[volume("a", "fake")])]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    list_pods(&fleet, &machine).await;
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert!(!server.asked().iter().any(|asked| asked.starts_with("DELETE")), "{:?}", server.asked());
    let sent = server.sent();
    let description = sent
        .iter()
        .filter_map(|body| body["status"]["lastOperation"]["description"].as_str())
        .find(|text| text.contains("volume a waits to be detached until"));
    assert!(description.is_some(), "{sent:?}");
}

#[tokio::test(start_paused = true)]
async fn a_volume_that_is_attached_elsewhere_wakes_the_machine_that_waits_for_it() {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let server = FakeServer::answering([
        list("Pod", &[pod("web", &volumes)]),
        list("PersistentVolumeClaim", &[claim("data", "a")]),
        list("PersistentVolume", &[volume("a", "fake")]),
    ]);
    let fleet = led(&server);
    let machine = with_volumes(&fleet, &["a"]);
    list_pods(&fleet, &machine).await;
    server.answer([(200, as_json(&*machine)), (200, as_json(&cordoned("n"))), accepted(), accepted()]);
    reconcile_machine(fleet.clone(), "m".into()).await;
    let queue = &fleet.parts.queues.machines;
    while !queue.is_empty() {
        assert!(next(queue).await.is_some());
    }
    fleet.update(|index| index.attachment_event(WatchEvent::Apply(attachment("elsewhere", "other"))));
    assert!(queue.is_empty(), "another volume");
    fleet.update(|index| index.attachment_event(WatchEvent::Apply(attachment("elsewhere", "a"))));
    assert_eq!(next(queue).await.as_deref(), Some("m"));
    // A machine that is gone waits for nothing.
    fleet.update(|index| index.forget_machine("m", "uid-m"));
    reconcile_machine(fleet.clone(), "m".into()).await;
    while !queue.is_empty() {
        assert!(next(queue).await.is_some());
    }
    fleet.update(|index| index.attachment_event(WatchEvent::Delete(attachment("elsewhere", "a"))));
    assert!(queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn pods_of_a_node_are_asked_side_by_side_and_one_that_fails_stops_none() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let mut machine = dying(&fleet, "m", "n");
    machine.metadata.labels.get_or_insert_default().insert(labels::FORCE_DELETION.into(), "true".into());
    fleet.update(|index| index.apply_machine(machine.clone()));
    fleet.update(|index| index.apply_node(cordoned("n")));
    let on_node = |name: &str| PodOnNode {
        id: PodIdentity { namespace: "shop".into(), name: name.into(), uid: format!("uid-{name}") },
        controller_kind: None,
        mirror: false,
        deleted_at: None,
        grace: Duration::from_secs(30),
        priority: 0,
    };
    let listing = PodListing { at: fleet.now(), pods: vec![on_node("a"), on_node("b"), on_node("c")] };
    fleet.memories.lock().machines.entry("uid-m".into()).or_default().drain.listed(listing);
    answer_writes(&server, "m", "n");
    reconcile_machine(fleet.clone(), "m".into()).await;
    let deletes: Vec<String> = server.asked().into_iter().filter(|asked| asked.contains("/pods/")).collect();
    let all = ["a", "b", "c"].map(|name| format!("DELETE /api/v1/namespaces/shop/pods/{name}"));
    // The first is gone, the others were refused.
    assert_eq!(deletes, all);
}

/// Good answers to what is said of a drain, and to an eviction after that.
fn answer_writes(server: &FakeServer, machine_name: &str, node: &str) {
    server.answer([(200, as_json(&cordoned(node))), (200, as_json(&machine(machine_name))), accepted()]);
}

#[tokio::test(start_paused = true)]
async fn the_next_machine_in_line_is_woken_when_a_slot_is_free() {
    let server = FakeServer::default();
    let (mut fleet, _) = fleet(&server, Leadership::undisputed());
    Arc::get_mut(&mut fleet).expect("nobody else has it").parts.max_concurrent_drains = Some(1);
    for (name, node) in [("a", "n-a"), ("b", "n-b")] {
        let machine = dying(&fleet, name, node);
        fleet.update(|index| index.apply_machine(machine));
        fleet.update(|index| index.apply_node(cordoned(node)));
        let pod = PodOnNode {
            id: PodIdentity { namespace: "shop".into(), name: name.into(), uid: format!("uid-{name}") },
            controller_kind: None,
            mirror: false,
            deleted_at: None,
            grace: Duration::from_secs(30),
            priority: 0,
        };
        let listing = PodListing { at: fleet.now(), pods: vec![pod] };
        fleet.memories.lock().machines.entry(format!("uid-{name}")).or_default().drain.listed(listing);
        answer_writes(&server, name, node);
        reconcile_machine(fleet.clone(), name.into()).await;
    }
    let evictions = |server: &FakeServer| {
        server.asked().into_iter().filter(|asked| asked.ends_with("/eviction")).collect::<Vec<_>>()
    };
    assert_eq!(evictions(&server), ["POST /api/v1/namespaces/shop/pods/a/eviction"]);
    let queue = &fleet.parts.queues.machines;
    while !queue.is_empty() {
        assert!(next(queue).await.is_some());
    }
    // The machine goes without a word: somebody removed its finalizer.
    fleet.update(|index| index.forget_machine("a", "uid-a"));
    reconcile_machine(fleet.clone(), "a".into()).await;
    let mut woken = Vec::new();
    while !queue.is_empty() {
        woken.extend(next(queue).await);
    }
    assert!(woken.contains(&"b".to_owned()), "{woken:?}");
    answer_writes(&server, "b", "n-b");
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(evictions(&server).len(), 2);
}
