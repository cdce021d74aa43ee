//! Where the other objects are that a judgement may take into account.

use std::path::PathBuf;

use millwright_cluster::client::ClusterAccess;

/// Which objects are watched, and how the API server is found.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Other objects")]
pub struct NeighbourArgs {
    /// Where facts about other objects come from: none, or watched in the namespace of the machine objects.
    #[arg(long, value_name = "SOURCE", default_value = "none")]
    pub facts: FactsSource,
    /// Namespace with the machine objects that are watched; * for all. When given twice, the last one counts.
    #[arg(long, value_name = "NAME", default_value = "default", overrides_with = "namespace")]
    pub namespace: String,
    /// Kubeconfig of the cluster with the machine objects. Without it: the service account of this pod.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Whether the Secrets that classes name are checked for the keys that their provider reads. Needs the right to read them.
    #[arg(long, value_name = "SWITCH", default_value = "off")]
    pub secret_checks: SecretChecks,
}

/// Where facts about other objects come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FactsSource {
    /// Nothing is known but the object itself.
    None,
    /// Watches of the four kinds.
    Watched,
}

/// Whether Secrets are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SecretChecks {
    /// They are not read.
    Off,
    /// The names of their keys are.
    On,
}

impl NeighbourArgs {
    /// Where the API server is.
    #[must_use]
    pub fn access(&self) -> ClusterAccess {
        self.kubeconfig.clone().map_or(ClusterAccess::InCluster, ClusterAccess::Kubeconfig)
    }
}
