//! The order in which a control plane comes up: certificates, etcd, API server, kubeconfigs, then rights and controllers side by side.

use std::{path::PathBuf, time::Duration};

use parking_lot::Mutex;

use crate::{
    binaries::Binaries,
    client,
    error::Error,
    flags::{PkiFiles, etcd, kube_apiserver, kube_controller_manager, kube_scheduler},
    folder::Folder,
    guard::Guard,
    identity::Identity,
    kubeconfig::{self, Credential},
    launch::{LaunchError, Ports, Recipe, launch},
    options::{Audit, Components, Data, NodeMonitoring, Options},
    pki::Pki,
    private_file,
    probe::Probe,
    process::Process,
    program::Program,
    rbac,
    testbed::Testbed,
    tls,
};

/// Seconds are enough on an idle machine; a test run on a busy one must not fail for it.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) async fn start(options: Options) -> Result<Testbed, Error> {
    let Options { data, components, node_monitoring, audit, progress } = options;
    tls::install_provider();
    let binaries = Binaries::locate(&*progress).await?;
    let mut guard = Guard::start().map_err(Error::Guard)?;
    let root = data_folder(data, &mut guard)?;
    let folder = Folder::new(root);
    folder.prepare().map_err(Error::file("prepare", folder.root()))?;
    let pki = Pki::generate()?;
    let pki_files = PkiFiles::new(folder.pki());
    pki.write(&pki_files)?;

    let probe = Probe::new(&pki.ca_pem()).map_err(Error::client)?;
    let launcher = Launcher { binaries: &binaries, folder: &folder, guard: &guard, probe: &probe };
    let (etcd, [etcd_port, _]) = launcher.etcd().await?;
    let (apiserver, [port, _]) = launcher.kube_apiserver(&pki_files, etcd_port, audit).await?;
    let server_url = format!("https://127.0.0.1:{port}");
    write_kubeconfigs(&folder, &pki, &server_url)?;

    let admin = client::connect(&folder.kubeconfig(Identity::Admin)).await?;
    let rights = async { rbac::grant(&admin).await.map_err(Error::api("grant what kubelets need")) };
    let mut running = vec![(Program::Etcd, etcd), (Program::KubeApiserver, apiserver)];
    match components {
        Components::ApiServerOnly => rights.await?,
        Components::All => {
            let controllers = launcher.kube_controller_manager(&pki_files, node_monitoring);
            let ((), controllers, scheduler) =
                tokio::try_join!(rights, controllers, launcher.kube_scheduler(&pki_files))?;
            running
                .extend([(Program::KubeControllerManager, controllers), (Program::KubeScheduler, scheduler)]);
        }
    }
    Ok(Testbed { folder, binaries, pki, server_url, probe, running: Mutex::new(running), guard })
}

fn data_folder(data: Data, guard: &mut Guard) -> Result<PathBuf, Error> {
    match data {
        Data::Temporary => {
            let made = tempfile::Builder::new().prefix("millwright-testbed-").tempdir();
            let made = made.map_err(Error::file("create a folder in", std::env::temp_dir()))?;
            guard.remove_at_end(made.path()).map_err(Error::Guard)?;
            Ok(made.keep())
        }
        Data::Folder(folder) => {
            let folder = std::path::absolute(&folder).map_err(Error::file("find", folder))?;
            std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
            Ok(folder)
        }
    }
}

fn write_kubeconfigs(folder: &Folder, pki: &Pki, server_url: &str) -> Result<(), Error> {
    for identity in Identity::ALL {
        let issued = pki.issue_client(identity)?;
        let text =
            kubeconfig::render(server_url, &pki.ca_pem(), identity.name(), &Credential::Certificate(&issued));
        let path = folder.kubeconfig(identity);
        private_file::write(&path, &text).map_err(Error::file("write", path))?;
    }
    Ok(())
}

/// What starting any program takes.
struct Launcher<'a> {
    binaries: &'a Binaries,
    folder: &'a Folder,
    guard: &'a Guard,
    probe: &'a Probe,
}

impl Launcher<'_> {
    async fn etcd(&self) -> Result<(Process, Ports), LaunchError> {
        let data = self.folder.etcd();
        self.launch(
            Program::Etcd,
            &|[client_port, peer_port]| {
                etcd::arguments(&etcd::Settings { data: &data, client_port, peer_port })
            },
            &|[client_port, _]| format!("http://127.0.0.1:{client_port}/health"),
        )
        .await
    }

    async fn kube_apiserver(
        &self,
        pki: &PkiFiles,
        etcd_port: u16,
        audit: Audit,
    ) -> Result<(Process, Ports), Error> {
        let (policy, log) = (self.folder.audit_policy(), self.folder.audit_log());
        let audit = match audit {
            Audit::Off => None,
            Audit::OurPrograms => {
                let text = kube_apiserver::audit_policy().to_string();
                std::fs::write(&policy, text).map_err(Error::file("write", &policy))?;
                Some(kube_apiserver::AuditFiles { policy: &policy, log: &log })
            }
        };
        let arguments = |[port, _]: Ports| {
            kube_apiserver::arguments(&kube_apiserver::Settings { pki, etcd_port, port, audit })
        };
        let ready = |[port, _]: Ports| format!("https://127.0.0.1:{port}/readyz");
        Ok(self.launch(Program::KubeApiserver, &arguments, &ready).await?)
    }

    async fn kube_controller_manager(
        &self,
        pki: &PkiFiles,
        node_monitoring: NodeMonitoring,
    ) -> Result<Process, Error> {
        let kubeconfig = self.folder.kubeconfig(Identity::KubeControllerManager);
        let volume_plugins = self.folder.volume_plugins();
        let arguments = |[port, _]: Ports| {
            kube_controller_manager::arguments(&kube_controller_manager::Settings {
                pki,
                kubeconfig: &kubeconfig,
                volume_plugins: &volume_plugins,
                port,
                node_monitoring,
            })
        };
        let (running, _) = self.launch(Program::KubeControllerManager, &arguments, &healthz).await?;
        Ok(running)
    }

    async fn kube_scheduler(&self, pki: &PkiFiles) -> Result<Process, Error> {
        let kubeconfig = self.folder.kubeconfig(Identity::KubeScheduler);
        let arguments = |[port, _]: Ports| {
            kube_scheduler::arguments(&kube_scheduler::Settings { pki, kubeconfig: &kubeconfig, port })
        };
        let (running, _) = self.launch(Program::KubeScheduler, &arguments, &healthz).await?;
        Ok(running)
    }

    async fn launch(
        &self,
        program: Program,
        arguments: &(dyn Fn(Ports) -> Vec<String> + Sync),
        ready_url: &(dyn Fn(Ports) -> String + Sync),
    ) -> Result<(Process, Ports), LaunchError> {
        let recipe = Recipe {
            name: program.name(),
            executable: self.binaries.path(program),
            log: self.folder.log(program.name()),
            arguments,
            ready_url,
            patience: PATIENCE,
        };
        launch(&recipe, self.guard, self.probe).await
    }
}

fn healthz([port, _]: Ports) -> String {
    format!("https://127.0.0.1:{port}/healthz")
}
