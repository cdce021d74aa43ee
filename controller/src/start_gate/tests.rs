use super::*;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http::{Request, Response};
use kube::client::Body;
use millwright_cluster::client::{ControlClient, TargetClient};
use serde_json::json;
use tower::{BoxError, service_fn};

const PATIENCE: Duration = Duration::from_secs(30);

/// A server that answers `/version` and discovery with what `answer` says about the n-th request for it.
fn client(answer: impl Fn(&str, u32) -> (u16, String) + Send + Sync + 'static) -> Client {
    let (answer, count) = (Arc::new(answer), Arc::new(AtomicU32::new(0)));
    let service = service_fn(move |request: Request<Body>| {
        let (answer, count) = (answer.clone(), count.clone());
        async move {
            let (code, body) = answer(request.uri().path(), count.fetch_add(1, Ordering::Relaxed));
            Ok::<_, BoxError>(Response::builder().status(code).body(Body::from(body.into_bytes()))?)
        }
    });
    Client::new(service, "ns")
}

fn kinds(names: &[&str]) -> String {
    let resources: Vec<_> = names
        .iter()
        .map(|name| json!({"name": name, "singularName": "", "namespaced": true, "kind": "K", "verbs": []}))
        .collect();
    json!({"kind": "APIResourceList", "groupVersion": API_VERSION, "resources": resources}).to_string()
}

fn clients(control: Client, target: Option<Client>) -> Clients {
    Clients {
        control: ControlClient(control.clone()),
        target_probes: target.clone(),
        fence: Default::default(),
        target: target.map(TargetClient),
        leases: control,
    }
}

fn healthy(path: &str) -> (u16, String) {
    if path == "/version" { (200, "{}".into()) } else { (200, self::kinds(&KINDS)) }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_with_the_four_kinds_passes_at_once() {
    let control = client(|path, _| healthy(path));
    assert!(pass(&clients(control, None), Duration::ZERO).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn kinds_that_are_missing_are_named_with_the_command_that_installs_them() {
    let control = client(|path, _| match path {
        "/version" => (200, "{}".into()),
        _ => (200, self::kinds(&["machines", "machinesets"])),
    });
    let error = pass(&clients(control, None), PATIENCE).await.unwrap_err().to_string();
    assert!(error.contains("machineclasses, machinedeployments;"), "{error}");
    assert!(error.contains("kubectl apply -k config/crd"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_api_server_without_the_group_lacks_all_four_whatever_its_404_looks_like() {
    for body in ["404 page not found", r#"{"kind":"Status","reason":"NotFound","code":404}"#] {
        let control =
            client(move |path, _| if path == "/version" { healthy(path) } else { (404, body.into()) });
        let error = pass(&clients(control, None), Duration::ZERO).await.unwrap_err();
        assert!(matches!(&error, StartError::KindsMissing { missing } if missing.len() == 4), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_up_after_us_is_waited_for() {
    let control = client(|path, nth| if nth < 10 { (503, String::new()) } else { healthy(path) });
    let started = Instant::now();
    assert!(pass(&clients(control, None), PATIENCE).await.is_ok());
    assert_eq!(started.elapsed(), Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn patience_ends_and_names_the_flag() {
    let control = client(|_, _| (503, String::new()));
    let started = Instant::now();
    let error = pass(&clients(control, None), PATIENCE).await.unwrap_err().to_string();
    assert_eq!(started.elapsed(), PATIENCE);
    assert!(error.contains("--control-kubeconfig"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_are_not_tried_again() {
    let control = client(|_, _| (401, String::new()));
    let started = Instant::now();
    assert!(pass(&clients(control, None), PATIENCE).await.is_err());
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_target_cluster_must_answer_too_and_needs_no_kinds() {
    let control = || client(|path, _| healthy(path));
    let target = client(|_, _| (503, String::new()));
    let error = pass(&clients(control(), Some(target)), PATIENCE).await.unwrap_err().to_string();
    assert!(error.contains("--target-kubeconfig"), "{error}");
    let target = client(|path, _| if path == "/version" { (200, "{}".into()) } else { (404, String::new()) });
    assert!(pass(&clients(control(), Some(target)), Duration::ZERO).await.is_ok());
}
