//! What a run needs to know of a cloud.

use async_trait::async_trait;
use millwright_clouds::{Calls, JoiningVms};
use serde_json::Value;

/// A stand-in with an account in it.
#[async_trait]
pub(crate) trait World: Send + Sync {
    /// As a MachineClass names it.
    fn provider(&self) -> &'static str;

    /// Where it is, as the controller's flags say it.
    fn flags(&self) -> Vec<String>;

    /// A provider spec; two generations differ, so that machines are rolled.
    fn spec(&self, generation: u32) -> Value;

    /// The keys of the class's Secret but for the user data.
    fn secret(&self) -> Vec<(&'static str, String)>;

    /// What looks at its VMs behind the provider's back.
    fn joining(&self) -> Box<dyn Fn() -> JoiningVms + Send>;

    /// Everything that machines have made and that still exists.
    async fn left(&self) -> Vec<String>;

    /// The provider's calls so far.
    fn calls(&self) -> Calls;

    /// The provider's calls so far by what they do, each with its count.
    fn told(&self) -> String;

    /// What the stand-in found wrong with requests.
    fn violations(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many changing calls one machine's life may take: its goal is one to create and one to delete.
    fn changing_calls_of_a_life(&self) -> usize;
}

/// `3 × RunInstances, 2 × …`, in the order of their names.
pub(crate) fn counted(mut calls: Vec<String>) -> String {
    calls.sort();
    let kinds = calls.chunk_by(|one, other| one == other).map(|same| format!("{} × {}", same.len(), same[0]));
    kinds.collect::<Vec<_>>().join(", ")
}
