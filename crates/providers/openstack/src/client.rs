//! The calls: one session with the cloud for each credential, and a verb a file.

mod provider;

pub use provider::OpenStackProvider;
