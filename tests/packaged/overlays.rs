//! What users install: every folder of config/ and deploy/, found by walking the tree so that none is forgotten, built with the real kubectl
//! and shown to a real API server.

mod build;
mod dry_run;
mod foreign;
mod monitoring;
mod names;
mod people;
mod pods;
mod policies;
mod promql;
mod references;
mod registration;
mod secrets_in_use;
mod tree;
mod two_clusters;
