//! Labels, with the object they stand on and who writes them.

/// Machine: name of the node it backs.
pub const NODE: &str = "node";

/// Machine, by template: name of its MachineDeployment; the scope of the meltdown guard and of metrics.
pub const DEPLOYMENT_NAME: &str = "name";

/// MachineSet and Machine: hash of the template, which only names things.
pub const TEMPLATE_HASH: &str = "machine-template-hash";

/// Machine, user: true skips all waiting in drain and deletion.
pub const FORCE_DELETION: &str = "force-deletion";

/// Machine, user: `True` forces the drain of an in-place update or preservation.
pub const FORCE_DRAIN: &str = "force-drain";

/// Machine and Node: `successful` or `failed` after an in-place update.
pub const UPDATE_RESULT: &str = "node.machine.sapcloud.io/update-result";

/// MachineSet and MachineDeployment: `True` while frozen by the overshoot safety.
pub const FREEZE: &str = "freeze";

/// MachineSet: `true` on old sets during an in-place update.
pub const SCALE_UP_DISABLED: &str = "node.machine.sapcloud.io/scale-up-disabled";

/// Node: name of its machine.
pub const MACHINE_NAME: &str = "node.gardener.cloud/machine-name";

/// Node: belongs to an old set of an in-place update.
pub const CANDIDATE_FOR_UPDATE: &str = "node.machine.sapcloud.io/candidate-for-update";

/// Node: to be drained now for an in-place update.
pub const SELECTED_FOR_UPDATE: &str = "node.machine.sapcloud.io/selected-for-update";

/// Node: its zone.
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// MachineSet: lets the upstream autoscaler see a rollout; only together with the revision annotation.
pub const CLUSTER_API_DEPLOYMENT_NAME: &str = "cluster.x-k8s.io/deployment-name";

/// Machine, user: name of its cluster for the upstream autoscaler; the same key is an annotation of its Node.
pub const CLUSTER_API_CLUSTER_NAME: &str = "machine.sapcloud.io/cluster-name";

/// Node: its region.
pub const REGION: &str = "topology.kubernetes.io/region";

/// Node: name of its VM's size at the cloud.
pub const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";

/// Node: its CPU architecture.
pub const ARCHITECTURE: &str = "kubernetes.io/arch";
