//! A running control plane, as its user sees it: how to reach it, as whom, what it counted, what may run beside it, and how it ends.
//! How it comes up is `start`'s part.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use parking_lot::Mutex;

use crate::{
    binaries::Binaries,
    client,
    error::Error,
    folder::Folder,
    guard::Guard,
    identity::Identity,
    kubeconfig::{self, BOOTSTRAP_TOKEN_PLACEHOLDER, Credential},
    launch::{LaunchError, Ports, Recipe, launch},
    options::Options,
    passage::Passage,
    pki::{CertificateAndKey, Pki},
    private_file,
    probe::Probe,
    process::{Ended, Process},
    program::Program,
    request_counts::RequestCounts,
    start,
};

/// A control plane on this machine. Dropping it ends every program at once; [`Testbed::stop`] asks them first.
pub struct Testbed {
    pub(crate) folder: Folder,
    pub(crate) binaries: Binaries,
    pub(crate) pki: Pki,
    pub(crate) server_url: String,
    pub(crate) probe: Probe,
    // Fields are dropped in this order: programs are dead and reaped before their guard looks whether any is left.
    pub(crate) running: Mutex<Vec<(Program, Process)>>,
    pub(crate) guard: Guard,
}

/// A program of a testbed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningProgram {
    /// Which one.
    pub program: Program,
    /// Its process.
    pub pid: u32,
    /// What it prints.
    pub log: PathBuf,
}

impl Testbed {
    /// Starts a control plane, ready to use when this returns. Programs that are nowhere to be found are built first, which takes minutes.
    pub async fn start(options: Options) -> Result<Self, Error> {
        start::start(options).await
    }

    /// The kubeconfig file of `identity`.
    pub fn kubeconfig(&self, identity: Identity) -> PathBuf {
        self.folder.kubeconfig(identity)
    }

    /// A new client as `identity`. It belongs to the runtime it is made in, so each test makes its own.
    pub async fn client(&self, identity: Identity) -> Result<Client, Error> {
        client::connect(&self.kubeconfig(identity)).await
    }

    /// A kubectl that talks to this control plane as the admin. It ends with this process at the latest, and reads no terminal.
    pub fn kubectl(&self) -> Command {
        let mut command = self.guard.command(&self.binaries.path(Program::Kubectl));
        command
            .env("KUBECONFIG", self.kubeconfig(Identity::Admin))
            .env("KUBECACHEDIR", self.folder.kubectl_cache());
        command
    }

    /// The executable of `program`.
    pub fn executable(&self, program: Program) -> PathBuf {
        self.binaries.path(program)
    }

    /// Where the API server listens, such as `https://127.0.0.1:40001`.
    pub fn server_url(&self) -> &str {
        &self.server_url
    }

    /// The certificate of the authority that signed the API server's, as PEM.
    pub fn ca_pem(&self) -> String {
        self.pki.ca_pem()
    }

    /// A kubeconfig for the user data of VMs: its token is [`BOOTSTRAP_TOKEN_PLACEHOLDER`].
    pub fn bootstrap_kubeconfig(&self) -> String {
        kubeconfig::render(
            &self.server_url,
            &self.ca_pem(),
            "kubelet-bootstrap",
            &Credential::Token(BOOTSTRAP_TOKEN_PLACEHOLDER),
        )
    }

    /// Makes a way to the API server that can be cut, see [`Passage`].
    pub async fn passage(&self) -> Result<Passage, Error> {
        let to = &self.server_url;
        Passage::to(to).await.map_err(Error::file("open a passage to", to))
    }

    /// The kubeconfig file of `identity` for the way through `passage`.
    pub fn kubeconfig_through(&self, identity: Identity, passage: &Passage) -> Result<PathBuf, Error> {
        let direct = self.kubeconfig(identity);
        let text = std::fs::read_to_string(&direct).map_err(Error::file("read", &direct))?;
        let path = self.folder.kubeconfig_through(identity, passage.port());
        private_file::write(&path, &text.replace(&self.server_url, &passage.url()))
            .map_err(Error::file("write", &path))?;
        Ok(path)
    }

    /// As [`Testbed::bootstrap_kubeconfig`], for the way through `passage`.
    pub fn bootstrap_kubeconfig_through(&self, passage: &Passage) -> String {
        self.bootstrap_kubeconfig().replace(&self.server_url, &passage.url())
    }

    /// A serving certificate for `names` (DNS names and addresses), signed by the authority of [`Testbed::ca_pem`].
    pub fn issue_serving_certificate(&self, names: &[&str]) -> Result<CertificateAndKey, Error> {
        Ok(self.pki.issue_serving(names)?)
    }

    /// Where certificates, kubeconfigs, logs and etcd's data lie.
    pub fn data_dir(&self) -> &Path {
        self.folder.root()
    }

    /// What runs.
    pub fn programs(&self) -> Vec<RunningProgram> {
        let running = self.running.lock();
        running
            .iter()
            .map(|(program, process)| RunningProgram {
                program: *program,
                pid: process.pid(),
                log: process.log().to_owned(),
            })
            .collect()
    }

    /// Creates a namespace of its own for a test; its name is `prefix` with something random behind it.
    pub async fn namespace(&self, prefix: &str) -> Result<String, Error> {
        let api: Api<Namespace> = Api::all(self.client(Identity::Admin).await?);
        let metadata = ObjectMeta { generate_name: Some(format!("{prefix}-")), ..ObjectMeta::default() };
        let namespace = Namespace { metadata, ..Namespace::default() };
        let action = format!("create a namespace {prefix}-…");
        let created = api.create(&PostParams::default(), &namespace).await.map_err(Error::api(action))?;
        Ok(created.metadata.name.unwrap_or_default())
    }

    /// The API server's count of its requests since it started.
    pub async fn metrics(&self) -> Result<RequestCounts, Error> {
        let request = http::Request::get("/metrics").body(Vec::new()).map_err(Error::client)?;
        let client = self.client(Identity::Admin).await?;
        let text = client.request_text(request).await.map_err(Error::api("read the API server's metrics"))?;
        Ok(RequestCounts::parse(&text))
    }

    /// Returns when a program has ended that should not have.
    pub async fn ended(&self) -> Ended {
        loop {
            if let Some(ended) = self.first_ended() {
                return ended;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    pub(crate) fn first_ended(&self) -> Option<Ended> {
        self.running.lock().iter_mut().find_map(|(_, process)| process.ended())
    }

    /// Starts a program beside the control plane and waits until it is ready. It ends with this process like the control plane, whatever
    /// becomes of the answer; but drop the answer before the testbed.
    pub async fn start_process(&self, recipe: &Recipe<'_>) -> Result<(Process, Ports), LaunchError> {
        launch(recipe, &self.guard, &self.probe).await
    }

    /// Where a program beside the control plane writes its log.
    pub fn log_file(&self, name: &str) -> PathBuf {
        self.folder.log(name)
    }

    /// Where the API server writes a line of JSON for each request, if [`Options::audit`] asks for it.
    pub fn audit_log(&self) -> PathBuf {
        self.folder.audit_log()
    }

    /// Asks every program to end, in the reverse order of their start, and ends those that don't.
    pub async fn stop(mut self) {
        let mut running = std::mem::take(self.running.get_mut());
        while let Some((_, mut last)) = running.pop() {
            last.terminate(PATIENCE_AT_END).await;
        }
    }
}

const PATIENCE_AT_END: Duration = Duration::from_secs(10);
