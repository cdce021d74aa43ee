//! As much of an API server as the wiring asks for: it answers, has the four kinds or not, keeps leases, and holds no object.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const KINDS: [&str; 4] = ["machineclasses", "machinedeployments", "machines", "machinesets"];
const WATCHED_BESIDE: [&str; 3] = ["nodes", "secrets", "volumeattachments"];

/// A server, for as long as it is held.
pub(crate) struct Kubernetes {
    shared: Arc<Mutex<Shared>>,
    folder: TempDir,
    _runtime: Runtime,
}

#[derive(Default)]
struct Shared {
    has_kinds: bool,
    version: u64,
    leases: BTreeMap<String, Value>,
}

type Server = Arc<Mutex<Shared>>;

impl Kubernetes {
    pub(crate) fn start() -> Self {
        let shared = Server::new(Mutex::new(Shared { has_kinds: true, ..Shared::default() }));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let routes = axum::Router::new().fallback(answer).with_state(shared.clone());
        runtime.spawn(axum::serve(listener, routes).into_future());
        let folder = TempDir::new().unwrap();
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": format!("http://{address}")}}],
            "users": [{"name": "it", "user": {"token": "t"}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        });
        fs::write(folder.path().join("kubeconfig"), kubeconfig.to_string()).unwrap();
        Self { shared, folder, _runtime: runtime }
    }

    pub(crate) fn without_kinds() -> Self {
        let kubernetes = Self::start();
        kubernetes.shared.lock().unwrap().has_kinds = false;
        kubernetes
    }

    pub(crate) fn install_kinds(&self) {
        self.shared.lock().unwrap().has_kinds = true;
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    /// Who holds which lease; "" when it was given back.
    pub(crate) fn holders(&self) -> BTreeMap<String, String> {
        let shared = self.shared.lock().unwrap();
        let holder = |lease: &Value| lease["spec"]["holderIdentity"].as_str().unwrap().to_owned();
        shared.leases.iter().map(|(name, lease)| (name.clone(), holder(lease))).collect()
    }

    /// Another process takes a lease by force, as when this one had slept.
    pub(crate) fn take_away(&self, lease: &str) {
        let mut shared = self.shared.lock().unwrap();
        shared.version += 1;
        let version = shared.version.to_string();
        let lease = shared.leases.get_mut(lease).unwrap();
        lease["metadata"]["resourceVersion"] = json!(version);
        lease["spec"]["holderIdentity"] = json!("somebody-else");
    }
}

async fn answer(State(server): State<Server>, method: Method, uri: Uri, body: Bytes) -> Response {
    let mut shared = server.lock().unwrap();
    let path: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    match path.as_slice() {
        ["version"] => json(StatusCode::OK, &json!({"gitVersion": "v1.35.0"})),
        ["apis", "machine.sapcloud.io", "v1alpha1"] if shared.has_kinds => json(StatusCode::OK, &discovery()),
        ["apis", "coordination.k8s.io", "v1", "namespaces", _, "leases", rest @ ..] => {
            lease(&mut shared, &method, rest.first().copied(), &body)
        }
        [.., "events"] => json(StatusCode::CREATED, &serde_json::from_slice(&body).unwrap()),
        // A watch in which nothing happens.
        [.., _] if method == Method::GET && uri.query().is_some_and(|query| query.contains("watch=true")) => {
            let silence = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
            ([(header::CONTENT_TYPE, "application/json")], silence).into_response()
        }
        [.., kind] if method == Method::GET && (KINDS.contains(kind) || WATCHED_BESIDE.contains(kind)) => {
            let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []});
            json(StatusCode::OK, &list)
        }
        _ => refuse(404, "NotFound"),
    }
}

fn discovery() -> Value {
    let resource = |name: &str| json!({"name": name, "singularName": "", "namespaced": true, "kind": "K", "verbs": ["list"]});
    json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "machine.sapcloud.io/v1alpha1",
        "resources": KINDS.map(resource),
    })
}

fn lease(shared: &mut Shared, method: &Method, name: Option<&str>, body: &[u8]) -> Response {
    if *method == Method::GET {
        return match shared.leases.get(name.unwrap()) {
            Some(lease) => json(StatusCode::OK, lease),
            None => refuse(404, "NotFound"),
        };
    }
    let mut lease: Value = serde_json::from_slice(body).unwrap();
    let name = lease["metadata"]["name"].as_str().unwrap().to_owned();
    let current = shared.leases.get(&name).map(|lease| lease["metadata"]["resourceVersion"].clone());
    match (method.as_str(), current) {
        ("POST", None) => {}
        ("PUT", Some(current)) if current == lease["metadata"]["resourceVersion"] => {}
        _ => return refuse(409, "Conflict"),
    }
    shared.version += 1;
    lease["metadata"]["resourceVersion"] = json!(shared.version.to_string());
    shared.leases.insert(name, lease.clone());
    json(StatusCode::OK, &lease)
}

fn refuse(code: u16, reason: &str) -> Response {
    let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": reason, "reason": reason, "code": code});
    json(StatusCode::from_u16(code).unwrap(), &status)
}

fn json(code: StatusCode, body: &Value) -> Response {
    (code, axum::Json(body)).into_response()
}
