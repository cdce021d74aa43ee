//! Starting and ending a simulated cloud.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use jiff::Timestamp;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::api;
use crate::clock::Clock;
use crate::cloud::{Cloud, Shared};
use crate::config::Config;
use crate::environment::Environment;
use crate::faults::Faults;
use crate::gate::Gate;
use crate::guests::Guests;
use crate::inventory::{Inventory, StateFileError};
use crate::journal::Journal;
use crate::kube::{KubeClient, Network};
use crate::kubeconfig::{self, KubeconfigError};
use crate::orders::Orders;
use crate::stats::Counters;
use crate::vm::Vm;

const GRACE: Duration = Duration::from_secs(3);

/// Why a simulated cloud does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The token is empty.
    #[error("the API token is empty; set SIMCLOUD_TOKEN or give --token-file a file with one line")]
    NoToken,
    /// The address is taken or not this machine's.
    #[error("cannot listen on {address}: {source}; choose another --listen, or port 0 for a free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The state file.
    #[error(transparent)]
    State(#[from] StateFileError),
    /// The kubeconfig cannot be read.
    #[error("kubeconfig {path}: {source}; give --kubeconfig a file that this user may read")]
    KubeconfigFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The kubeconfig is no use.
    #[error("kubeconfig {path}: {source}")]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KubeconfigError,
    },
    /// The kubeconfig leads nowhere.
    #[error("kubeconfig {path}: {reason}")]
    Access {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A simulated cloud that has not been started.
#[derive(Debug)]
pub struct SimCloud;

/// A simulated cloud that runs; dropping it ends it without waiting.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    cloud: Cloud,
    server: JoinHandle<()>,
}

impl SimCloud {
    /// Reads the state, gives power to the VMs in it and listens.
    ///
    /// # Errors
    /// When the address, the state file or the kubeconfig cannot be used.
    pub async fn start(config: Config) -> Result<Running, StartError> {
        let listen = config.listen;
        let cloud = build(config, Clock::system())?;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|source| StartError::Listen { address: listen, source })?;
        let address =
            listener.local_addr().map_err(|source| StartError::Listen { address: listen, source })?;
        let vms = power_on(&cloud);
        tracing::info!(%address, vms, "simulated cloud is up");

        let stop = cloud.shared.stop.clone();
        let router = api::router(cloud.clone());
        let server = tokio::spawn(async move {
            let serving = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned());
            if let Err(error) = serving.await {
                tracing::error!(%error, "the simulated cloud stopped answering");
            }
        });
        Ok(Running { address, cloud, server })
    }

    /// A cloud without a socket, for a test that carries requests to its HTTP API by hand and has a time of its own.
    ///
    /// # Errors
    /// When the state file or the kubeconfig cannot be used.
    pub fn in_process(
        config: Config,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<(Cloud, Router), StartError> {
        let cloud = build(config, Clock::new(now))?;
        power_on(&cloud);
        let router = api::router(cloud.clone());
        Ok((cloud, router))
    }
}

fn build(config: Config, clock: Clock) -> Result<Cloud, StartError> {
    let Config { listen: _, token, state, kubeconfig, settings } = config;
    if token.reveal().is_empty() {
        return Err(StartError::NoToken);
    }
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    let counters = Arc::new(Counters::default());
    let network = Network::new(Arc::clone(&counters), tasks.clone(), stop.clone());
    let direct = match kubeconfig {
        Some(path) => Some(client(&path, &network)?),
        None => None,
    };
    let catalog = settings.catalog();
    let inventory = Inventory::open(catalog.clone(), settings.quotas, state.as_deref())?;
    let environment = Arc::new(Environment {
        inventory: Mutex::new(inventory),
        catalog,
        network,
        direct,
        kubelet_version: settings.kubelet_version,
    });
    // A time that is none is left out; a file with one is refused before.
    let order_time = settings.order_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let shared = Arc::new(Shared {
        guests: Guests::new(Arc::clone(&environment), tasks.clone(), stop.clone()),
        environment,
        faults: Mutex::new(Faults::default()),
        orders: Mutex::new(Orders::default()),
        order_time,
        journal: Mutex::new(Journal::default()),
        counters,
        gate: Gate::new(&token),
        clock,
        tasks,
        stop,
    });
    Ok(Cloud { shared })
}

/// Gives power to the VMs of the state file, and says how many they are.
fn power_on(cloud: &Cloud) -> usize {
    let vms: Vec<Vm> = cloud.inventory().vms().cloned().collect();
    let count = vms.len();
    vms.into_iter().for_each(|vm| cloud.shared.guests.start(vm));
    count
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL, as a provider spec's `endpoint` wants it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The operator's handle.
    pub fn cloud(&self) -> &Cloud {
        &self.cloud
    }

    /// Ends it: no VM runs and no connection is open when this returns, or shortly after in the worst case.
    pub async fn stop(mut self) {
        let Shared { tasks, stop, .. } = &*self.cloud.shared;
        stop.cancel();
        tasks.close();
        let server = &mut self.server;
        if timeout(GRACE, async { tokio::join!(server, tasks.wait()) }).await.is_err() {
            tracing::warn!("some connections did not end in time");
            self.server.abort();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cloud.shared.stop.cancel();
    }
}

fn client(path: &Path, network: &Arc<Network>) -> Result<KubeClient, StartError> {
    let owned = || path.to_owned();
    let text = std::fs::read(path).map_err(|source| StartError::KubeconfigFile { path: owned(), source })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let access = kubeconfig::read(&text, |file| std::fs::read(folder.join(file)).ok())
        .map_err(|source| StartError::Kubeconfig { path: owned(), source })?;
    KubeClient::new(Arc::clone(network), &access)
        .map_err(|error| StartError::Access { path: owned(), reason: error.to_string() })
}
