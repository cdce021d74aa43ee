//! One project of the real OpenStack behind a proxy that lets calls go wrong, in the hands of the contract suite.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_api::MachineCode;
use millwright_cloud_http::{CloudAccess, HttpClient};
use millwright_clouds::{self as clouds, FaultProxy};
use millwright_provider::contract::{
    Bench, Call, Calls, Census, Effect, ErrorRow, Fault, Offered, Operation, Owner, PlacedVm, Refusal,
    ScriptedCloud, When,
};
use millwright_provider::{Credentials, Provider};
use millwright_provider_openstack::OpenStackProvider;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::rows;
use super::tenant::{CLUSTER, REGION, ROLE, Tenant, cloud, credentials};

pub(crate) struct Lab;

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        Box::new(ProjectCloud::new().await)
    }

    /// Each has a project of its own, and writers of the databases wait for each other.
    fn at_once(&self) -> usize {
        2
    }
}

pub(crate) struct ProjectCloud {
    pub(crate) tenant: Tenant,
    pub(crate) proxy: FaultProxy,
    provider: Arc<OpenStackProvider>,
    /// The application credential that works now.
    credential: Mutex<String>,
    credentials: Credentials,
}

impl ProjectCloud {
    pub(crate) async fn new() -> Self {
        let (openstack, tenant) = (cloud().await, Tenant::new().await);
        let proxy =
            FaultProxy::before(&openstack.upstreams(), clouds::Call::reads_in_openstack).await.unwrap();
        let access = CloudAccess::over(Arc::new(HttpClient::new().unwrap()));
        let (credential, credentials) =
            tenant.application_credential(&proxy.through(openstack.auth_url())).await;
        Self {
            tenant,
            proxy,
            provider: Arc::new(OpenStackProvider::new(access)),
            credential: Mutex::new(credential),
            credentials,
        }
    }

    pub(crate) async fn auth_url(&self) -> String {
        self.proxy.through(cloud().await.auth_url())
    }

    /// Strikes what `matches` says yes to, from now on.
    pub(crate) fn arm(
        &self,
        when: clouds::When,
        effect: clouds::Effect,
        matches: impl Fn(&clouds::Call) -> bool + Send + Sync + 'static,
    ) {
        self.proxy.add(clouds::Fault::new(when, effect, matches));
    }

    pub(crate) async fn set_quota(&self, service: &str, path: &str, quota: &Value) {
        let admin = cloud().await.admin().await.unwrap();
        let path = format!("{path}/{}", self.tenant.project.id);
        admin.call(Method::PUT, service, &path, Some(quota)).await.unwrap();
    }
}

pub(crate) fn makes_a_server(call: &clouds::Call) -> bool {
    call.method == Method::POST && call.path.ends_with("/servers")
}

pub(crate) fn server_id(provider_id: &str) -> &str {
    provider_id.rsplit('/').next().unwrap()
}

fn refused(refusal: Refusal) -> clouds::Effect {
    let status = refusal.http_status();
    let body = json!({ "error": { "code": status, "title": "Scripted", "message": "refused on purpose [a] of ] zone [b" } });
    let effect = clouds::Effect::refuse_with_json(status, &body);
    match refusal {
        Refusal::Throttled(wait) => effect.with_header("retry-after", &wait.as_secs().to_string()),
        Refusal::Unauthenticated | Refusal::Forbidden | Refusal::InternalError | Refusal::Down => effect,
    }
}

#[async_trait]
impl ScriptedCloud for ProjectCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        self.tenant.own_spec()
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        let tags = [json!({ CLUSTER: "1" }), json!({ ROLE: "1" }), json!({ "team": "a" }), json!({})];
        tags.map(|tags| self.tenant.spec(&tags)).into()
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec![
            "apiVersion",
            "kind",
            "spec",
            "spec.imageName",
            "spec.region",
            "spec.availabilityZone",
            "spec.flavorName",
            "spec.keyName",
            "spec.networkID",
            "spec.podNetworkCIDRs",
            "spec.tags",
        ]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["spec.region", "spec.tags"]
    }

    fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    fn refused_credentials(&self) -> Credentials {
        let auth_url = self.credentials.text("authURL").unwrap().to_owned();
        let id = "0123456789abcdef0123456789abcdef";
        credentials(&[
            ("authURL", &auth_url),
            ("applicationCredentialID", id),
            ("applicationCredentialSecret", "secret-of-nobody"),
        ])
    }

    async fn rotate_credentials(&self) -> Credentials {
        let mut credential = self.credential.lock().await;
        let (made, credentials) = self.tenant.application_credential(&self.auth_url().await).await;
        self.tenant.forget_application_credential(&credential).await;
        *credential = made;
        credentials
    }

    fn names_are_unique(&self) -> Offered {
        Offered::No
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let (cluster, role) = match vm.owner {
            Owner::Us => (CLUSTER, ROLE),
            Owner::OtherCluster => ("kubernetes.io-cluster-two", ROLE),
            Owner::ClusterWithOurPrefix => ("kubernetes.io-cluster-one-two", ROLE),
            Owner::OtherRole => (CLUSTER, "kubernetes.io-role-master"),
        };
        let mut metadata = json!({ cluster: "1", role: "1" });
        if let Some(uid) = &vm.uid {
            metadata["machine-uid"] = json!(uid);
        }
        let id = self.tenant.place(&vm.name, &metadata).await;
        Some(format!("openstack:///{REGION}/{id}"))
    }

    async fn census(&self) -> Census {
        Census { vms: self.tenant.servers().await.len(), nics: self.tenant.ports().await.len(), disks: 0 }
    }

    async fn calls(&self) -> Calls {
        let clouds::Calls { reading, changing } = self.proxy.counts();
        Calls { reading, changing }
    }

    async fn set_fault(&self, fault: Fault) {
        self.proxy.clear();
        let when = match fault.when {
            When::Nth(nth) => clouds::When::Nth(nth),
            When::Always => clouds::When::Always,
        };
        let effect = match fault.effect {
            Effect::Refuse(refusal) => refused(refusal),
            Effect::LoseReply => clouds::Effect::LoseReply,
            Effect::Hang => clouds::Effect::Hang,
        };
        match fault.call {
            Call::Any => self.arm(when, effect, |_| true),
            Call::CreateVm => self.arm(when, effect, makes_a_server),
        }
    }

    async fn clear_faults(&self) {
        self.proxy.clear();
        rows::clear(self).await;
    }

    fn other_spellings(&self, provider_id: &str) -> Vec<String> {
        vec![format!("openstack:///{}", server_id(provider_id))]
    }

    /// Nova's pages have 8 servers here.
    fn three_pages(&self) -> usize {
        17
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        rows::ROWS.iter().map(rows::Row::of_contract).collect()
    }

    async fn provoke(&self, row: &ErrorRow) {
        rows::provoke(self, row.name).await;
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let csi = CSIPersistentVolumeSource {
            driver: "cinder.csi.openstack.org".into(),
            volume_handle: "vol-0123".into(),
            ..CSIPersistentVolumeSource::default()
        };
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, "vol-0123".into()))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(49149)
    }

    fn initialization_steps(&self) -> Offered {
        Offered::Yes
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        let path = format!("/servers/{}", server_id(provider_id));
        self.tenant.user.call(Method::DELETE, "compute", &path, None).await.unwrap();
        while !self.tenant.servers().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Offered::Yes
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        use base64::Engine as _;
        let path = format!("/servers/{}", server_id(provider_id));
        let admin = cloud().await.admin().await.unwrap();
        let shown = admin.call(Method::GET, "compute", &path, None).await.unwrap();
        let data = shown["server"]["OS-EXT-SRV-ATTR:user_data"].as_str().unwrap();
        Some(base64::engine::general_purpose::STANDARD.decode(data).unwrap())
    }
}

/// The code that a row of the contract must have.
pub(crate) fn row(name: &'static str, operation: Operation, code: MachineCode) -> ErrorRow {
    ErrorRow { name, operation, code }
}
