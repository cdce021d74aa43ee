//! The flags as they stand on the command line: text. What they mean is judged by [`Args::check`], all of them at
//! once, so that a user mends a manifest in one go.
//!
//! Names, defaults and ways of writing are those of machine-controller-manager's two programs. What one of them
//! takes and this program has no use for is taken too, and said to be without effect.

mod bounds;
mod clouds;
mod clusters;
mod controllers;
mod draining;
mod election;
mod logs;
mod machines;
mod orphans;
mod ports;
mod reachability;
mod reading;
mod replacements;
mod rollouts;
mod unused;

use clap::Parser;
use millwright_provider::{Provider, Registry};

use crate::flag_mistakes::Collector;
use crate::{Config, FlagMistakes, FleetConfig};

/// Makes machines of machine.sapcloud.io come true: creates their VMs, waits for their nodes, repairs, drains, rolls, scales
/// and deletes them, and collects VMs that nobody owns.
#[derive(Clone, Debug, Parser)]
#[command(name = "millwright-controller", version)]
// As Go's flags: the last one counts, and a negative number is a value.
#[command(args_override_self = true, allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    clusters: clusters::ClusterArgs,
    #[command(flatten)]
    controllers: controllers::ControllerArgs,
    #[command(flatten)]
    clouds: clouds::CloudArgs,
    #[command(flatten)]
    machines: machines::MachineArgs,
    #[command(flatten)]
    draining: draining::DrainingArgs,
    #[command(flatten)]
    replacements: replacements::ReplacementArgs,
    #[command(flatten)]
    rollouts: rollouts::RolloutArgs,
    #[command(flatten)]
    bounds: bounds::BoundArgs,
    #[command(flatten)]
    orphans: orphans::OrphanArgs,
    #[command(flatten)]
    reachability: reachability::ReachabilityArgs,
    #[command(flatten)]
    election: election::ElectionArgs,
    #[command(flatten)]
    ports: ports::PortArgs,
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    unused: unused::UnusedArgs,
}

impl Args {
    /// Judges all flags. `providers` are those that are linked, which `--providers` may choose from.
    ///
    /// # Errors
    /// Lists every flag that can't be used, its value and what is allowed.
    pub fn check(self, providers: &Registry<dyn Provider>) -> Result<Config, FlagMistakes> {
        let Self {
            clusters,
            controllers,
            clouds,
            machines,
            draining,
            replacements,
            rollouts,
            bounds,
            orphans,
            reachability,
            election,
            ports,
            logs,
            unused,
        } = self;
        let mut mistakes = Collector::default();
        let clusters = clusters.check(&mut mistakes);
        let controllers = controllers.check(providers, &mut mistakes);
        let clouds = clouds.check(&mut mistakes);
        let machines = machines.check(&mut mistakes);
        let draining = draining.check(&mut mistakes);
        let meltdown = replacements.check(&mut mistakes);
        let rollouts = rollouts.check(&mut mistakes);
        let bounds = bounds.check(&mut mistakes);
        let orphans = orphans.check(&mut mistakes);
        let freeze = reachability.check(&mut mistakes);
        let election = election.check(&mut mistakes);
        let listen = ports.check(&mut mistakes);
        let logs = logs.check(&mut mistakes);
        unused.check(&mut mistakes);
        let config = || {
            let (clusters, controllers, machines) = (clusters?, controllers?, machines?);
            let draining = draining?;
            let fleet = FleetConfig {
                settings: machines.settings(clusters.target.as_ref(), &draining, meltdown?),
                rollouts: rollouts?.settings(clusters.target.as_ref(), bounds?),
                max_concurrent_drains: draining.max_concurrent_drains,
                bootstrap_groups: machines.bootstrap_groups,
                namespace: clusters.namespace,
                control: clusters.control,
                target: clusters.target,
                rate: clusters.rate,
                relist: clusters.relist,
                controllers: controllers.controllers,
                providers: controllers.providers,
                workers: controllers.workers,
                orphans: orphans?,
                freeze: freeze?,
                election: election?,
                shutdown_grace: controllers.shutdown_grace,
            };
            Some(Config { listen: listen?, logs: logs?, cloud_endpoints: clouds?, fleet })
        };
        mistakes.unless_any(config())
    }
}
