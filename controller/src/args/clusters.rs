//! Where the clusters are, and how hard they may be asked.

use std::path::PathBuf;
use std::time::Duration;

use millwright_cluster::client::{ClusterAccess, RequestRate};

use super::reading::{some_time, whole_from};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Clusters")]
pub(super) struct ClusterArgs {
    /// Kubeconfig of the cluster with the machine objects; `inClusterConfig` for the service account of this pod. Without
    /// it: the same as the target cluster.
    #[arg(long, value_name = "FILE")]
    control_kubeconfig: Option<String>,
    /// Kubeconfig of the cluster that the nodes join; `none` when there is none, and machines are only VMs. Without it: the
    /// service account of this pod.
    #[arg(long, value_name = "FILE")]
    target_kubeconfig: Option<String>,
    /// Namespace with the machine objects and the leases, in the control cluster.
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,
    /// Requests each second to a cluster, on average. The API server guards itself; this only bounds a mistake of ours.
    #[arg(long, value_name = "NUMBER", default_value = "500")]
    kube_api_qps: String,
    /// Requests to a cluster that may go at once after a pause.
    #[arg(long, value_name = "COUNT", default_value = "1000")]
    kube_api_burst: String,
    /// Time after which a kind is listed anew even though its watch seems well, so that an event which an API server lost is
    /// not missed for ever.
    #[arg(long, value_name = "DURATION", default_value = "30m")]
    watch_relist_period: String,
}

pub(super) struct Clusters {
    pub(super) control: ClusterAccess,
    pub(super) target: Option<ClusterAccess>,
    pub(super) namespace: String,
    pub(super) rate: RequestRate,
    pub(super) relist: Duration,
}

impl ClusterArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Clusters> {
        let Self {
            control_kubeconfig,
            target_kubeconfig,
            namespace,
            kube_api_qps,
            kube_api_burst,
            watch_relist_period,
        } = self;
        let control = control_kubeconfig.unwrap_or_default();
        let target = match target_kubeconfig.as_deref() {
            Some("none") => None,
            Some("") | None => Some(ClusterAccess::InCluster),
            Some(path) => Some(ClusterAccess::Kubeconfig(PathBuf::from(path))),
        };
        let control = match (control.as_str(), &target) {
            ("inClusterConfig", _) => Some(ClusterAccess::InCluster),
            ("", Some(target)) => Some(target.clone()),
            ("", None) => {
                let allowed =
                    "name a kubeconfig or write inClusterConfig, because --target-kubeconfig is none";
                mistakes.add("--control-kubeconfig", "", allowed);
                None
            }
            (path, _) => Some(ClusterAccess::Kubeconfig(PathBuf::from(path))),
        };
        let namespace = mistakes.read("--namespace", &namespace, label);
        let qps = mistakes.read("--kube-api-qps", &kube_api_qps, positive);
        let burst = mistakes.read("--kube-api-burst", &kube_api_burst, whole_from(0));
        let relist = mistakes.read("--watch-relist-period", &watch_relist_period, some_time);
        Some(Clusters {
            control: control?,
            target,
            namespace: namespace?,
            rate: RequestRate::Limited { qps: qps?, burst: burst? },
            relist: relist?,
        })
    }
}

fn positive(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|number: &f32| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "write a number above 0, such as 500 or 0.5".to_owned())
}

/// A name that a namespace can have: a label of RFC 1123.
fn label(text: &str) -> Result<String, String> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = (1..=63).contains(&text.len())
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-');
    if is_label {
        Ok(text.to_owned())
    } else {
        Err("write a namespace: 1 to 63 lower case letters, digits and '-', not '-' at either end".to_owned())
    }
}
