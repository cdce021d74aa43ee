//! A VM that a test puts into the cloud behind the provider's back.

/// What such a VM carries.
#[derive(Clone, Debug)]
pub struct PlacedVm {
    /// Its name.
    pub name: String,
    /// UID of the machine it claims to be made for.
    pub uid: Option<String>,
    /// To whom its tags say it belongs.
    pub owner: Owner,
}

/// Whose VM it is, by its tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The scope of the cloud's valid spec.
    Us,
    /// Another cluster, the same role.
    OtherCluster,
    /// A cluster whose name starts with ours, such as `foo-bar` beside `foo`; the same role.
    ClusterWithOurPrefix,
    /// Our cluster, another role.
    OtherRole,
}

impl Owner {
    /// Everybody else.
    pub const STRANGERS: [Self; 3] = [Self::OtherCluster, Self::ClusterWithOurPrefix, Self::OtherRole];
}
