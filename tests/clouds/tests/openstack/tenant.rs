//! A project of its own in the real OpenStack, with what a server needs: a network, a key pair, an application credential.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_clouds::{Admin, OpenStack, Project};
use millwright_provider::Credentials;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

pub(crate) const REGION: &str = "RegionOne";
pub(crate) const IMAGE: &str = "lab-image";
pub(crate) const FLAVOR: &str = "lab-flavor";
pub(crate) const CLUSTER: &str = "kubernetes.io-cluster-one";
pub(crate) const ROLE: &str = "kubernetes.io-role-node";
pub(crate) const POD_CIDRS: [&str; 2] = ["100.96.0.0/11", "100.64.0.0/13"];
const USER_DATA: &str = "#cloud-config\n# of the class's Secret";

/// Images and flavors are everybody's.
static FURNISHED: OnceCell<()> = OnceCell::const_new();

/// SQLite takes one writer at a time, and Neutron on it gives up too soon: tests go one after the other.
static TURN: Mutex<()> = Mutex::const_new(());

pub(crate) async fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

pub(crate) struct Tenant {
    pub(crate) project: Project,
    pub(crate) user: Admin,
    pub(crate) network: String,
    pub(crate) subnet: String,
    number: std::sync::atomic::AtomicU32,
}

pub(crate) async fn cloud() -> &'static OpenStack {
    // Only the first of the tests in this process installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    OpenStack::shared().await.unwrap()
}

async fn furnish(admin: &Admin) {
    let flavor = json!({ "flavor": { "name": FLAVOR, "vcpus": 1, "ram": 64, "disk": 1 } });
    admin.call(Method::POST, "compute", "/flavors", Some(&flavor)).await.unwrap();
    let image =
        json!({ "name": IMAGE, "disk_format": "raw", "container_format": "bare", "visibility": "public" });
    let image = admin.call(Method::POST, "image", "/v2/images", Some(&image)).await.unwrap();
    let path = format!("/v2/images/{}/file", image["id"].as_str().unwrap());
    admin.upload("image", &path, vec![0; 1024]).await.unwrap();
}

/// A public key that Nova can read: 32 bytes of nobody's.
fn public_key() -> String {
    let mut blob = Vec::new();
    for part in [&b"ssh-ed25519"[..], &[7; 32]] {
        blob.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
        blob.extend(part);
    }
    format!("ssh-ed25519 {}", STANDARD.encode(blob))
}

impl Tenant {
    pub(crate) async fn new() -> Self {
        let cloud = cloud().await;
        let admin = cloud.admin().await.unwrap();
        FURNISHED.get_or_init(|| furnish(&admin)).await;
        let project = cloud.project("nodes").await.unwrap();
        let user = project.user().await.unwrap();
        let network = json!({ "network": { "name": "nodes" } });
        let made = user.call(Method::POST, "network", "/v2.0/networks", Some(&network)).await.unwrap();
        let network = text(&made["network"]["id"]);
        let subnet = json!({ "subnet": {
            "network_id": network, "cidr": "10.250.0.0/16", "ip_version": 4, "enable_dhcp": false } });
        let made = user.call(Method::POST, "network", "/v2.0/subnets", Some(&subnet)).await.unwrap();
        let subnet = text(&made["subnet"]["id"]);
        let pair = json!({ "keypair": { "name": "operators", "public_key": public_key(), "type": "ssh" } });
        user.call(Method::POST, "compute", "/os-keypairs", Some(&pair)).await.unwrap();
        Self { project, user, network, subnet, number: std::sync::atomic::AtomicU32::new(0) }
    }

    pub(crate) fn spec(&self, tags: &Value) -> Value {
        json!({
            "apiVersion": "openstack.machine.gardener.cloud/v1alpha1",
            "kind": "MachineProviderConfig",
            "spec": {
                "imageName": IMAGE, "region": REGION, "availabilityZone": "nova", "flavorName": FLAVOR,
                "keyName": "operators", "networkID": self.network, "subnetIDs": [self.subnet],
                "podNetworkCIDRs": POD_CIDRS, "securityGroups": ["default"], "tags": tags,
            }
        })
    }

    pub(crate) fn own_spec(&self) -> Value {
        self.spec(&json!({ CLUSTER: "1", ROLE: "1", "team": "a" }))
    }

    /// Makes an application credential; gives its id and the Secret's keys.
    pub(crate) async fn application_credential(&self, auth_url: &str) -> (String, Credentials) {
        let number = self.number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let secret = format!("secret-number-{number}-of-{}", self.project.name);
        let body =
            json!({ "application_credential": { "name": format!("machines-{number}"), "secret": secret } });
        let path = format!("/users/{}/application_credentials", self.project.user_id);
        let id = text(&self.made_at_last(&path, &body).await["application_credential"]["id"]);
        let keys = [
            ("authURL", auth_url),
            ("applicationCredentialID", &id),
            ("applicationCredentialSecret", &secret),
        ];
        (id.clone(), credentials(&keys))
    }

    /// While others get their roles, Keystone on SQLite sees a role that it has just given a moment later.
    async fn made_at_last(&self, path: &str, body: &Value) -> Value {
        for _ in 0..50 {
            match self.user.call(Method::POST, "identity", path, Some(body)).await {
                Err(error) if format!("{error:?}").contains("Could not find role assignment") => {
                    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
                }
                made => return made.unwrap(),
            }
        }
        panic!("Keystone gives no application credential to a user who has a role");
    }

    pub(crate) async fn forget_application_credential(&self, id: &str) {
        let path = format!("/users/{}/application_credentials/{id}", self.project.user_id);
        self.user.call(Method::DELETE, "identity", &path, None).await.unwrap();
    }

    /// Makes a server behind the provider's back.
    pub(crate) async fn place(&self, name: &str, metadata: &Value) -> String {
        let admin = &self.user;
        let images =
            admin.call(Method::GET, "image", &format!("/v2/images?name={IMAGE}"), None).await.unwrap();
        let flavors = all(admin, "compute", "/flavors", "flavors").await;
        let flavor = flavors.iter().find(|flavor| flavor["name"] == FLAVOR).unwrap();
        let body = json!({ "server": {
            "name": name, "imageRef": images["images"][0]["id"], "flavorRef": flavor["id"], "networks": "none",
            "metadata": metadata } });
        let made = admin.call(Method::POST, "compute", "/servers", Some(&body)).await.unwrap();
        text(&made["server"]["id"])
    }

    pub(crate) async fn servers(&self) -> Vec<Value> {
        all(&self.user, "compute", "/servers/detail", "servers").await
    }

    pub(crate) async fn ports(&self) -> Vec<Value> {
        let path = format!("/v2.0/ports?project_id={}", self.project.id);
        let ports = self.user.call(Method::GET, "network", &path, None).await.unwrap();
        ports["ports"].as_array().unwrap().clone()
    }
}

/// All pages of a list of Nova's, each item once: a server that is being built may come again behind its own marker.
async fn all(user: &Admin, service: &str, path: &str, name: &str) -> Vec<Value> {
    let mut items: BTreeMap<String, Value> = BTreeMap::new();
    let mut marker = String::new();
    loop {
        let page = user.call(Method::GET, service, &format!("{path}{marker}"), None).await.unwrap();
        let (page, known) = (page[name].as_array().unwrap(), items.len());
        items.extend(page.iter().map(|item| (text(&item["id"]), item.clone())));
        if items.len() == known {
            return items.into_values().collect();
        }
        marker = format!("?marker={}", text(&page.last().unwrap()["id"]));
    }
}

pub(crate) fn credentials(keys: &[(&str, &str)]) -> Credentials {
    let keys = keys.iter().chain(&[("userData", USER_DATA)]);
    let keys = keys.map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec()));
    Credentials::merge([keys.collect::<BTreeMap<_, _>>()])
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
