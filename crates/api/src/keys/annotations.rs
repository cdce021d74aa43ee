//! Annotations, with the object they stand on and who writes them.

/// Any object, kubectl: its copy of what was applied. Never kept, never copied.
pub const LAST_APPLIED_CONFIGURATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Machine: rank in a scale-down, lower goes first; 3 when absent.
pub const MACHINE_PRIORITY: &str = "machinepriority.machine.sapcloud.io";

/// Machine: when an autoscaler chose it to go (RFC 3339).
pub const MARKED_FOR_DELETION_TIME: &str = "machine.sapcloud.io/marked-for-deletion-time";

/// Machine or Node, user: `now`, `when-failed`, `auto-preserved` or `false`.
pub const PRESERVE: &str = "node.machine.sapcloud.io/preserve";

/// Machine: the preserve value last seen on its Node.
pub const LAST_APPLIED_NODE_PRESERVE_VALUE: &str =
    "node.machine.sapcloud.io/last-applied-node-preserve-value";

/// MachineDeployment, copied to sets and machines: overrides the creation time-out.
pub const EFFECTIVE_CREATION_TIMEOUT: &str = "node.machine.sapcloud.io/effective-creation-timeout";

/// Machine: how long it took to join.
pub const JOIN_DURATION: &str = "node.machine.sapcloud.io/machine-join-duration";

/// Machine, upstream autoscaler: candidate for deletion; presence counts, the value is no RFC 3339 time.
pub const CLUSTER_API_DELETE_MACHINE: &str = "machine.sapcloud.io/delete-machine";

/// MachineSet or MachineDeployment, operator: asks to unfreeze.
pub const UNFREEZE: &str = "safety.machine.sapcloud.io/unfreeze";

/// MachineDeployment and its sets: number of the rollout.
pub const REVISION: &str = "deployment.kubernetes.io/revision";

/// MachineSet: comma list of its former revisions.
pub const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";

/// MachineSet: the deployment's replicas at the last scaling.
pub const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";

/// MachineSet: the deployment's replicas plus surge at the last scaling.
pub const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";

/// MachineSet: `True` when its nodes carry the taint of that name.
pub const PREFER_NO_SCHEDULE: &str = "deployment.machine.sapcloud.io/prefer-no-schedule";

/// MachineDeployment, Gardener autoscaler: `machine~RFC3339,…` to delete with the next scale-down.
pub const TRIGGER_DELETION: &str = "node.machine.sapcloud.io/trigger-deletion-by-mcm";

/// MachineDeployment, Gardener autoscaler, copied to sets: when it last changed the replicas.
pub const LAST_REPLICA_CHANGE_BY_SCALER: &str =
    "machine.sapcloud.io/last-deployment-replica-change-by-scaler-time";

/// MachineDeployment, user: when rollouts may take steps, see `MaintenanceWindows`; not handed down.
pub const MAINTENANCE_WINDOW: &str = "machine.sapcloud.io/maintenance-window";

/// Node: JSON of the machine's node template that was applied last.
pub const LAST_APPLIED_NODE_TEMPLATE: &str = "node.machine.sapcloud.io/last-applied-anno-labels-taints";

/// Node: JSON of the virtual capacity that was applied last.
pub const LAST_APPLIED_VIRTUAL_CAPACITY: &str = "node.machine.sapcloud.io/last-applied-virtual-capacity";

/// Node: `1` when no machine backs it; its events are ignored.
pub const NOT_MANAGED: &str = "node.machine.sapcloud.io/not-managed-by-mcm";

/// Node: `true` keeps an autoscaler from removing it.
pub const SCALE_DOWN_DISABLED: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/// Node: `true` when the former was set by us, so that we may remove it.
pub const SCALE_DOWN_DISABLED_BY_US: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm";

/// Node, node agent: why an in-place update failed.
pub const UPDATE_FAILED_REASON: &str = "node.machine.sapcloud.io/update-failed-reason";

/// Pod, kubelet: a mirror of a static pod; never evicted.
pub const MIRROR_POD: &str = "kubernetes.io/config.mirror";

/// MachineDeployment or MachineSet, user: smallest size that the upstream autoscaler may give it; with the following one
/// it makes the object a node group.
pub const CLUSTER_API_MIN_SIZE: &str = "machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size";

/// MachineDeployment or MachineSet, user: largest size that the upstream autoscaler may give it.
pub const CLUSTER_API_MAX_SIZE: &str = "machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size";

/// MachineDeployment, user or we while `spec.paused`: by its presence the upstream autoscaler leaves the group alone.
pub const CLUSTER_API_PAUSED: &str = "cluster.x-k8s.io/paused";

/// MachineSet: number of its rollout for the upstream autoscaler; only together with the label of the deployment's name.
pub const CLUSTER_API_REVISION: &str = "machinedeployment.clusters.x-k8s.io/revision";

/// Node: name of its machine, for the upstream autoscaler.
pub const CLUSTER_API_MACHINE: &str = "machine.sapcloud.io/machine";

/// Node: namespace of its machine, for the upstream autoscaler.
pub const CLUSTER_API_CLUSTER_NAMESPACE: &str = "machine.sapcloud.io/cluster-namespace";

/// Node: name of its machine's cluster, for the upstream autoscaler; from the machine's label of the same key.
pub const CLUSTER_API_CLUSTER_NAME: &str = "machine.sapcloud.io/cluster-name";

/// MachineDeployment: what a node that does not exist yet will offer, a key for each resource; for the upstream autoscaler.
pub const AUTOSCALER_CAPACITY_PREFIX: &str = "capacity.cluster-autoscaler.kubernetes.io/";

/// MachineDeployment: JSON of what we wrote under the former prefix, so that what users wrote is told from it.
pub const DERIVED_CAPACITY: &str = "machine.sapcloud.io/derived-autoscaler-capacity";

/// Node: name of the machine set whose template its update in place leads to, so that an update is never taken for another.
pub const UPDATE_TARGET: &str = "node.machine.sapcloud.io/update-target";

/// On the Secret of a webhook that makes its own certificates: since when the CAs in it have been in the webhook configurations.
pub const CERTIFICATE_AUTHORITY_PUBLISHED: &str = "webhook.machine.sapcloud.io/ca-published";

/// On the same Secret: since when there has been a serving certificate of its newest CA in it.
pub const CERTIFICATE_ISSUED: &str = "webhook.machine.sapcloud.io/certificate-issued";
