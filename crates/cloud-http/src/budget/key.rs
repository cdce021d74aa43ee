//! Whose budget of calls it is.

/// Whose budget it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BudgetKey {
    /// The provider, in lower case: `aws`.
    pub cloud: &'static str,
    /// The credential: [`Credentials::fingerprint`](millwright_provider::Credentials::fingerprint), or of what the cloud counts by.
    pub credential: u64,
    /// The endpoints that the cloud counts together: `compute`, `network`, a region's `ec2`.
    pub class: String,
}
