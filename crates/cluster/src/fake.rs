//! A fleet between a scripted API server and a scripted cloud, for tests of what is executed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use kube::Client;
use kube::client::Body;
use millwright_api::{Machine, MachineClass, MachineCode, MachineSpec, NodeView};
use millwright_decide::{MachineSettings, RolloutSettings, TargetCluster};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError,
    FieldErrorKind, Instance, Listed, Provider, ProviderError, ProviderState, Registry, Rule, Scope,
    SecretKey, SpecRules, Target, UserData,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::{BoxError, service_fn};

use crate::client::{ControlClient, TargetClient};
use crate::events::{EventMetrics, events};
use crate::fleet::{Clock, Queues};
use crate::leader::Leadership;
use crate::metrics::FleetMetrics;
use crate::queue::{QueueMetricsFamily, WorkQueue};
use crate::secrets::SecretCache;
use crate::{Fleet, FleetParts};

/// Answers requests in the order of the script; what is not in it is not found. Code 0 breaks the connection.
#[derive(Clone, Default)]
pub(crate) struct FakeServer {
    script: Arc<Mutex<VecDeque<(u16, Value)>>>,
    asked: Arc<Mutex<Vec<String>>>,
    sent: Arc<Mutex<Vec<Value>>>,
    queries: Arc<Mutex<Vec<String>>>,
    /// Answers lists of machines, whenever they come.
    machines: Option<Value>,
}

impl FakeServer {
    /// Lists of machines are answered with this and take nothing of the script.
    pub(crate) fn listing(self, machines: Value) -> Self {
        Self { machines: Some(machines), ..self }
    }

    pub(crate) fn answering(script: impl IntoIterator<Item = (u16, Value)>) -> Self {
        let script = Arc::new(Mutex::new(script.into_iter().collect()));
        Self { script, ..Self::default() }
    }

    /// What to answer next, after all that was to be answered before.
    pub(crate) fn answer(&self, script: impl IntoIterator<Item = (u16, Value)>) {
        self.script.lock().extend(script);
    }

    /// Method and path of every request so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }

    /// Bodies of the requests so far; null where there was none.
    pub(crate) fn sent(&self) -> Vec<Value> {
        self.sent.lock().clone()
    }

    /// Queries of the requests so far; empty where there was none.
    pub(crate) fn queries(&self) -> Vec<String> {
        self.queries.lock().clone()
    }

    fn client(&self) -> Client {
        let server = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                server.sent.lock().push(serde_json::from_slice(&body).unwrap_or_default());
                server.asked.lock().push(format!("{} {}", head.method, head.uri.path()));
                server.queries.lock().push(head.uri.query().unwrap_or_default().to_owned());
                let list = server
                    .machines
                    .clone()
                    .filter(|_| head.method == http::Method::GET && head.uri.path().ends_with("/machines"));
                let (code, mut body) = match list {
                    Some(list) => (200, list),
                    None => server.script.lock().pop_front().unwrap_or((404, status(404, "NotFound"))),
                };
                // It names the object that it has not, as an API server does and nobody else.
                if code == 404 && body.get("details").is_none() {
                    body["details"] = json!({ "name": head.uri.path().rsplit('/').next() });
                }
                if code == 0 {
                    return Err(BoxError::from("connection reset"));
                }
                let body = Body::from(body.to_string().into_bytes());
                Ok::<_, BoxError>(Response::builder().status(code).body(body)?)
            }
        });
        Client::new(service, "fleet")
    }
}

/// An error as an API server words it.
pub(crate) fn status(code: u16, reason: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": reason, "reason": reason, "code": code})
}

const BROKEN: Rule = Rule::error("fake/broken", "MachineClass: `providerSpec.broken`", "It is not there.");

/// A cloud that shows what it is told, and counts.
#[derive(Default)]
pub(crate) struct FakeCloud {
    pub(crate) listed: Mutex<Vec<Listed>>,
    pub(crate) calls: Mutex<Vec<String>>,
    /// Provider specs that deletions came with.
    pub(crate) specs: Mutex<Vec<Value>>,
    /// States that deletions came with.
    pub(crate) states: Mutex<Vec<Option<String>>>,
    /// Provider specs that creations came with.
    pub(crate) asked_with: Mutex<Vec<Value>>,
    /// The answer of creations, when it is not that nobody knows who asks.
    pub(crate) refuses_creations: Mutex<Option<MachineCode>>,
    /// Creations find no connection.
    pub(crate) is_out_of_reach: Mutex<bool>,
    /// The answer of looks, when it is not that there is none.
    pub(crate) refuses_looks: Mutex<Option<MachineCode>>,
    /// Answers of deletions; without one it is gone.
    pub(crate) refuses: Mutex<Option<MachineCode>>,
    /// Deletions go on for ever.
    pub(crate) lingers: Mutex<bool>,
    /// Deletions are for a list to prove.
    pub(crate) proves_by_list: Mutex<bool>,
    /// Lists have no answer.
    pub(crate) lists_fail: Mutex<bool>,
    /// Lists run into a bug.
    pub(crate) lists_panic: Mutex<bool>,
    /// Lists of this region never end.
    pub(crate) lists_hang_in: Mutex<Option<String>>,
    /// Deletions never end.
    pub(crate) deletions_hang: Mutex<bool>,
}

impl SpecRules for FakeCloud {
    fn names(&self) -> &'static [&'static str] {
        &["fake"]
    }

    fn schema(&self) -> Value {
        json!({})
    }

    fn rules(&self) -> &'static [Rule] {
        &[BROKEN]
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        &[]
    }

    fn add_defaults(&self, _spec: &mut Value) {}

    /// A spec that says it is broken is.
    fn validate(&self, class: &ClassView<'_>, _old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        let mistake = || FieldError {
            rule: BROKEN.id,
            field: "providerSpec.broken".into(),
            kind: FieldErrorKind::Forbidden,
            detail: "not allowed".into(),
        };
        class.spec.get("broken").map(|_| mistake()).into_iter().collect()
    }

    fn validate_credentials(&self, _credentials: &Credentials) -> Vec<FieldError> {
        Vec::new()
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        let zone = || class.spec.get("zone").and_then(Value::as_str);
        let location = region(class).or_else(zone).unwrap_or("here").to_owned();
        Ok(Scope { cluster: "cluster".into(), role: "role".into(), location })
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        match provider_id.strip_prefix("fake://") {
            Some(_) => Ok(provider_id.to_lowercase()),
            None => Err(ProviderError::new(MachineCode::InvalidArgument, "no id of this cloud")),
        }
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        let own = volumes.iter().filter_map(|volume| volume.csi.as_ref()).filter(|csi| csi.driver == "fake");
        own.map(|csi| csi.volume_handle.clone()).collect()
    }
}

#[async_trait]
impl Provider for FakeCloud {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        self.calls.lock().push(format!("status {} {:?}", target.machine.name, target.machine.provider_id));
        Err(ProviderError::new(self.refuses_looks.lock().unwrap_or(MachineCode::NotFound), "none"))
    }

    async fn create(&self, target: Target<'_>, _data: &UserData) -> Result<CreateOutcome, ProviderError> {
        self.asked_with.lock().push(target.class.spec.clone());
        let code = self.refuses_creations.lock().unwrap_or(MachineCode::Unauthenticated);
        let error = ProviderError::new(code, "who are you");
        Err(if *self.is_out_of_reach.lock() { error.unheard() } else { error })
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let machine = request.target.machine;
        self.calls.lock().push(format!("delete {} {:?}", machine.name, machine.provider_id));
        self.specs.lock().push(request.target.class.spec.clone());
        self.states.lock().push(machine.state.as_ref().map(|state| state.as_str().to_owned()));
        if *self.deletions_hang.lock() {
            return std::future::pending().await;
        }
        match *self.refuses.lock() {
            Some(code) => Err(ProviderError::new(code, "refused")),
            None if *self.lingers.lock() => Ok(DeleteOutcome::InProgress {
                state: ProviderState::new("going").expect("short"),
                retry_after: Duration::from_secs(1),
            }),
            None if *self.proves_by_list.lock() => Ok(DeleteOutcome::Unproven),
            None => Ok(DeleteOutcome::Gone),
        }
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        _credentials: &Credentials,
        _deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let region = region(&class);
        self.calls.lock().push(region.map_or("list".to_owned(), |region| format!("list {region}")));
        if region.is_some() && self.lists_hang_in.lock().as_deref() == region {
            return std::future::pending().await;
        }
        assert!(!*self.lists_panic.lock(), "a bug of the provider");
        if *self.lists_fail.lock() {
            return Err(ProviderError::new(MachineCode::Unavailable, "no answer"));
        }
        let mut listed = self.listed.lock().clone();
        if let Some(region) = region {
            listed.retain(|entry| entry.id.starts_with(&format!("fake://{region}/")));
        }
        Ok(listed)
    }
}

/// Where the VMs of a class are, when it says so.
fn region<'a>(class: &ClassView<'a>) -> Option<&'a str> {
    class.spec.get("region").and_then(Value::as_str)
}

/// A fleet that both clusters of are the server, and the cloud it works with.
pub(crate) fn fleet(server: &FakeServer, leadership: Leadership) -> (Arc<Fleet>, Arc<FakeCloud>) {
    fleet_beside(server, leadership, TargetCluster::Present)
}

/// The same, with or without a target cluster.
pub(crate) fn fleet_beside(
    server: &FakeServer,
    leadership: Leadership,
    target: TargetCluster,
) -> (Arc<Fleet>, Arc<FakeCloud>) {
    fleet_that_rolls(server, leadership, target, RolloutSettings::default())
}

/// The same, with flags of its own for rollouts.
pub(crate) fn fleet_that_rolls(
    server: &FakeServer,
    leadership: Leadership,
    target: TargetCluster,
    rollouts: RolloutSettings,
) -> (Arc<Fleet>, Arc<FakeCloud>) {
    let cloud = Arc::new(FakeCloud::default());
    let registry = prometheus::Registry::new();
    let client = server.client();
    let control = ControlClient(client.clone());
    let clock = Clock::starting_at(Timestamp::from_second(1_000_000).expect("a time"));
    let event_metrics = EventMetrics::register(&registry).expect("once");
    let (recorder, _) = events(client.clone(), &event_metrics, move || clock.now());
    let queues = QueueMetricsFamily::register(&registry).expect("once");
    let fleet = Fleet::new(FleetParts {
        namespace: "fleet".into(),
        secrets: SecretCache::new(&control),
        control,
        target: (target == TargetCluster::Present).then_some(TargetClient(client)),
        providers: Registry::<dyn Provider>::default().with(cloud.clone()).expect("one"),
        foreign_providers: ["elsewhere".to_owned()].into(),
        rollouts,
        settings: MachineSettings { target, ..MachineSettings::default() },
        max_concurrent_drains: None,
        bootstrap_groups: String::new(),
        recorder,
        leaderships: vec![leadership],
        metrics: FleetMetrics::register(&registry).expect("once"),
        queues: Queues::new(&queues),
        clock,
    });
    fleet.update(|index| index.apply_class(class("small")));
    // Nothing that tests do here is to be found in a queue.
    let Queues { machines, sets, deployments, classes, secrets } = &fleet.parts.queues;
    for queue in [machines, sets, deployments, classes, secrets] {
        assert!(queue.is_empty(), "the class wakes nobody at once");
    }
    (fleet, cloud)
}

pub(crate) fn class(name: &str) -> MachineClass {
    let mut class = MachineClass::default();
    class.metadata.name = Some(name.into());
    class.metadata.namespace = Some("fleet".into());
    class.metadata.uid = Some(format!("uid-{name}"));
    class.metadata.resource_version = Some("1".into());
    class.provider = "fake".into();
    class
}

pub(crate) fn machine(name: &str) -> Machine {
    let mut machine = Machine::new(Default::default(), MachineSpec::default());
    machine.metadata.name = Some(name.into());
    machine.metadata.namespace = Some("fleet".into());
    machine.metadata.uid = Some(format!("uid-{name}"));
    machine.metadata.resource_version = Some("1".into());
    machine.spec.class.name = "small".into();
    machine
}

pub(crate) fn node(name: &str) -> NodeView {
    let mut node = NodeView::default();
    node.metadata.name = Some(name.into());
    node.metadata.uid = Some(format!("uid-{name}"));
    node.metadata.resource_version = Some("1".into());
    node
}

/// The next key, or `None` when none comes within five (paused) seconds.
pub(crate) async fn next(queue: &WorkQueue<String>) -> Option<String> {
    let next = tokio::time::timeout(Duration::from_secs(5), queue.next()).await;
    next.ok().flatten().map(|work| work.key().clone())
}
