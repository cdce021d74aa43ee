//! The controller's flags as decisions read them, and what a single machine overrides.

use std::time::Duration;

use millwright_api::keys::annotations::EFFECTIVE_CREATION_TIMEOUT;
use millwright_api::{GoDuration, Machine, ObjectView};

use crate::machine::MeltdownRule;

/// Values of the machine controller's flags.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSettings {
    /// `--machine-creation-timeout`
    pub creation_timeout: Duration,
    /// `--machine-health-timeout`
    pub health_timeout: Duration,
    /// `--machine-drain-timeout`
    pub drain_timeout: Duration,
    /// `--machine-max-evict-retries`
    pub max_evict_retries: u32,
    /// `--node-conditions`, split at commas
    pub node_conditions: Vec<String>,
    /// `--resource-exhausted-retry`
    pub resource_exhausted_retry: Duration,
    /// `--machine-pv-detach-timeout`
    pub pv_detach_timeout: Duration,
    /// `--machine-pv-reattach-timeout`
    pub pv_reattach_timeout: Duration,
    /// `--machine-preserve-timeout`
    pub preserve_timeout: Duration,
    /// `--machine-inplace-update-timeout`
    pub in_place_update_timeout: Duration,
    /// `--machine-max-parallel-volume-evictions`: how many pods with volumes of one node may be on their way at
    /// the same time; at least 1.
    pub parallel_volume_evictions: usize,
    /// `--machine-max-replacements` and what belongs to it.
    pub meltdown: MeltdownRule,
    /// `--provider-id`
    pub provider_id: ProviderIdWording,
    /// Whether there is a target cluster: `--target-kubeconfig=none` says no.
    pub target: TargetCluster,
}

/// In whose words `spec.providerID` of a machine with a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProviderIdWording {
    /// As the provider words it, and Gardener's.
    #[default]
    Provider,
    /// As the Node has it from its cloud controller: for autoscalers that compare the two letter by letter.
    Node,
}

/// Whether machines become nodes of a cluster we can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetCluster {
    /// They do.
    Present,
    /// They do not, and a created machine is Available at once.
    Absent,
}

impl Default for MachineSettings {
    /// The defaults of Gardener's flags (`spec` of the flags: docs/reference/flags.md).
    fn default() -> Self {
        Self {
            creation_timeout: Duration::from_secs(20 * 60),
            health_timeout: Duration::from_secs(10 * 60),
            drain_timeout: Duration::from_secs(2 * 3600),
            max_evict_retries: 360,
            node_conditions: Self::split_conditions(
                "KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable",
            ),
            resource_exhausted_retry: Duration::from_secs(10 * 60),
            pv_detach_timeout: Duration::from_secs(2 * 60),
            pv_reattach_timeout: Duration::from_secs(90),
            preserve_timeout: Duration::from_secs(96 * 3600),
            in_place_update_timeout: Duration::from_secs(20 * 60),
            parallel_volume_evictions: 10,
            meltdown: MeltdownRule::default(),
            provider_id: ProviderIdWording::default(),
            target: TargetCluster::Present,
        }
    }
}

impl MachineSettings {
    /// Splits a comma list of condition types; blanks around entries do not count.
    #[must_use]
    pub fn split_conditions(list: &str) -> Vec<String> {
        list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    /// What holds for one machine: annotation over spec over flag. An unparsable override counts as
    /// absent; admission has refused it, and an old object must not lose its machine over it.
    #[must_use]
    pub fn for_machine(&self, machine: &Machine) -> Self {
        let own = &machine.spec.configuration;
        let parsed = |field: &Option<GoDuration>, flag: Duration| {
            field.as_ref().and_then(|text| text.parse().ok()).unwrap_or(flag)
        };
        let annotated = machine
            .annotation(EFFECTIVE_CREATION_TIMEOUT)
            .and_then(|text| GoDuration(text.to_owned()).parse().ok());
        Self {
            creation_timeout: annotated
                .unwrap_or_else(|| parsed(&own.creation_timeout, self.creation_timeout)),
            health_timeout: parsed(&own.health_timeout, self.health_timeout),
            drain_timeout: parsed(&own.drain_timeout, self.drain_timeout),
            max_evict_retries: own
                .max_evict_retries
                .and_then(|count| u32::try_from(count).ok())
                .unwrap_or(self.max_evict_retries),
            node_conditions: own
                .node_conditions
                .as_deref()
                .map_or_else(|| self.node_conditions.clone(), Self::split_conditions),
            preserve_timeout: parsed(&own.machine_preserve_timeout, self.preserve_timeout),
            in_place_update_timeout: parsed(&own.in_place_update_timeout, self.in_place_update_timeout),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_wins_over_the_spec_and_the_spec_over_the_flag() {
        let flags = MachineSettings::default();
        let mut machine = Machine::default();
        assert_eq!(flags.for_machine(&machine).creation_timeout, flags.creation_timeout);
        machine.spec.configuration.creation_timeout = Some(GoDuration("5m".into()));
        assert_eq!(flags.for_machine(&machine).creation_timeout, Duration::from_secs(300));
        machine.metadata.annotations =
            Some([(EFFECTIVE_CREATION_TIMEOUT.to_owned(), "3m".to_owned())].into());
        assert_eq!(flags.for_machine(&machine).creation_timeout, Duration::from_secs(180));
    }

    #[test]
    fn an_unparsable_override_counts_as_absent() {
        let flags = MachineSettings::default();
        let mut machine = Machine::default();
        machine.spec.configuration.drain_timeout = Some(GoDuration("soon".into()));
        assert_eq!(flags.for_machine(&machine).drain_timeout, flags.drain_timeout);
    }
}
