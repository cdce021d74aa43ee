//! The house keeps its shape: which crate may know which, and what must never come in.
//!
//! Reads what Cargo knows (`cargo metadata`), the manifests and the lock file; compiles nothing. The table
//! of rooms is the one of docs/architecture.md.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod guards;
mod lock_file;
mod manifests;
mod reach;
mod rooms;
mod sdks;
mod words;
mod workspace;
