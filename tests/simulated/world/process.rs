//! One controller process: the real wiring over clients of the simulated servers. Dropping it is a crash.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Parser as _;
use millwright_cluster::client::{ClientMetrics, ClientSettings, ControlClient, Fence, TargetClient, over};
use millwright_controller::{Args, Clients, Metrics, Process, RunError, WallClock, serve_fleet_over};
use millwright_provider::{Provider, Registry};
use millwright_provider_local::LocalProvider;
use millwright_simkube::SimKube;
use millwright_telemetry::Health;
use prometheus::Registry as MetricsRegistry;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::{BoxError, service_fn};

use super::conductor::Conductor;
use super::objects::NAMESPACE;
use super::sky::Sky;

/// A controller that runs.
pub(crate) struct ControllerProcess {
    pub(crate) metrics: MetricsRegistry,
    end: CancellationToken,
    work: JoinHandle<Result<(), RunError>>,
}

impl ControllerProcess {
    /// Starts one as `who`, with these flags beside those that every test has.
    pub(crate) fn start(who: &str, kube: &SimKube, sky: &Sky, flags: &[String]) -> Self {
        let registry = MetricsRegistry::new();
        let provider: Arc<dyn Provider> = Arc::new(LocalProvider::over(sky.way(who)));
        let providers = Registry::<dyn Provider>::default().with(provider).unwrap();
        let flags = ["controller".to_owned(), format!("--namespace={NAMESPACE}")]
            .into_iter()
            .chain(flags.iter().cloned());
        let config = Args::try_parse_from(flags).unwrap().check(&providers).unwrap().fleet;
        let process = Process {
            identity: who.to_owned(),
            metrics: Metrics::register(&registry).unwrap(),
            health: Health::default(),
            providers: Arc::new(providers),
            clock: WallClock::new({
                let kube = kube.clone();
                move || kube.now()
            }),
        };
        // A registry of its own: the process registers its own counters under the same names.
        let counts = ClientMetrics::register(&MetricsRegistry::new()).unwrap();
        let fence = Fence::default();
        let settings =
            ClientSettings { rate: config.rate, fence: fence.clone(), ..ClientSettings::new("simulated") };
        let client = |settings: &ClientSettings| client(kube, sky.conductor(), who, settings, &counts);
        let clients = Clients {
            control: ControlClient(client(&settings)),
            target: config.target.as_ref().map(|_| TargetClient(client(&settings))),
            leases: client(&ClientSettings::for_lease("simulated")),
            target_probes: config.target.as_ref().map(|_| client(&ClientSettings::for_lease("simulated"))),
            fence,
        };
        let end = CancellationToken::new();
        let ending = end.clone();
        let work = tokio::spawn(async move { serve_fleet_over(config, clients, &process, ending).await });
        Self { metrics: registry, end, work }
    }

    /// Ends it as SIGTERM does.
    pub(crate) async fn stop(mut self) -> Result<(), RunError> {
        self.end.cancel();
        (&mut self.work).await.unwrap()
    }

    /// How it ended, when it did.
    pub(crate) async fn ended(&mut self) -> Result<(), RunError> {
        (&mut self.work).await.unwrap()
    }

    /// The counter of each action.
    pub(crate) fn actions(&self) -> BTreeMap<String, u64> {
        let families = self.metrics.gather();
        let family = families.iter().find(|family| family.name() == "millwright_actions_total");
        let rows = family.into_iter().flat_map(|family| family.get_metric());
        rows.map(|row| (row.get_label()[0].value().to_owned(), row.get_counter().get_value() as u64))
            .collect()
    }
}

impl Drop for ControllerProcess {
    fn drop(&mut self) {
        self.work.abort();
    }
}

fn client(
    kube: &SimKube,
    conductor: &Conductor,
    who: &str,
    settings: &ClientSettings,
    counts: &ClientMetrics,
) -> kube::Client {
    let (server, conductor, who) = (kube.client(who, NAMESPACE), conductor.clone(), who.to_owned());
    let transport = service_fn(move |request: http::Request<kube::client::Body>| {
        if request.method() != http::Method::GET && !request.uri().path().contains("/leases") {
            conductor.departs(&who);
        }
        let server = server.clone();
        async move { server.send(request).await.map_err(BoxError::from) }
    });
    over(transport, "simkube", NAMESPACE, settings, counts)
}
