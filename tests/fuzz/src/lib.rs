//! Throws changed reviews at the webhook's routes and holds every answer against what must be true of all of them.
//!
//! A driver of our own rather than libFuzzer: that one is C++ and wants a compiler for it wherever the tests run.
//! In place of the coverage of code, an input counts as new when its answer says something that no answer said
//! before: another rule, another field, another part of the patch. The webhook names every rule that an object
//! breaks, so its answers tell much of what was run.

mod answers;
mod corpus;
mod features;
mod finding;
mod fuzz;
mod json_changes;
mod mutator;
mod properties;
mod random;
mod shrink;

pub use answers::{Answer, Path, Webhook, WebhookError};
pub use corpus::{Corpus, CorpusError};
pub use features::features;
pub use finding::Finding;
pub use fuzz::{Outcome, fuzz};
pub use mutator::Mutator;
pub use properties::{Judged, judge};
pub use random::Random;
