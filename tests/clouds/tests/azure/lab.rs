//! The stand-in in the hands of the contract suite.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use http::StatusCode;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_cloud_http::{CloudAccess, Endpoint, Endpoints, HttpClient};
use millwright_clouds::azure::{
    ArmError, AzureFault, Entry, FakeAzure, Misfortune, Models, NewVm, Settings, Strikes,
};
use millwright_provider::contract::{
    Bench, Call, Calls, Census, Effect, ErrorRow, Fault, Offered, Owner, PlacedVm, Refusal, ScriptedCloud,
    When,
};
use millwright_provider::{ClassView, Credentials, Deadline, Dialect, MachineView, Provider, Target};
use millwright_provider_azure::AzureProvider;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::rows;

pub(crate) const GROUP: &str = "shoot-one";
const CLUSTER: &str = "kubernetes.io-cluster-one";
const ROLE: &str = "kubernetes.io-role-node";
const ROTATED: &str = "secret-of-the-suite~2";
const PATIENCE: Duration = Duration::from_secs(60);

/// Makes stand-ins; gathers what they find wrong with requests.
#[derive(Default)]
pub(crate) struct Lab {
    pub(crate) violations: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        Box::new(self.cloud(Settings::default()).await)
    }

    /// Each has a stand-in of its own.
    fn at_once(&self) -> usize {
        6
    }
}

impl Lab {
    pub(crate) async fn cloud(&self, settings: Settings) -> AzureCloud {
        // Only the first of the tests in this process installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let models = Models::shared().await.unwrap();
        let fake = FakeAzure::start(settings, Some(models), self.violations.clone()).await.unwrap();
        let provider = Arc::new(AzureProvider::new(access(fake.url())));
        AzureCloud { fake, provider }
    }
}

pub(crate) fn access(url: &str) -> CloudAccess {
    let endpoints = [Endpoint::AzureResourceManager, Endpoint::AzureLogin, Endpoint::AzureMetadata]
        .into_iter()
        .fold(Endpoints::default(), |endpoints, endpoint| endpoints.with(endpoint, url).unwrap());
    CloudAccess::over(Arc::new(HttpClient::new().unwrap())).at(endpoints)
}

pub(crate) struct AzureCloud {
    pub(crate) fake: FakeAzure,
    pub(crate) provider: Arc<AzureProvider>,
}

pub(crate) fn credentials(secret: &str) -> Credentials {
    let settings = Settings::default();
    let keys = [
        ("clientID", settings.client_id),
        ("clientSecret", secret),
        ("subscriptionID", settings.subscription),
        ("tenantID", settings.tenant),
        ("userData", "#cloud-config\n# of the class's Secret"),
    ];
    Credentials::merge([keys.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()])
}

pub(crate) fn spec(tags: Value) -> Value {
    json!({
        "location": "westeurope",
        "resourceGroup": GROUP,
        "tags": tags,
        "subnetInfo": { "vnetName": "shoot-one-vnet", "subnetName": "nodes" },
        "properties": {
            "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
            "storageProfile": {
                "imageReference": { "urn": "Canonical:ubuntu-24_04-lts:server:24.04.202601140", "skipMarketplaceAgreement": true },
                "osDisk": { "createOption": "FromImage", "diskSizeGB": 50, "caching": "None", "managedDisk": { "storageAccountType": "Premium_LRS" } },
                "dataDisks": [{ "name": "data", "lun": 0, "storageAccountType": "Standard_LRS", "diskSizeGB": 10 }],
            },
            "osProfile": { "adminUsername": "core", "linuxConfiguration": {
                "disablePasswordAuthentication": true,
                "ssh": { "publicKeys": { "path": "/home/core/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqfWTJpnKLyHxSVGNs6HgpFhNJ5xSVwtU1zDyUDKkxG suite" } },
            } },
            "zone": 1,
        },
    })
}

pub(crate) fn our_spec() -> Value {
    spec(json!({ CLUSTER: "1", ROLE: "1", "team": "a" }))
}

/// A provider's call about a machine.
pub(crate) fn target<'a>(
    spec: &'a Value,
    machine: &'a MachineView,
    credentials: &'a Credentials,
) -> Target<'a> {
    let class =
        ClassView { dialect: Dialect::Gardener, name: "small", namespace: "demo", spec, node_template: None };
    Target { class, machine, credentials, deadline: Deadline::after(Instant::now(), PATIENCE) }
}

fn vm_name(provider_id: &str) -> &str {
    provider_id.rsplit('/').next().unwrap()
}

fn strikes(when: When) -> Strikes {
    match when {
        When::Nth(nth) => Strikes::Nth(nth),
        When::Always => Strikes::Always,
    }
}

/// As Resource Manager and Compute word it.
fn refusal(refusal: Refusal) -> Misfortune {
    let (code, message) = match refusal {
        Refusal::Unauthenticated => ("InvalidAuthenticationToken", "The access token is invalid."),
        Refusal::Forbidden => {
            ("AuthorizationFailed", "The client does not have authorization to perform the action.")
        }
        // Compute's own code for throttling is that of a quota too.
        Refusal::Throttled(_) => (
            "OperationNotAllowed",
            "The server rejected the request because too many requests have been received for this subscription.",
        ),
        Refusal::InternalError => ("InternalServerError", "Encountered an internal server error."),
        Refusal::Down => ("ServiceUnavailable", "The service is unavailable."),
    };
    let headers = match refusal {
        Refusal::Throttled(wait) => vec![("retry-after", wait.as_secs().to_string())],
        Refusal::Unauthenticated | Refusal::Forbidden | Refusal::InternalError | Refusal::Down => Vec::new(),
    };
    let status = StatusCode::from_u16(refusal.http_status()).unwrap();
    Misfortune::Refuse(ArmError::new(status, code, message), headers)
}

#[async_trait]
impl ScriptedCloud for AzureCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        our_spec()
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        [json!({ CLUSTER: "1" }), json!({ ROLE: "1" }), json!({ "team": "a" }), json!({})].map(spec).into()
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec![
            "location",
            "resourceGroup",
            "tags",
            "subnetInfo",
            "subnetInfo.vnetName",
            "subnetInfo.subnetName",
            "properties",
            "properties.hardwareProfile.vmSize",
            "properties.storageProfile.imageReference",
            "properties.storageProfile.osDisk.createOption",
            "properties.osProfile.adminUsername",
        ]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["location", "resourceGroup", "tags"]
    }

    fn credentials(&self) -> Credentials {
        credentials(Settings::default().client_secret)
    }

    fn refused_credentials(&self) -> Credentials {
        credentials("secret-of-nobody~~")
    }

    async fn rotate_credentials(&self) -> Credentials {
        self.fake.rotate_secret(ROTATED);
        credentials(ROTATED)
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let (cluster, role) = match vm.owner {
            Owner::Us => (CLUSTER, ROLE),
            Owner::OtherCluster => ("kubernetes.io-cluster-two", ROLE),
            Owner::ClusterWithOurPrefix => ("kubernetes.io-cluster-one-two", ROLE),
            Owner::OtherRole => (CLUSTER, "kubernetes.io-role-master"),
        };
        let mut tags: BTreeMap<String, String> =
            [cluster, role].map(|key| (key.to_owned(), "1".to_owned())).into();
        tags.extend(vm.uid.clone().map(|uid| ("Machine-UID".to_owned(), uid)));
        // Two VMs of one name can not be; two of one machine's UID can.
        let (mut name, mut number) = (vm.name.clone(), 1);
        loop {
            let (nic, disk) = (format!("{name}-nic"), format!("{name}-os-disk"));
            let new = NewVm { group: GROUP, name: &name, parts: [&nic, &disk], tags: tags.clone() };
            if self.fake.place_vm(&new) {
                return Some(format!("azure:///westeurope/{name}"));
            }
            number += 1;
            name = format!("{}-again-{number}", vm.name);
            vm.uid.as_ref()?;
        }
    }

    async fn census(&self) -> Census {
        let stock = self.fake.stock();
        Census { vms: stock.vms, nics: stock.nics, disks: stock.disks }
    }

    async fn calls(&self) -> Calls {
        let journal = self.fake.journal();
        let changing = journal.iter().filter(|entry| entry.is_changing()).count();
        Calls { reading: journal.len() - changing, changing }
    }

    async fn set_fault(&self, fault: Fault) {
        self.fake.disarm();
        let fits: Box<dyn Fn(&Entry) -> bool + Send> = match fault.call {
            Call::Any => Box::new(|_| true),
            Call::CreateVm => Box::new(|entry| entry.operation == "PUT virtualMachines"),
        };
        let misfortune = match fault.effect {
            Effect::Refuse(why) => refusal(why),
            Effect::LoseReply => Misfortune::LoseReply,
            Effect::Hang => Misfortune::Hang,
        };
        self.fake.arm(AzureFault { fits, strikes: strikes(fault.when), misfortune });
    }

    async fn clear_faults(&self) {
        self.fake.disarm();
    }

    fn other_spellings(&self, provider_id: &str) -> Vec<String> {
        let (name, subscription) = (vm_name(provider_id), Settings::default().subscription);
        vec![
            format!("azure:///WestEurope/{}", name.to_uppercase()),
            format!(
                "azure:///subscriptions/{subscription}/resourceGroups/{GROUP}/providers/Microsoft.Compute/virtualMachines/{name}"
            ),
        ]
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        rows::rows()
    }

    async fn provoke(&self, row: &ErrorRow) {
        rows::provoke(&self.fake, row);
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let id = format!(
            "/subscriptions/{}/resourceGroups/{GROUP}/providers/Microsoft.Compute/disks/pvc-1",
            Settings::default().subscription
        );
        let csi = CSIPersistentVolumeSource {
            driver: "disk.csi.azure.com".into(),
            volume_handle: id.clone(),
            ..CSIPersistentVolumeSource::default()
        };
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, id))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(65_535)
    }

    async fn lag_lists(&self, lag: Duration) -> Offered {
        self.fake.lag_lists(lag);
        Offered::Yes
    }

    async fn attach_volume(&self, provider_id: &str) -> Option<String> {
        self.fake.attach_volume(GROUP, vm_name(provider_id), "pvc-of-a-pod")
    }

    async fn volumes(&self) -> Vec<String> {
        self.fake.volumes()
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        if self.fake.take_out_vm(GROUP, vm_name(provider_id)) { Offered::Yes } else { Offered::No }
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        self.fake.custom_data(GROUP, vm_name(provider_id))
    }
}
