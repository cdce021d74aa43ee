use super::*;

use std::collections::BTreeMap;
use std::sync::Arc;

use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use millwright_provider::{Provider, Registry};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::{BoxError, service_fn};

/// Leases by name, with a version each.
type Leases = Arc<Mutex<BTreeMap<String, Value>>>;

fn held_by(holder: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"resourceVersion": "1"},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": 1},
    })
}

fn client(leases: &Leases) -> Client {
    let leases = leases.clone();
    let service = service_fn(move |request: Request<Body>| {
        let leases = leases.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let name = head.uri.path().rsplit('/').next().unwrap_or_default().to_owned();
            let (code, answer) = answer(&mut leases.lock(), &head.method, &name, &body);
            let answer = Body::from(answer.to_string().into_bytes());
            Ok::<_, BoxError>(Response::builder().status(code).body(answer)?)
        }
    });
    Client::new(service, "ns")
}

fn answer(leases: &mut BTreeMap<String, Value>, method: &Method, name: &str, body: &[u8]) -> (u16, Value) {
    let refuse = |code: u16| {
        let reason = if code == 404 { "NotFound" } else { "Conflict" };
        (code, json!({"kind": "Status", "status": "Failure", "reason": reason, "code": code}))
    };
    if *method == Method::GET {
        return leases.get(name).map_or_else(|| refuse(404), |lease| (200, lease.clone()));
    }
    let mut lease: Value = serde_json::from_slice(body).unwrap();
    let name = lease["metadata"]["name"].as_str().unwrap().to_owned();
    let current = leases.get(&name).map(|lease| lease["metadata"]["resourceVersion"].clone());
    if current.as_ref().is_some_and(|current| *current != lease["metadata"]["resourceVersion"]) {
        return refuse(409);
    }
    let version: u64 = current.map_or(0, |current| current.as_str().unwrap().parse().unwrap());
    lease["metadata"]["resourceVersion"] = json!((version + 1).to_string());
    leases.insert(name, lease.clone());
    (200, lease)
}

fn config(flags: &[&str]) -> FleetConfig {
    use clap::Parser as _;
    let all = ["x", "--namespace=ns"].iter().chain(flags);
    crate::Args::parse_from(all).check(&Registry::<dyn Provider>::default()).unwrap().fleet
}

fn holders(leases: &Leases) -> Vec<String> {
    let holder = |lease: &Value| lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned();
    leases.lock().values().map(holder).collect()
}

#[tokio::test(start_paused = true)]
async fn two_that_hold_one_lease_each_do_not_wait_for_each_other_for_ever() {
    let names = config(&[]).controllers.leases();
    let held = names.into_iter().zip(["a", "b"]).map(|(name, holder)| (name.to_owned(), held_by(holder)));
    let leases: Leases = Arc::new(Mutex::new(held.collect()));
    let acquire = |identity: &'static str| {
        let (config, client) = (config(&[]), client(&leases));
        async move {
            Claims::acquire(&config, &client, identity, &WallClock::system(), &CancellationToken::new()).await
        }
    };
    let (first, second) = (Box::pin(acquire("a")), Box::pin(acquire("b")));
    let won = timeout(Duration::from_secs(3600), futures::future::select(first, second)).await.unwrap();
    let (claims, _other) = won.factor_first();
    assert!(claims.unwrap().unwrap().leaderships().iter().all(Leadership::may_write));
    let holders = holders(&leases);
    assert!(holders[0] == holders[1], "{holders:?}");
}

#[tokio::test(start_paused = true)]
async fn an_end_while_waiting_leaves_no_lease_behind() {
    let leases: Leases = Arc::default();
    leases.lock().insert("machine-controller".to_owned(), held_by("go-process"));
    let end = CancellationToken::new();
    let (config, client, soon) = (config(&[]), client(&leases), end.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        soon.cancel();
    });
    let claims = Claims::acquire(&config, &client, "me", &WallClock::system(), &end).await.unwrap();
    assert!(claims.is_none());
    assert_eq!(holders(&leases), ["go-process", ""]);
}

#[tokio::test(start_paused = true)]
async fn who_is_alone_may_write_at_once_and_has_nothing_to_lose() {
    let leases: Leases = Arc::default();
    let (config, end) = (config(&["--leader-elect=false"]), CancellationToken::new());
    let mut claims =
        Claims::acquire(&config, &client(&leases), "me", &WallClock::system(), &end).await.unwrap().unwrap();
    assert!(claims.leaderships().iter().all(Leadership::may_write));
    assert!(timeout(Duration::from_secs(86_400), claims.lost()).await.is_err());
    claims.release().await;
    assert!(holders(&leases).is_empty());
}
