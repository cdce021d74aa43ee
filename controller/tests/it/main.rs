//! The controller from outside: its flags, its pages of the reference, its program.
#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod bad_flags;
mod events_page;
mod flags;
mod flags_page;
mod kubernetes;
mod metrics_page;
mod page;
mod program;
mod providers;
mod serving;
