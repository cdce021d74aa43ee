//! Azure as a list of answers, each to requests that begin alike; every request is written down.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use millwright_cloud_http::{CloudAccess, Endpoints, Transport, TransportError};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, Instance, Listed,
    MachineView, Provider as _, ProviderError, ProviderState, Target, UserData,
};
use millwright_provider_azure::AzureProvider;
use parking_lot::Mutex;
use serde_json::{Value, json};

pub(crate) const UID: &str = "00000000-0000-4000-8000-000000000001";
pub(crate) const SUBSCRIPTION: &str = "subscription-0123";
const GROUP: &str = "/subscriptions/subscription-0123/resourceGroups/rg/providers";

/// A request as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: String,
}

/// Status, body and headers.
type Scripted = (u16, Value, Vec<(&'static str, String)>);

/// Answers to lines that begin so; the last of several is given for ever.
struct Rule {
    begins: String,
    answers: Vec<Scripted>,
}

#[derive(Default)]
pub(crate) struct Script {
    rules: Mutex<Vec<Rule>>,
    seen: Mutex<Vec<Seen>>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

pub(crate) fn vms() -> String {
    format!("{GROUP}/Microsoft.Compute/virtualMachines")
}

pub(crate) fn nics() -> String {
    format!("{GROUP}/Microsoft.Network/networkInterfaces")
}

pub(crate) fn disks() -> String {
    format!("{GROUP}/Microsoft.Compute/disks")
}

pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

/// Tags of ours.
pub(crate) fn tags() -> Value {
    json!({ "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1", "Machine-UID": UID })
}

pub(crate) fn vm(name: &str, state: &str, tags: &Value) -> Value {
    json!({ "id": format!("{}/{name}", vms()).to_uppercase(), "name": name, "location": "westeurope", "tags": tags,
            "properties": { "provisioningState": state } })
}

pub(crate) fn page(items: &[Value]) -> Value {
    json!({ "value": items })
}

impl Script {
    /// An Azure with nothing in it, that gives tokens.
    pub(crate) fn new() -> Arc<Self> {
        let script = Arc::new(Self::default());
        script.answer(
            "POST /tenant-0123/oauth2",
            200,
            json!({ "access_token": "token-one", "expires_in": 3600 }),
        );
        for list in [vms(), nics(), disks()] {
            script.answer(&format!("GET {list}?"), 200, page(&[]));
        }
        script.answer(&format!("GET {}/", vms()), 404, error("ResourceNotFound", "none"));
        script
    }

    /// What comes to requests that begin so; before what was said of them earlier.
    pub(crate) fn answer(&self, begins: &str, status: u16, body: Value) {
        self.answer_with(begins, status, body, &[]);
    }

    pub(crate) fn answer_with(
        &self,
        begins: &str,
        status: u16,
        body: Value,
        headers: &[(&'static str, &str)],
    ) {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let rule = Rule { begins: begins.to_owned(), answers: vec![(status, body, headers)] };
        self.rules.lock().insert(0, rule);
    }

    /// One answer after the other.
    pub(crate) fn answers(&self, begins: &str, answers: Vec<(u16, Value)>) {
        let answers = answers.into_iter().map(|(status, body)| (status, body, Vec::new())).collect();
        self.rules.lock().insert(0, Rule { begins: begins.to_owned(), answers });
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// Method and path of each request but those for tokens, the common part left out.
    pub(crate) fn calls(&self) -> Vec<String> {
        let seen = self.seen().into_iter().filter(|seen| !seen.line.contains("/oauth2/"));
        let short = |line: &str| line.replace(GROUP, "").split('?').next().unwrap_or_default().to_owned();
        seen.map(|seen| short(&seen.line)).collect()
    }
}

#[derive(Debug)]
struct Way(Arc<Script>);

#[async_trait]
impl Transport for Way {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        _within: Duration,
    ) -> Result<http::Response<Vec<u8>>, TransportError> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
        let line = format!("{} {path}", parts.method);
        let body = String::from_utf8(body).unwrap();
        let mut headers = parts.headers;
        headers.insert("x-host", parts.uri.host().unwrap_or_default().parse().unwrap());
        self.0.seen.lock().push(Seen { line: line.clone(), headers, body });
        // Some time passes with every call, so that a list is older than what was asked after it.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let mut rules = self.0.rules.lock();
        let rule = rules.iter_mut().find(|rule| line.starts_with(&rule.begins));
        let (status, body, headers) = match rule {
            Some(rule) if rule.answers.len() > 1 => rule.answers.remove(0),
            Some(rule) => rule.answers[0].clone(),
            None => (500, error("NotInTheScript", &line), Vec::new()),
        };
        let mut response = http::Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(name, value);
        }
        Ok(response.body(body.to_string().into_bytes()).unwrap())
    }
}

/// A provider over a script, and one machine.
pub(crate) struct Desk {
    pub(crate) script: Arc<Script>,
    pub(crate) provider: AzureProvider,
    pub(crate) spec: Value,
    pub(crate) credentials: Credentials,
    pub(crate) machine: MachineView,
}

pub(crate) fn credentials(more: &[(&str, &str)]) -> Credentials {
    let base = [
        ("clientID", "client-0123"),
        ("subscriptionID", SUBSCRIPTION),
        ("tenantID", "tenant-0123"),
        ("userData", "x"),
    ];
    let all = base.iter().chain(more).map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec()));
    Credentials::merge([all.collect()])
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::at(Endpoints::default())
    }

    pub(crate) fn at(endpoints: Endpoints) -> Self {
        let script = Script::new();
        let access = CloudAccess::over(Arc::new(Way(script.clone()))).at(endpoints);
        let spec = json!({
            "location": "West Europe",
            "resourceGroup": "rg",
            "tags": { "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1" },
            "subnetInfo": { "vnetName": "v", "subnetName": "s" },
            "properties": {
                "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
                "storageProfile": {
                    "imageReference": { "urn": "p:o:s:1.0.0", "skipMarketplaceAgreement": true },
                    "osDisk": { "createOption": "FromImage", "diskSizeGB": 50 }
                },
                "osProfile": { "adminUsername": "core" },
                "zone": 1
            }
        });
        let machine = MachineView {
            name: "pool-a-1".into(),
            namespace: "demo".into(),
            uid: Some(UID.into()),
            ..MachineView::default()
        };
        let credentials = credentials(&[("clientSecret", "secret-0123")]);
        Self { script, provider: AzureProvider::new(access), spec, credentials, machine }
    }

    fn class(&self) -> ClassView<'_> {
        ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &self.spec,
            node_template: None,
        }
    }

    pub(crate) fn target(&self) -> Target<'_> {
        let now = tokio::time::Instant::now().into_std();
        let deadline = Deadline::after(now, Duration::from_secs(60));
        Target { class: self.class(), machine: &self.machine, credentials: &self.credentials, deadline }
    }

    pub(crate) async fn create(&self) -> Result<CreateOutcome, ProviderError> {
        self.provider.create(self.target(), &UserData::new("#cloud-config".into())).await
    }

    pub(crate) async fn status(&self) -> Result<Instance, ProviderError> {
        self.provider.status(self.target()).await
    }

    pub(crate) async fn delete(&self) -> Result<DeleteOutcome, ProviderError> {
        self.provider.delete(DeleteRequest { target: self.target(), keep_volumes: &[] }).await
    }

    pub(crate) async fn list(&self) -> Result<Vec<Listed>, ProviderError> {
        let target = self.target();
        self.provider.list(target.class, target.credentials, target.deadline).await
    }

    /// The machine remembers what it was asked to.
    pub(crate) fn remember(&mut self, state: ProviderState) {
        self.machine.state = Some(state);
    }
}
