//! Which VMs of a cloud account belong to us.

/// Cluster and role, as the tags of a class spell them. A VM that carries others is never touched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The tag that names the cluster, such as `kubernetes.io/cluster/shoot-1`.
    pub cluster: String,
    /// The tag that names the role, such as `kubernetes.io/role/node`.
    pub role: String,
}
