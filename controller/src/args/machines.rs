//! What holds for every machine that does not say otherwise.

use std::time::Duration;

use millwright_cluster::client::ClusterAccess;
use millwright_decide::machine::MeltdownRule;
use millwright_decide::{MachineSettings, ProviderIdWording, TargetCluster};

use super::draining::Draining;
use super::reading::{duration, entries};
use crate::flag_mistakes::Collector;

/// 0 stands for it, as in machine-controller-manager.
const RESOURCE_EXHAUSTED_RETRY: Duration = Duration::from_secs(600);

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Machines")]
pub(super) struct MachineArgs {
    /// How long creating and joining may take before a machine counts as failed.
    #[arg(long, value_name = "DURATION", default_value = "20m")]
    machine_creation_timeout: String,
    /// How long a node may be unhealthy before its machine counts as failed.
    #[arg(long, value_name = "DURATION", default_value = "10m")]
    machine_health_timeout: String,
    /// How long an update in place may take before it counts as failed.
    #[arg(long, value_name = "DURATION", default_value = "20m")]
    machine_inplace_update_timeout: String,
    /// How long a machine is preserved that its owner or its set wants to be preserved.
    #[arg(long, value_name = "DURATION", default_value = "96h")]
    machine_preserve_timeout: String,
    /// Comma list of the node conditions that, when True, make a node unhealthy.
    #[arg(
        long,
        value_name = "LIST",
        default_value = "KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable"
    )]
    node_conditions: String,
    /// Comma list of groups that the bearer of a bootstrap token is in, each `system:bootstrappers:` and more.
    #[arg(long, value_name = "LIST", default_value = "")]
    bootstrap_token_auth_extra_groups: String,
    /// Wait before a creation is tried again for which the cloud had no capacity; 0 stands for 10m.
    #[arg(long, value_name = "DURATION", default_value = "10m")]
    resource_exhausted_retry: String,
    /// In whose words spec.providerID of a machine with a node stands: the provider's, or the node's own. Autoscalers that
    /// compare the two letter by letter need the node's.
    #[arg(long, value_name = "WORDING", default_value = "provider")]
    provider_id: String,
}

pub(super) struct Machines {
    pub(super) bootstrap_groups: String,
    creation_timeout: Duration,
    health_timeout: Duration,
    in_place_update_timeout: Duration,
    preserve_timeout: Duration,
    node_conditions: Vec<String>,
    resource_exhausted_retry: Duration,
    provider_id: ProviderIdWording,
}

impl MachineArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Machines> {
        let Self {
            machine_creation_timeout,
            machine_health_timeout,
            machine_inplace_update_timeout,
            machine_preserve_timeout,
            node_conditions,
            bootstrap_token_auth_extra_groups: groups,
            resource_exhausted_retry,
            provider_id,
        } = self;
        let creation = mistakes.read("--machine-creation-timeout", &machine_creation_timeout, duration);
        let health = mistakes.read("--machine-health-timeout", &machine_health_timeout, duration);
        let in_place =
            mistakes.read("--machine-inplace-update-timeout", &machine_inplace_update_timeout, duration);
        let preserve = mistakes.read("--machine-preserve-timeout", &machine_preserve_timeout, duration);
        let groups = mistakes.read("--bootstrap-token-auth-extra-groups", &groups, bootstrap_groups);
        let exhausted = mistakes.read("--resource-exhausted-retry", &resource_exhausted_retry, duration);
        let wording = mistakes.read("--provider-id", &provider_id, provider_id_wording);
        Some(Machines {
            bootstrap_groups: groups?,
            creation_timeout: creation?,
            health_timeout: health?,
            in_place_update_timeout: in_place?,
            preserve_timeout: preserve?,
            node_conditions: MachineSettings::split_conditions(&node_conditions),
            resource_exhausted_retry: match exhausted? {
                Duration::ZERO => RESOURCE_EXHAUSTED_RETRY,
                wait => wait,
            },
            provider_id: wording?,
        })
    }
}

impl Machines {
    pub(super) fn settings(
        &self,
        target: Option<&ClusterAccess>,
        draining: &Draining,
        meltdown: MeltdownRule,
    ) -> MachineSettings {
        MachineSettings {
            creation_timeout: self.creation_timeout,
            health_timeout: self.health_timeout,
            drain_timeout: draining.drain_timeout,
            max_evict_retries: draining.max_evict_retries,
            node_conditions: self.node_conditions.clone(),
            resource_exhausted_retry: self.resource_exhausted_retry,
            pv_detach_timeout: draining.pv_detach_timeout,
            pv_reattach_timeout: draining.pv_reattach_timeout,
            preserve_timeout: self.preserve_timeout,
            in_place_update_timeout: self.in_place_update_timeout,
            parallel_volume_evictions: draining.parallel_volume_evictions,
            meltdown,
            provider_id: self.provider_id,
            target: match target {
                Some(_) => TargetCluster::Present,
                None => TargetCluster::Absent,
            },
        }
    }
}

fn provider_id_wording(text: &str) -> Result<ProviderIdWording, String> {
    match text.trim() {
        "provider" => Ok(ProviderIdWording::Provider),
        "node" => Ok(ProviderIdWording::Node),
        _ => Err("write provider or node".to_owned()),
    }
}

/// The API server ignores a token with a group that it does not like, and no node joins: better said at start.
fn bootstrap_groups(list: &str) -> Result<String, String> {
    let is_good = |group: &str| {
        group.strip_prefix("system:bootstrappers:").is_some_and(|rest| {
            let inner =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b':' | b'-');
            (1..=256).contains(&rest.len())
                && rest.bytes().all(inner)
                && rest.ends_with(|last: char| last.is_ascii_lowercase() || last.is_ascii_digit())
        })
    };
    if entries(list).all(is_good) {
        Ok(entries(list).collect::<Vec<_>>().join(","))
    } else {
        Err("write groups such as system:bootstrappers:workers: behind the second ':' lower case letters, digits, \
             ':' and '-', at the end a letter or digit"
            .to_owned())
    }
}
