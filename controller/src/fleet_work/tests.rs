use super::*;

use clap::Parser as _;
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use millwright_cluster::client::{ControlClient, TargetClient};
use millwright_provider::{Provider, Registry};
use millwright_telemetry::Health;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::{BoxError, service_fn};

use crate::{Args, Metrics, WallClock};

/// How a server meets a request.
enum Answer {
    Body(Value),
    Never,
}

/// Requests that wrote.
type Writes = Arc<Mutex<Vec<String>>>;

fn client(answer: impl Fn(&Method, &str) -> Answer + Send + Sync + 'static) -> (Client, Writes) {
    let (answer, writes) = (Arc::new(answer), Writes::default());
    let noted = writes.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (answer, noted) = (answer.clone(), noted.clone());
        async move {
            let path = request.uri().path().to_owned();
            if request.method() != Method::GET {
                noted.lock().push(format!("{} {path}", request.method()));
            }
            if request.uri().query().is_some_and(|query| query.contains("watch=true")) {
                std::future::pending::<()>().await;
            }
            match answer(request.method(), &path) {
                Answer::Body(body) => {
                    Ok::<_, BoxError>(Response::new(Body::from(body.to_string().into_bytes())))
                }
                Answer::Never => std::future::pending().await,
            }
        }
    });
    (Client::new(service, "ns"), writes)
}

fn list(items: Value) -> Answer {
    Answer::Body(
        json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "5"}, "items": items}),
    )
}

/// A machine that needs its finalizer, so that there is something to write at once.
fn machine() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "Machine",
        "metadata": {"name": "m", "namespace": "ns", "uid": "u", "resourceVersion": "4"},
        "spec": {"class": {"kind": "MachineClass", "name": "small"}},
    })
}

fn class() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass",
        "metadata": {"name": "small", "namespace": "ns", "uid": "c", "resourceVersion": "3"},
        "provider": "nowhere", "providerSpec": {},
    })
}

fn config() -> FleetConfig {
    Args::parse_from(["x", "--namespace=ns"]).check(&Registry::<dyn Provider>::default()).unwrap().fleet
}

fn start(client: Client) -> FleetWork {
    let process = Process {
        identity: "me".into(),
        metrics: Metrics::register(&prometheus::Registry::new()).unwrap(),
        health: Health::default(),
        providers: Arc::default(),
        clock: WallClock::system(),
    };
    let clients = Clients {
        control: ControlClient(client.clone()),
        target: Some(TargetClient(client.clone())),
        leases: client.clone(),
        target_probes: Some(client),
        fence: Default::default(),
    };
    FleetWork::start(&config(), &clients, &process, vec![Leadership::undisputed()]).unwrap()
}

/// A fleet that hears nothing and does nothing.
pub(crate) async fn quiet_fleet() -> Arc<Fleet> {
    let fleet = start(client(|_, _| Answer::Never).0).fleet.clone();
    // Its tasks were told to end, and have it until they do.
    while Arc::strong_count(&fleet) > 1 {
        tokio::task::yield_now().await;
    }
    fleet
}

fn cancelled_after(seconds: u64) -> CancellationToken {
    let token = CancellationToken::new();
    let later = token.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        later.cancel();
    });
    token
}

#[tokio::test(start_paused = true)]
async fn an_idle_fleet_ends_at_once_when_it_is_asked_to() {
    let mut work = start(client(|_, _| list(json!([]))).0);
    let end = cancelled_after(60);
    assert!(work.go_on(&config(), &end).await.is_ok());
    let asked = tokio::time::Instant::now();
    assert!(work.finish(Duration::from_secs(20)).await.is_ok());
    assert_eq!(asked.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn nobody_works_before_every_kind_was_listed() {
    let (client, writes) = client(|_, path| match path.rsplit('/').next() {
        Some("nodes") => Answer::Never,
        Some("machines") => list(json!([machine()])),
        Some("machineclasses") => list(json!([class()])),
        _ => list(json!([])),
    });
    let mut work = start(client);
    assert!(work.go_on(&config(), &cancelled_after(60)).await.is_ok());
    assert_eq!(*writes.lock(), [""; 0]);
    assert!(work.finish(Duration::from_secs(20)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn work_that_does_not_end_within_the_grace_time_is_broken_off_and_told() {
    let (client, writes) = client(|method, path| match path.rsplit('/').next() {
        _ if method != Method::GET => Answer::Never,
        Some("machines") => list(json!([machine()])),
        Some("machineclasses") => list(json!([class()])),
        _ => list(json!([])),
    });
    let mut work = start(client);
    assert!(work.go_on(&config(), &cancelled_after(5)).await.is_ok());
    assert!(!writes.lock().is_empty());
    let asked = tokio::time::Instant::now();
    let grace = Duration::from_secs(20);
    assert!(matches!(work.finish(grace).await, Err(RunError::Overdue(told)) if told == grace));
    // And then the events, which have five seconds.
    assert!(asked.elapsed() <= grace + Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_ends_by_itself_ends_the_fleet() {
    let mut work = start(client(|_, _| list(json!([]))).0);
    let queues = work.queues.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        queues.shutdown();
    });
    let error = work.go_on(&config(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, RunError::TaskEnded { task: "a controller's worker", .. }), "{error}");
}
