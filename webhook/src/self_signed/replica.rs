//! This replica's part in the self-signed mode, put together from the flags: its client, its candidacy, its keeper.

use std::sync::Arc;

use millwright_cluster::client::{ClientMetrics, ClientSettings, ConnectError, Side, connect};
use millwright_cluster::leader::{LeaderSettings, Leadership, identity};
use millwright_decide::lease::LeaseSettings;
use prometheus::Registry;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::election::Election;
use super::keeper::Keeper;
use super::metrics::SelfSignedMetrics;
use super::registrations::Registrations;
use super::server_names::{BadName, ServerNames};
use super::times::{Times, TimesError};
use super::vault::Vault;
use crate::certificate_store::CertificateStore;
use crate::clock::system_time;
use crate::{Args, Metrics};

/// As what we are known to API servers, in their logs and metrics.
const USER_AGENT: &str = concat!("millwright-webhook/", env!("CARGO_PKG_VERSION"));
/// The Lease of the replicas, in the namespace of the Secret.
const LEASE: &str = "millwright-webhook";

/// Why the self-signed mode can't begin.
#[derive(Debug, thiserror::Error)]
pub enum SelfSignedError {
    /// The flags leave no room for a rotation.
    #[error(transparent)]
    Times(#[from] TimesError),
    /// The certificate can't be for these names.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The API server can't be asked.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The system has no randomness to give.
    #[error("this replica can't be given a name: {0}")]
    Identity(#[from] getrandom::Error),
    /// A metric is there twice.
    #[error("metrics can't be registered: {0}")]
    Metrics(#[from] prometheus::Error),
}

/// This replica's part.
pub(crate) struct Replica {
    keeper: Keeper,
    election: Election,
    leads: watch::Receiver<Leadership>,
}

impl Replica {
    /// Puts it together; asks the API server nothing yet.
    pub(crate) async fn prepare(
        args: &Args,
        store: Arc<CertificateStore>,
        metrics: Metrics,
        client_metrics: &ClientMetrics,
        registry: &Registry,
    ) -> Result<Self, SelfSignedError> {
        let flags = &args.certificates.self_signed;
        let namespace = flags.service_namespace.as_str();
        let interval = args.certificates.tls_reload_interval;
        let times = Times {
            certificate: flags.certificate_lifetime,
            authority: flags.ca_lifetime,
            settle: flags.ca_settle_time,
            retire: flags.ca_retire_time,
        };
        let times = times.check(interval)?;
        let names = ServerNames::new(&flags.service_name, namespace, &flags.certificate_host)?;
        // A client of its own: the lease must not wait behind other requests.
        let settings = ClientSettings::for_lease(USER_AGENT);
        let client = connect(Side::Control, &args.neighbours.access(), &settings, client_metrics).await?;
        let registrations = Registrations::new(
            &client,
            &flags.mutating_configuration,
            &flags.validating_configuration,
            names.clone(),
        );
        let keeper = Keeper {
            vault: Vault::new(&client, namespace, &flags.certificate_secret),
            registrations,
            names,
            times,
            interval,
            store,
            metrics,
            renewals: SelfSignedMetrics::register(registry)?,
            clock: system_time,
            served: None,
            told: None,
        };
        let leader = LeaderSettings {
            namespace: namespace.to_owned(),
            lease: LEASE.to_owned(),
            identity: identity()?,
            timing: LeaseSettings::default(),
        };
        let (election, leads) = Election::new(client, leader, system_time);
        Ok(Self { keeper, election, leads })
    }

    /// Works until `shutdown`. The lease is given up after the last write, so that the next leader need not wait for its end.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let Self { keeper, election, leads } = self;
        let release = CancellationToken::new();
        let keeping = async {
            keeper.run(leads, shutdown).await;
            release.cancel();
        };
        tokio::join!(keeping, election.run(release.clone()));
    }
}
