//! Objects through a client and through the operator.

use kube::ResourceExt as _;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use millwright_simkube::{SimKube, Verb};
use serde_json::json;

use crate::paused::{NAMESPACE, code, dynamic, machine, machines};

#[tokio::test(start_paused = true)]
async fn an_object_lives_from_its_creation_to_its_last_finalizer() {
    let sim = SimKube::new();
    let api = machines(&sim, "us");
    let made = api.create(&PostParams::default(), &dynamic(machine("a"))).await.unwrap();
    assert_eq!((made.metadata.generation, made.uid().is_some()), (Some(1), true));
    assert_eq!(code(api.create(&PostParams::default(), &dynamic(machine("a"))).await), 409);

    let finalizer = Patch::Merge(json!({"metadata": {"finalizers": ["test/it"]}}));
    let held = api.patch("a", &PatchParams::default(), &finalizer).await.unwrap();
    assert_eq!(held.metadata.generation, Some(1), "metadata is not counted");
    let other = DeleteParams::default()
        .preconditions(Preconditions { uid: Some("x".into()), resource_version: None });
    assert_eq!(code(api.delete("a", &other).await), 409);
    let deleting = api.delete("a", &DeleteParams::default()).await.unwrap().left().unwrap();
    assert!(deleting.metadata.deletion_timestamp.is_some());
    let revision = sim.revision();
    assert!(api.delete("a", &DeleteParams::default()).await.unwrap().is_left());
    assert_eq!(sim.revision(), revision, "a second deletion writes nothing");

    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("a", &PatchParams::default(), &free).await.unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
    let history = sim.history();
    let verbs: Vec<_> = history.iter().map(|write| write.verb).collect();
    assert_eq!(verbs, [Verb::Create, Verb::Patch, Verb::Delete, Verb::Patch]);
    assert!(history.iter().all(|write| write.who == "us"));
    assert!(history[3].after.is_none() && history[3].before.is_some());
}

#[tokio::test(start_paused = true)]
async fn two_runs_are_equal() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let sim = SimKube::new();
        let api = machines(&sim, "us");
        let mut named = machine("");
        named["metadata"] = json!({ "generateName": "m-" });
        let mut bodies = Vec::new();
        for _ in 0..3 {
            bodies.push(api.create(&PostParams::default(), &dynamic(named.clone())).await.unwrap());
            tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        }
        runs.push(serde_json::to_string(&bodies).unwrap());
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test(start_paused = true)]
async fn two_clusters_need_not_share_uids() {
    let uid = |salt| {
        let sim = SimKube::new();
        sim.salt_uids(salt);
        sim.operator().apply(machine("a")).unwrap()["metadata"]["uid"].clone()
    };
    assert_ne!(uid(0), uid(1));
}

#[tokio::test(start_paused = true)]
async fn equal_state_is_no_write_and_no_new_version() {
    let sim = SimKube::new();
    let api = machines(&sim, "us");
    let made = api.create(&PostParams::default(), &dynamic(machine("a"))).await.unwrap();
    let patch = Patch::Merge(json!({"spec": {"class": {"name": "small"}}}));
    let same = api.patch("a", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(made.resource_version(), same.resource_version());
    assert_eq!(sim.history().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn pages_show_the_state_of_the_first_and_end_when_it_is_forgotten() {
    let sim = SimKube::new();
    let api = machines(&sim, "us");
    for name in ["a", "b", "c"] {
        sim.operator().apply(machine(name)).unwrap();
    }
    let first = api.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(1));
    sim.operator().apply(machine("d")).unwrap();
    sim.operator().remove("machines", NAMESPACE, "c");
    let token = first.metadata.continue_.unwrap();
    let second = api.list(&ListParams::default().limit(2).continue_token(&token)).await.unwrap();
    let names: Vec<_> = second.items.iter().map(|item| item.name_any()).collect();
    assert_eq!(
        (names, second.metadata.resource_version),
        (vec!["c".to_owned()], first.metadata.resource_version)
    );
    sim.compact();
    assert_eq!(code(api.list(&ListParams::default().limit(2).continue_token(&token)).await), 410);
}

#[tokio::test(start_paused = true)]
async fn the_operator_writes_status_and_spec_at_once_and_counts_generations_of_the_spec() {
    let sim = SimKube::new();
    let operator = sim.operator();
    operator.apply(machine("a")).unwrap();
    let status = operator
        .modify("machines", NAMESPACE, "a", |machine| machine["status"]["node"] = json!("n"))
        .unwrap();
    assert_eq!(status["metadata"]["generation"], 1);
    let spec = operator
        .modify("machines", NAMESPACE, "a", |machine| machine["spec"]["providerID"] = json!("p"))
        .unwrap();
    assert_eq!((&spec["metadata"]["generation"], &spec["status"]["node"]), (&json!(2), &json!("n")));
    assert_eq!(sim.requests(), 0, "the operator is no client");
}

#[tokio::test(start_paused = true)]
async fn an_observer_sees_every_write_before_its_answer() {
    let sim = SimKube::new();
    let seen = std::sync::Arc::new(parking_lot::Mutex::new(Vec::new()));
    let (log, looking) = (seen.clone(), sim.clone());
    sim.observe(move |write| {
        let now = looking.operator().get("machines", NAMESPACE, &write.name);
        log.lock().push((write.revision, now.is_some()));
    });
    let mut subscription = sim.subscribe();
    machines(&sim, "us").create(&PostParams::default(), &dynamic(machine("a"))).await.unwrap();
    assert_eq!(*seen.lock(), [(301, true)]);
    assert_eq!(subscription.next().await.revision, 301);
    assert!(subscription.try_next().is_none());
}
