//! What the webhook knows of other objects: watched, trimmed, and looked up while a request is judged.
//!
//! A request waits for nothing: each look is one in memory, by name, class or owner. What was never listed, or is watched in vain
//! for so long that it may be wrong, is not known, and nothing is refused for it. What follows from a fact stands in `admission`.

mod feed;
mod metrics;
mod namespace_facts;
mod neighbours;
mod scope;
mod secret_keys;
mod secret_shelf;
mod standing;
mod trim;
mod watched;
mod watched_kind;
mod watching;

#[cfg(test)]
mod tests;

use feed::feed;
use metrics::FactsMetrics;
use namespace_facts::NamespaceFacts;
pub use neighbours::Neighbours;
use scope::Scope;
use watched::Watched;
use watched_kind::WatchedKind;
pub(crate) use watching::Watching;
