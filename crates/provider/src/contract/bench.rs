//! What a provider's tests implement to be judged: a way to get a fresh cloud.

use async_trait::async_trait;

use super::ScriptedCloud;

/// Makes clouds for one provider.
#[async_trait]
pub trait Bench: Send + Sync {
    /// An empty cloud without faults, shared with no other point.
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud>;

    /// How many points may be asked at the same time: most of a suite is waiting for clouds that throttle or hang. More than
    /// one only where clouds share nothing, not even a slow database.
    fn at_once(&self) -> usize {
        1
    }
}
