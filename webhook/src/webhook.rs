//! The whole webhook, wired: bound to its ports, then serving until told to end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use millwright_admission::{Rulebook, SchemaError};
use millwright_cluster::client::ClientMetrics;
use millwright_provider::{Registry, SpecRules};
use millwright_telemetry::{BindError, Gate, Health, Question, bind, process_registry, serve};
use rustls::crypto::ring;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::certificate_store::CertificateStore;
use crate::certificate_upkeep::CertificateUpkeep;
use crate::client_check::{ClientCheck, keep_looking};
use crate::clock::system_time;
use crate::facts::{Neighbours, Watching};
use crate::tls_config::tls_config;
use crate::tls_listener::{TlsService, serve_tls};
use crate::{Args, CertificateSource, FactsSource, Metrics, SelfSignedError, router};

/// How long work beside the reviews may take to end, once there are no more reviews.
const LAST_REQUESTS: Duration = Duration::from_secs(3);

/// Why the webhook could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port can't be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A provider's schema is broken.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A metric is there twice.
    #[error("metrics can't be registered: {0}")]
    Metrics(#[from] prometheus::Error),
    /// TLS can't be spoken with this build.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The webhook's own certificates can't be made.
    #[error(transparent)]
    SelfSigned(#[from] SelfSignedError),
    /// A socket has no address.
    #[error("a listening socket has no address: {0}")]
    Address(#[source] io::Error),
}

/// A webhook that has its ports and has looked at its certificate once.
pub struct Webhook {
    tls: TcpListener,
    plain: TcpListener,
    service: TlsService,
    health: Health,
    registry: prometheus::Registry,
    accepting: Gate,
    certificates: CertificateUpkeep,
    clients: Option<Arc<ClientCheck>>,
    watching: Option<Watching>,
    reload_interval: Duration,
}

impl Webhook {
    /// Takes the ports and looks at the certificate. One that can't be served is no error: it may come later.
    ///
    /// # Errors
    /// When a port is taken, or the build is broken.
    pub async fn prepare(args: &Args, providers: Registry<dyn SpecRules>) -> Result<Self, StartError> {
        let registry = process_registry()?;
        let metrics = Metrics::register(&registry)?;
        let health = Health::default();
        let tls = bind(format!("--listen {}", args.listen), args.listen).await?;
        let plain = bind(format!("--metrics-listen {}", args.metrics_listen), args.metrics_listen).await?;

        let store = Arc::new(CertificateStore::empty());
        let accepting = Gate::opened();
        health.add(Question::Ready, "shutdown", accepting.clone());
        let judged = Arc::clone(&store);
        health.add(Question::Ready, "certificate", move || judged.ready(system_time()));
        let clients = ClientCheck::wanted(&args.clients, Arc::new(ring::default_provider()));
        if let Some(check) = clients.clone() {
            health.add(Question::Ready, "client-ca", move || check.ready());
        }

        let speaks_to_api = args.neighbours.facts == FactsSource::Watched
            || args.certificates.source == CertificateSource::SelfSigned;
        let client_metrics = speaks_to_api.then(|| ClientMetrics::register(&registry)).transpose()?;
        let certificates = CertificateUpkeep::prepare(
            args,
            Arc::clone(&store),
            metrics.clone(),
            client_metrics.as_ref(),
            &registry,
        )
        .await?;
        let watching = Watching::wanted(&args.neighbours, &registry, client_metrics)?;
        let neighbours = watching.as_ref().map_or_else(Neighbours::none, Watching::neighbours);

        let rulebook = Rulebook::new(providers)?.with_unknown_providers(args.unknown_providers);
        let service = TlsService {
            acceptor: TlsAcceptor::from(tls_config(args.tls_min_version, store, clients.clone())?),
            router: router(rulebook, args.limits, metrics.clone(), neighbours),
            limits: args.limits,
            metrics,
        };
        let reload_interval = args.certificates.tls_reload_interval;
        Ok(Self {
            tls,
            plain,
            service,
            health,
            registry,
            accepting,
            certificates,
            clients,
            watching,
            reload_interval,
        })
    }

    /// Where reviews are answered.
    ///
    /// # Errors
    /// When the system can't say.
    pub fn tls_address(&self) -> Result<SocketAddr, StartError> {
        self.tls.local_addr().map_err(StartError::Address)
    }

    /// Where probes and metrics are answered.
    ///
    /// # Errors
    /// When the system can't say.
    pub fn plain_address(&self) -> Result<SocketAddr, StartError> {
        self.plain.local_addr().map_err(StartError::Address)
    }

    /// Serves until `shutdown` is cancelled and what was under way is done. Probes are answered to the end.
    ///
    /// # Errors
    /// When the plain port breaks.
    pub async fn serve(self, shutdown: CancellationToken) -> io::Result<()> {
        let Self {
            tls,
            plain,
            service,
            health,
            registry,
            accepting,
            certificates,
            clients,
            watching,
            reload_interval,
        } = self;
        let plain_shutdown = CancellationToken::new();
        let mut plain_server = JoinSet::new();
        plain_server.spawn(serve(plain, health, registry, plain_shutdown.clone()));
        let mut reloading = JoinSet::new();
        reloading.spawn(certificates.run(shutdown.clone()));
        if let Some(check) = clients {
            reloading.spawn(keep_looking(check, reload_interval, shutdown.clone()));
        }

        if let Some(watching) = watching {
            reloading.spawn(watching.run(shutdown.clone()));
        }

        let ending = async {
            shutdown.cancelled().await;
            accepting.shut("the webhook is ending");
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = serve_tls(tls, service, shutdown.clone()) => {}
            () = ending => {}
            ended = plain_server.join_next() => {
                let broke = || io::Error::other("the plain port stopped answering");
                return Err(ended.and_then(Result::ok).and_then(Result::err).unwrap_or_else(broke));
            }
        }
        plain_shutdown.cancel();
        plain_server.join_next().await;
        // Who leads gives up the lease, which takes a request or two.
        let ended = async { while reloading.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_REQUESTS, ended).await.is_err() {
            tracing::warn!("what was watched or renewed did not end in time and is cut off");
        }
        reloading.shutdown().await;
        Ok(())
    }
}
