//! `kubectl millwright`: a plugin of kubectl that judges files by the rules of the webhook, without a cluster.
//!
//! It decides nothing about objects itself: `admission` does, and the schemas of config/crd say which fields there are. What is its own is
//! reading files as kubectl reads them, knowing where everything was written, and looking up references among the files.

mod args;
mod exit;
mod explain;
mod facts;
mod finding;
mod fleet;
mod judge;
mod object;
mod paint;
mod place_of;
mod report;
mod rules;
mod run;
mod schema;
mod sources;
mod yaml;

pub use args::Args;
pub use exit::Exit;
pub use paint::Paint;
pub use rules::RulesError;
pub use run::{RunError, run};
pub use sources::SourceError;
