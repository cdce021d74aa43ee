//! What keeps the store in step with where the certificate comes from: files, or the replicas' own Secret.

use std::sync::Arc;
use std::time::Duration;

use millwright_cluster::client::ClientMetrics;
use prometheus::Registry;
use tokio_util::sync::CancellationToken;

use crate::certificate_store::CertificateStore;
use crate::clock::system_time;
use crate::reload::{Reloader, keep_fresh};
use crate::self_signed::{Replica, SelfSignedError};
use crate::{Args, CertificateSource, Metrics};

/// One of the two.
pub(crate) enum CertificateUpkeep {
    Files { reloader: Arc<Reloader>, interval: Duration },
    SelfSigned(Box<Replica>),
}

impl CertificateUpkeep {
    /// Looks at the files once, or prepares to ask the API server.
    ///
    /// # Errors
    /// When the self-signed mode can't work with these flags, or finds no way to the API server.
    pub(crate) async fn prepare(
        args: &Args,
        store: Arc<CertificateStore>,
        metrics: Metrics,
        client_metrics: Option<&ClientMetrics>,
        registry: &Registry,
    ) -> Result<Self, SelfSignedError> {
        match args.certificates.source {
            CertificateSource::Files => {
                let reloader = Arc::new(Reloader::new(args.certificate_files(), store, metrics));
                reloader.look(system_time());
                Ok(Self::Files { reloader, interval: args.certificates.tls_reload_interval })
            }
            CertificateSource::SelfSigned => {
                let clients = match client_metrics {
                    Some(metrics) => metrics.clone(),
                    None => ClientMetrics::register(registry)?,
                };
                let replica = Replica::prepare(args, store, metrics, &clients, registry).await?;
                Ok(Self::SelfSigned(Box::new(replica)))
            }
        }
    }

    /// Goes on until `shutdown` is cancelled.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        match self {
            Self::Files { reloader, interval } => keep_fresh(reloader, interval, system_time, shutdown).await,
            Self::SelfSigned(replica) => Box::pin(replica.run(shutdown)).await,
        }
    }
}
