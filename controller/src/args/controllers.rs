//! What this process works on, and how much at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use millwright_cluster::Workers;
use millwright_provider::{Provider, Registry};

use super::reading::{entries, some_time, whole_from};
use crate::flag_mistakes::Collector;
use crate::{Controller, Controllers, ServedProviders};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Work")]
pub(super) struct ControllerArgs {
    /// Comma list of the controllers to run. Those left out may run elsewhere, here or as machine-controller-manager.
    #[arg(long, value_name = "LIST", default_value = "machinedeployment,machineset,machine")]
    controllers: String,
    /// Comma list of the clouds to serve. Without it: all that are linked. Machines of other clouds are left alone.
    #[arg(long, value_name = "LIST")]
    providers: Option<String>,
    /// Objects of each kind to work on at the same time. Without it: 50 machines, 10 sets, 10 deployments.
    #[arg(long, value_name = "COUNT")]
    concurrent_syncs: Option<String>,
    /// How long work under way may go on after SIGTERM. Give the pod about 10 s more to end.
    #[arg(long, value_name = "DURATION", default_value = "20s")]
    shutdown_grace: String,
}

pub(super) struct Work {
    pub(super) controllers: Controllers,
    pub(super) providers: ServedProviders,
    pub(super) workers: Workers,
    pub(super) shutdown_grace: Duration,
}

impl ControllerArgs {
    pub(super) fn check(self, linked: &Registry<dyn Provider>, mistakes: &mut Collector) -> Option<Work> {
        let Self { controllers, providers, concurrent_syncs, shutdown_grace } = self;
        let controllers = mistakes.read("--controllers", &controllers, chosen_controllers);
        let providers = match providers.filter(|list| !list.is_empty()) {
            None => Some(ServedProviders::All),
            Some(list) => mistakes.read("--providers", &list, |list| chosen_providers(list, linked)),
        };
        let workers =
            match concurrent_syncs {
                None => Some(Workers { machines: 50, sets: 10, deployments: 10 }),
                Some(text) => mistakes
                    .read("--concurrent-syncs", &text, whole_from(1))
                    .map(|count| Workers { machines: count, sets: count, deployments: count }),
            };
        let shutdown_grace = mistakes.read("--shutdown-grace", &shutdown_grace, some_time);
        let controllers = controllers?;
        Some(Work {
            workers: controllers.bound(workers?),
            controllers,
            providers: providers?,
            shutdown_grace: shutdown_grace?,
        })
    }
}

fn chosen_controllers(list: &str) -> Result<Controllers, String> {
    let allowed = || {
        let names: Vec<&str> = Controller::ALL.iter().map(|controller| controller.name()).collect();
        format!("write one or more of {}", names.join(", "))
    };
    let chosen: Option<BTreeSet<Controller>> = entries(list).map(Controller::named).collect();
    chosen.and_then(Controllers::new).ok_or_else(allowed)
}

fn chosen_providers(list: &str, linked: &Registry<dyn Provider>) -> Result<ServedProviders, String> {
    let names: Option<BTreeSet<&'static str>> = entries(list)
        .map(|name| linked.get(name).ok().and_then(|provider| provider.names().first().copied()))
        .collect();
    match names {
        Some(names) if !names.is_empty() => Ok(ServedProviders::Only(names)),
        _ => Err(format!("write one or more of {}", linked.names().join(", "))),
    }
}
