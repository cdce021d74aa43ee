use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use clap::Parser as _;
use futures::StreamExt as _;
use kube::Client;
use millwright_admission::{Facts as _, Kind, Known, Rulebook, Standing};
use millwright_api::MachineDeployment;
use millwright_cluster::client::ControlClient;
use millwright_cluster::index::Index;
use millwright_cluster::watch::{WatchEvent, WatchMetrics};
use parking_lot::Mutex;
use prometheus::{Registry, TextEncoder};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt as _, service_fn};

use super::{FactsMetrics, Neighbours, Scope, Watched, WatchedKind, feed};
use crate::{Args, Metrics, SecretChecks, linked_providers, router};

/// An API server with fixed objects.
#[derive(Clone, Default)]
struct Api {
    objects: Arc<Mutex<Vec<(&'static str, Value)>>>,
    /// What a list of such a resource is refused with.
    refuses: Arc<Mutex<Vec<&'static str>>>,
    /// Whether watches that were begun break off, and none can be begun again.
    watches: Arc<Mutex<Watches>>,
    paths: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Watches {
    #[default]
    Silent,
    Refused,
}

impl Api {
    fn answer(&self, request: &Request<kube::client::Body>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let resource = path.rsplit('/').next().unwrap().to_owned();
        self.paths.lock().push(path);
        let refused = || {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "code": 403});
            Response::builder().status(403).body(Body::from(status.to_string())).unwrap()
        };
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        if is_watch && *self.watches.lock() == Watches::Silent {
            let silence = futures::stream::pending::<Result<Vec<u8>, Infallible>>();
            return Response::new(Body::from_stream(silence.fuse()));
        }
        if is_watch || self.refuses.lock().iter().any(|refused| *refused == resource) {
            return refused();
        }
        let objects = self.objects.lock();
        let items: Vec<&Value> =
            objects.iter().filter(|(kind, _)| *kind == resource).map(|(_, object)| object).collect();
        let list =
            json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items});
        Response::new(Body::from(list.to_string()))
    }
}

struct House {
    watched: Arc<Watched>,
    neighbours: Neighbours,
    registry: Registry,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

fn start(api: &Api, scope: Scope, secrets: SecretChecks) -> House {
    let server = api.clone();
    let service = service_fn(move |request: Request<kube::client::Body>| {
        let answer = server.answer(&request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let registry = Registry::new();
    let watched = Arc::new(Watched::new(scope, &WatchMetrics::register(&registry).unwrap()));
    FactsMetrics::register(&registry, Arc::clone(&watched), WatchedKind::ALL.to_vec()).unwrap();
    let (mut tasks, cancel) = (JoinSet::new(), CancellationToken::new());
    let client = ControlClient(Client::new(service, "shoot"));
    feed(&client, &watched, secrets, &mut tasks, &cancel);
    House { neighbours: Neighbours::watched(Arc::clone(&watched)), watched, registry, cancel, tasks }
}

impl House {
    fn metrics(&self) -> String {
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap()
    }
}

async fn settle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

fn shoot() -> Scope {
    Scope::of("shoot")
}

fn meta(name: &str, namespace: &str) -> Value {
    json!({"name": name, "namespace": namespace, "uid": format!("uid-{namespace}-{name}"), "resourceVersion": "5"})
}

fn owned(name: &str, namespace: &str, owner: &str) -> Value {
    let mut meta = meta(name, namespace);
    let owner = json!({"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "Any", "name": owner,
        "uid": format!("uid-{namespace}-{owner}"), "controller": true});
    meta["ownerReferences"] = json!([owner]);
    meta
}

/// Class `small`, deployment `pool`, its set `pool-1` and two machines, one of them on its way out.
fn fleet(namespace: &'static str) -> Vec<(&'static str, Value)> {
    let class = json!({"class": {"kind": "MachineClass", "name": "small"}});
    let template = json!({"spec": class});
    let machine = |name: &str| json!({"metadata": owned(name, namespace, "pool-1"), "spec": class});
    let mut going = machine("m-2");
    going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    vec![
        ("machineclasses", json!({"metadata": meta("small", namespace), "provider": "local"})),
        ("machinedeployments", json!({"metadata": meta("pool", namespace), "spec": {"template": template}})),
        (
            "machinesets",
            json!({"metadata": owned("pool-1", namespace, "pool"), "spec": {"replicas": 2, "template": template}}),
        ),
        (
            "machinesets",
            json!({"metadata": owned("pool-0", namespace, "pool"), "spec": {"replicas": 0, "template": template}}),
        ),
        ("machines", machine("m-1")),
        ("machines", going),
    ]
}

fn pool(namespace: &str) -> MachineDeployment {
    serde_json::from_value(json!({ "metadata": meta("pool", namespace) })).unwrap()
}

#[tokio::test(start_paused = true)]
async fn nothing_is_known_before_it_was_listed_and_then_who_uses_a_class_is() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    let house = start(&api, shoot(), SecretChecks::Off);
    let facts = house.neighbours.of("shoot");
    assert_eq!((facts.classes(), facts.class_users("small")), (Known::No, Known::No));
    settle().await;
    assert_eq!(facts.classes(), Known::Yes(vec!["small".to_owned()]));
    assert_eq!(facts.class("other"), Known::Yes(None));
    let Known::Yes(users) = facts.class_users("small") else { panic!("everything was listed") };
    let users: Vec<_> = users.iter().map(|user| (user.kind, user.name.as_str(), user.standing)).collect();
    assert_eq!(
        users,
        [
            (Kind::MachineDeployment, "pool", Standing::There),
            (Kind::MachineSet, "pool-1", Standing::There),
            (Kind::Machine, "m-1", Standing::There),
            (Kind::Machine, "m-2", Standing::Deleting),
        ],
        "a set that wants nothing is no user"
    );
    let Known::Yes(around) = facts.surroundings(&pool("shoot")) else { panic!("everything was listed") };
    assert_eq!((around.sets.len(), around.machines.len()), (2, 2));
    let metrics = house.metrics();
    assert!(metrics.contains("millwright_webhook_facts_known{kind=\"machines\"} 1"), "{metrics}");
    assert!(metrics.contains("millwright_webhook_facts_objects{kind=\"machines\"} 2"), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn of_another_namespace_than_the_watched_one_nothing_is_known() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    assert_eq!(house.neighbours.of("garden").classes(), Known::No);
    assert_eq!(house.neighbours.of("").classes(), Known::No);
}

#[tokio::test(start_paused = true)]
async fn namespaces_are_kept_apart_when_all_are_watched() {
    let api = Api::default();
    api.objects.lock().extend(fleet("one"));
    api.objects.lock().extend(fleet("two").into_iter().filter(|(kind, _)| *kind != "machines"));
    let house = start(&api, Scope::of("*"), SecretChecks::Off);
    settle().await;
    let machines = |namespace| match house.neighbours.of(namespace).surroundings(&pool(namespace)) {
        Known::Yes(around) => around.machines.len(),
        Known::No => panic!("everything was listed"),
    };
    assert_eq!((machines("one"), machines("two")), (2, 0));
    assert_eq!(house.neighbours.of("empty").class("small"), Known::Yes(None));
    assert!(api.paths.lock().iter().all(|path| !path.contains("namespaces")), "{:?}", api.paths.lock());
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_may_not_be_listed_leaves_the_others_known() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    api.refuses.lock().push("machines");
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    let facts = house.neighbours.of("shoot");
    assert!(matches!(facts.class("small"), Known::Yes(Some(_))));
    assert_eq!(facts.class_users("small"), Known::No, "machines may use it");
    api.refuses.lock().clear();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(matches!(facts.class_users("small"), Known::Yes(_)));
}

#[tokio::test(start_paused = true)]
async fn what_is_watched_in_vain_for_long_is_not_known_any_more() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    *api.watches.lock() = Watches::Refused;
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    let facts = house.neighbours.of("shoot");
    assert!(matches!(facts.class("small"), Known::Yes(Some(_))), "a short failure is forgiven");
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(facts.class("small"), Known::No);
    assert!(house.metrics().contains("millwright_webhook_facts_known{kind=\"machineclasses\"} 0"));
    *api.watches.lock() = Watches::Silent;
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert!(matches!(facts.class("small"), Known::Yes(Some(_))), "a watch that works again counts");
}

#[tokio::test(start_paused = true)]
async fn secrets_are_asked_for_only_when_they_are_to_be_checked() {
    let api = Api::default();
    let secret =
        json!({"metadata": meta("cloud", "shoot"), "data": {"token": "aHVudGVyMg==", "userData": ""}});
    api.objects.lock().push(("secrets", secret));
    let off = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    assert_eq!(off.neighbours.of("shoot").secret("cloud"), Known::No);
    assert!(api.paths.lock().iter().all(|path| !path.contains("secrets")));
    let on = start(&api, shoot(), SecretChecks::On);
    settle().await;
    let facts = on.neighbours.of("shoot");
    let Known::Yes(Some(fact)) = facts.secret("cloud") else { panic!("it was listed") };
    assert_eq!(fact.keys.iter().collect::<Vec<_>>(), ["token"]);
    assert_eq!(facts.secret("other"), Known::Yes(None));
}

/// What the route answers to a request.
async fn answered(neighbours: &Neighbours, request: Value) -> Value {
    let rulebook = Rulebook::new(linked_providers().unwrap()).unwrap();
    let args = Args::parse_from(["x", "--tls-cert-file=none", "--tls-key-file=none"]);
    let metrics = Metrics::register(&Registry::new()).unwrap();
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    let request = Request::post("/validate").header("content-type", "application/json");
    let request = request.body(Body::from(review.to_string())).unwrap();
    let response = router(rulebook, args.limits, metrics, neighbours.clone()).oneshot(request).await.unwrap();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    serde_json::from_slice::<Value>(&body).unwrap()["response"].take()
}

fn deletion(namespace: &str, user: &str) -> Value {
    let class = json!({"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass",
        "metadata": meta("small", namespace), "provider": "local"});
    json!({"uid": "u", "kind": {"group": "machine.sapcloud.io", "version": "v1alpha1", "kind": "MachineClass"},
        "name": "small", "namespace": namespace, "operation": "DELETE", "userInfo": {"username": user},
        "object": null, "oldObject": class})
}

#[tokio::test(start_paused = true)]
async fn a_class_in_use_is_deleted_by_nobody_but_with_its_namespace() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    let house = start(&api, shoot(), SecretChecks::Off);
    let before = answered(&house.neighbours, deletion("shoot", "admin")).await;
    assert_eq!(before["allowed"], true, "nothing is known yet: {before}");
    settle().await;
    let refused = answered(&house.neighbours, deletion("shoot", "admin")).await;
    assert_eq!(refused["allowed"], false);
    let message = refused["status"]["message"].as_str().unwrap();
    for user in ["MachineDeployment \"pool\"", "MachineSet \"pool-1\"", "Machine \"m-1\""] {
        assert!(message.contains(user), "{message}");
    }
    assert!(!message.contains("m-2") && !message.contains("pool-0"), "{message}");
    let of_namespace = deletion("shoot", "system:serviceaccount:kube-system:namespace-controller");
    assert_eq!(answered(&house.neighbours, of_namespace).await["allowed"], true);
    assert_eq!(answered(&house.neighbours, deletion("garden", "admin")).await["allowed"], true);
}

#[tokio::test(start_paused = true)]
async fn a_class_may_go_as_soon_as_the_deployment_of_all_its_machines_does() {
    let api = Api::default();
    let mut objects = fleet("shoot");
    for (kind, object) in &mut objects {
        if *kind == "machinedeployments" {
            object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
    }
    api.objects.lock().extend(objects);
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    assert_eq!(answered(&house.neighbours, deletion("shoot", "admin")).await["allowed"], true);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_the_watch_has_not_told_of_yet_is_waited_for() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        for (kind, mut object) in fleet("shoot") {
            if kind == "machinedeployments" {
                object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
                object["metadata"]["resourceVersion"] = json!("6");
                let event = WatchEvent::Apply(serde_json::from_value::<MachineDeployment>(object).unwrap());
                house.watched.event(WatchedKind::Deployment, event, Index::deployment_event);
            }
        }
    };
    let (answer, ()) = tokio::join!(answered(&house.neighbours, deletion("shoot", "admin")), later);
    assert_eq!(answer["allowed"], true, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_change_is_previewed_with_the_machines_that_are_watched() {
    let api = Api::default();
    api.objects.lock().extend(fleet("shoot"));
    let house = start(&api, shoot(), SecretChecks::Off);
    settle().await;
    let old = json!({"metadata": meta("pool", "shoot"), "spec": {
        "replicas": 2, "selector": {"matchLabels": {"pool": "a"}},
        "template": {"metadata": {"labels": {"pool": "a"}}, "spec": {"class": {"kind": "MachineClass", "name": "small"}}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}});
    let mut new = old.clone();
    new["spec"]["template"]["spec"]["class"]["name"] = json!("large");
    let request = json!({"uid": "u", "kind": {"group": "machine.sapcloud.io", "version": "v1alpha1", "kind": "MachineDeployment"},
        "name": "pool", "namespace": "shoot", "operation": "UPDATE", "dryRun": true, "object": new, "oldObject": old});
    let answer = answered(&house.neighbours, request).await;
    assert_eq!(answer["allowed"], true, "{answer}");
    let first = answer["warnings"][0].as_str().unwrap();
    assert!(first.starts_with("This change "), "the plan comes before all other warnings: {answer}");
    assert!(answer["warnings"].as_array().unwrap().len() > 1, "large does not exist: {answer}");
}

#[tokio::test(start_paused = true)]
async fn watches_end_when_they_are_told_to() {
    let mut house = start(&Api::default(), shoot(), SecretChecks::On);
    settle().await;
    house.cancel.cancel();
    while let Some(ended) = house.tasks.join_next().await {
        ended.unwrap();
    }
    assert!(house.watched.knows(WatchedKind::Machine), "what was known helps those that are still under way");
}
