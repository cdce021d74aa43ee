//! Which VMs of a cloud account belong to us.

/// Cluster and role, as the tags of a class spell them, and where the class looks for them. A VM that carries other tags
/// is never touched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The tag that names the cluster, such as `kubernetes.io/cluster/shoot-1`.
    pub cluster: String,
    /// The tag that names the role, such as `kubernetes.io/role/node`.
    pub role: String,
    /// What a list with the same tags and credentials shows depends on: a region, an endpoint, a project. Two classes
    /// that differ in it alone show different VMs.
    pub location: String,
}
