//! The tool as a user has it: files in, lines and exit codes out.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

mod broken;
mod exit_codes;
mod garbage;
mod json;
mod names;
mod ours;
mod places;
mod references;
mod schema;
mod tool;
mod yaml;
