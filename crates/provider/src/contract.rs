//! The contract suite: what every provider must do, asked of it on a cloud that a test scripts.
//!
//! A provider's tests implement [`Bench`] and [`ScriptedCloud`] over the best stand-in there is, call
//! [`run_all`] and end with [`Report::assert_kept`]. Each point is also a function of its own, so that one
//! can be asked alone. What a stand-in can't do is reported as not offered, never silently passed.
//!
//! Judges only what can be seen through [`Provider`](crate::Provider) and by counting what exists in the
//! cloud; how a provider talks to its cloud is the business of its own tests. What it writes to logs is not searched.

mod bench;
mod calls;
mod census;
mod creation;
mod deadlines;
mod deletion;
mod delivery;
mod error_row;
mod failures;
mod fault;
mod identity;
mod initialization;
mod interruption;
mod listing;
mod looking_up;
mod offered;
mod placed_vm;
mod report;
mod rules;
mod run_all;
mod scene;
mod scripted_cloud;
mod secrecy;
mod unreadable;
mod verdict;

pub use bench::Bench;
pub use calls::Calls;
pub use census::Census;
pub use creation::*;
pub use deadlines::*;
pub use deletion::*;
pub use delivery::*;
pub use error_row::{ErrorRow, Operation};
pub use failures::*;
pub use fault::{Call, Effect, Fault, Refusal, When};
pub use identity::*;
pub use initialization::*;
pub use interruption::*;
pub use listing::*;
pub use looking_up::*;
pub use offered::Offered;
pub use placed_vm::{Owner, PlacedVm};
pub use report::Report;
pub use rules::*;
pub use run_all::run_all;
pub use scripted_cloud::ScriptedCloud;
pub use secrecy::*;
pub use unreadable::*;
pub(crate) use verdict::expect_that;
pub use verdict::{Broken, Kept, Verdict};
