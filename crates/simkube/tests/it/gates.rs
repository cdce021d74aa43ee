//! What a gate does to requests.

use std::sync::Arc;
use std::time::Duration;

use kube::ResourceExt as _;
use kube::api::{ListParams, PostParams};
use millwright_simkube::{RequestInfo, SimKube, Verb, Verdict};
use tokio::time::{Instant, timeout};

use crate::paused::{NAMESPACE, code, dynamic, machine, machines};

fn judging(verdict: Verdict) -> SimKube {
    let sim = SimKube::new();
    sim.set_gate(Arc::new(move |_: &RequestInfo| verdict.clone()));
    sim
}

async fn create(sim: &SimKube) -> kube::Result<kube::api::DynamicObject> {
    machines(sim, "us").create(&PostParams::default(), &dynamic(machine("a"))).await
}

fn is_made(sim: &SimKube) -> bool {
    sim.operator().get("machines", NAMESPACE, "a").is_some()
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_is_not_carried_out_and_says_when_to_come_back() {
    let sim = judging(Verdict::refuse(429));
    let Err(kube::Error::Api(status)) = create(&sim).await else { panic!("it must be refused") };
    assert_eq!((status.code, status.reason.as_str()), (429, "TooManyRequests"));
    assert_eq!(status.details.unwrap().retry_after_seconds, 1);
    assert!(!is_made(&sim));
}

#[tokio::test(start_paused = true)]
async fn a_reset_is_not_carried_out_and_a_lost_answer_is() {
    for (verdict, made) in [(Verdict::Reset, false), (Verdict::LoseAnswer, true)] {
        let sim = judging(verdict.clone());
        assert!(matches!(create(&sim).await, Err(kube::Error::Service(_))), "{verdict:?}");
        assert_eq!(is_made(&sim), made, "{verdict:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_answer_comes_from_one_who_hangs_whether_it_acted_or_not() {
    for (verdict, made) in [(Verdict::Hang, false), (Verdict::NeverAnswer, true)] {
        let sim = judging(verdict.clone());
        assert!(timeout(Duration::from_secs(3600), create(&sim)).await.is_err(), "{verdict:?}");
        assert_eq!(is_made(&sim), made, "{verdict:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delayed_request_is_carried_out_late() {
    let sim = judging(Verdict::Delay(Duration::from_secs(5), Box::new(Verdict::Pass)));
    let before = Instant::now();
    create(&sim).await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_stale_list_shows_the_past_and_its_version() {
    let sim = SimKube::new();
    for name in ["a", "b"] {
        sim.operator().apply(machine(name)).unwrap();
    }
    sim.set_gate(Arc::new(|_: &RequestInfo| Verdict::StaleList { versions_behind: 1 }));
    let list = machines(&sim, "us").list(&ListParams::default()).await.unwrap();
    let names: Vec<_> = list.items.iter().map(|item| item.name_any()).collect();
    assert_eq!((names, list.metadata.resource_version.as_deref()), (vec!["a".to_owned()], Some("301")));
}

#[tokio::test(start_paused = true)]
async fn a_gate_knows_who_asks_for_what() {
    let sim = SimKube::new();
    let seen = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let log = seen.clone();
    sim.set_gate(Arc::new(move |request: &RequestInfo| {
        log.lock().push(request.clone());
        Verdict::Pass
    }));
    create(&sim).await.unwrap();
    assert_eq!(code(machines(&sim, "them").get_scale("a").await), 404);
    let client = sim.client("them", NAMESPACE);
    client.apiserver_version().await.unwrap();
    let seen = seen.lock();
    let told: Vec<_> = seen.iter().map(ToString::to_string).collect();
    let expected =
        ["#1 us: create machines/fleet/a", "#2 them: get machines/scale/fleet/a", "#3 them: get /version"];
    assert_eq!(told, expected);
    assert_eq!(
        (seen[0].verb, seen[0].is_write, seen[0].group.as_str()),
        (Verb::Create, true, "machine.sapcloud.io")
    );
}
