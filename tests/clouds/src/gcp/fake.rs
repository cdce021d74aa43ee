//! The stand-in as a test holds it.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::routing::any;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::description::Description;
use super::project::Project;
use super::requests::made;
use super::server::{self, Shared};
use super::{ApiFiles, Entry, KeyPair, Strike};

/// What a stand-in is like.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The id of the project.
    pub project: String,
    /// The most entries of one page; Google's is 500.
    pub page: usize,
    /// How many requests an operation sees before it is done.
    pub pace: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { project: "stand-in-project".to_owned(), page: 500, pace: 1 }
    }
}

/// A project of Compute Engine on 127.0.0.1; it ends when it is dropped.
#[derive(Debug)]
pub struct GcpFake {
    shared: Arc<Shared>,
    url: String,
    serving: JoinHandle<()>,
}

impl GcpFake {
    /// Starts one that judges by that description.
    ///
    /// # Errors
    /// When there is no port to listen at.
    pub async fn start(settings: Settings, files: &ApiFiles) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared {
            project: Mutex::new(Project::new(&settings.project, settings.page, settings.pace)),
            tokens: Mutex::default(),
            waiting: Mutex::default(),
            journal: Mutex::default(),
            violations: Mutex::default(),
            description: Description::of(&files.description),
        });
        let router = Router::new().fallback(any(server::serve)).with_state(shared.clone());
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the stand-in for Compute Engine ended");
            }
        });
        Ok(Self { shared, url, serving })
    }

    /// Where the token servers are.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.url
    }

    /// Where the compute API is.
    #[must_use]
    pub fn compute_url(&self) -> String {
        format!("{}/compute/v1", self.url)
    }

    /// Lets a service account in by that key alone, and nobody by a token of before.
    pub fn admit(&self, email: &str, key: &KeyPair) {
        let mut tokens = self.shared.tokens.lock();
        tokens.expire();
        tokens.accounts.insert(email.to_owned(), key.public_der.clone());
    }

    /// A token of a service account that was let in, for a client that can not ask for one here.
    #[must_use]
    pub fn token_of(&self, email: &str) -> String {
        self.shared.tokens.lock().give(email.to_owned())
    }

    /// Where the API's paths begin.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets tokens expire.
    pub fn expire_tokens(&self) {
        self.shared.tokens.lock().expire();
    }

    /// Knows that token of a workload.
    pub fn know_workload(&self, token: &str) {
        self.shared.tokens.lock().workload = Some(token.to_owned());
    }

    /// Every request so far.
    #[must_use]
    pub fn journal(&self) -> Vec<Entry> {
        self.shared.journal.lock().clone()
    }

    /// What was wrong with requests or answers so far.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.shared.violations.lock().clone()
    }

    /// Forgets what was wrong, for a test that did it on purpose.
    pub fn forgive(&self) {
        self.shared.violations.lock().clear();
    }

    /// Sets what happens to calls; `None` ends it.
    pub fn strike(&self, strike: Option<Strike>) {
        self.shared.waiting.lock().set(strike);
    }

    /// The VMs, as the API shows them.
    #[must_use]
    pub fn vms(&self) -> Vec<Value> {
        self.shared.project.lock().vms.values().cloned().collect()
    }

    /// The disks, as the API shows them.
    #[must_use]
    pub fn disks(&self) -> Vec<Value> {
        self.shared.project.lock().disks.values().cloned().collect()
    }

    /// Puts a running VM there behind everybody's back; `false` when its name is taken.
    pub fn place_vm(&self, zone: &str, body: &Value) -> bool {
        let mut project = self.shared.project.lock();
        let name = body["name"].as_str().unwrap_or_default().to_owned();
        let key = (zone.to_owned(), name);
        !project.vms.contains_key(&key) && made(body, &key, &mut project, "RUNNING").is_ok()
    }

    /// Changes a VM behind everybody's back.
    pub fn change_vm(&self, zone: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let mut project = self.shared.project.lock();
        if let Some(vm) = project.vms.get_mut(&(zone.to_owned(), name.to_owned())) {
            change(vm);
        }
    }

    /// Attaches a new disk that goes with its VM unless somebody says otherwise.
    pub fn attach_disk(&self, zone: &str, vm: &str, disk: &str) {
        let mut project = self.shared.project.lock();
        let (link, user) = (project.link(zone, "disks", disk), project.link(zone, "instances", vm));
        let resource = json!({
            "kind": "compute#disk", "id": project.number().to_string(), "name": disk, "sizeGb": "10", "status": "READY",
            "selfLink": link, "users": [user]
        });
        project.disks.insert((zone.to_owned(), disk.to_owned()), resource);
        let attached = json!({
            "kind": "compute#attachedDisk", "deviceName": disk, "type": "PERSISTENT", "mode": "READ_WRITE", "boot": false,
            "autoDelete": true, "source": link
        });
        let vm = project.vms.get_mut(&(zone.to_owned(), vm.to_owned()));
        if let Some(disks) = vm.and_then(|vm| vm["disks"].as_array_mut()) {
            disks.push(attached);
        }
    }

    /// Removes a VM and leaves its disks.
    pub fn remove_vm_alone(&self, zone: &str, name: &str) {
        let mut project = self.shared.project.lock();
        let key = (zone.to_owned(), name.to_owned());
        if let Some(disks) = project.vms.get_mut(&key).and_then(|vm| vm["disks"].as_array_mut()) {
            disks.iter_mut().for_each(|disk| disk["autoDelete"] = false.into());
        }
        project.remove_vm(&key);
    }

    /// Removes a VM with its disks, as a preemption does.
    pub fn remove_vm(&self, zone: &str, name: &str) {
        self.shared.project.lock().remove_vm(&(zone.to_owned(), name.to_owned()));
    }
}

impl Drop for GcpFake {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
