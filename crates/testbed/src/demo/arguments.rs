//! The flags of `cargo demo`.

use std::path::PathBuf;

use clap::Parser;

/// Watch machines being born, replaced and collected on a real Kubernetes control plane on this machine.
#[derive(Debug, Clone, Parser)]
#[command(name = "demo", bin_name = "cargo demo")]
pub struct Arguments {
    /// End after the last step: exit code 0 if every step was seen to happen, else 1
    #[arg(long)]
    pub(super) exit: bool,
    /// The folder for logs, certificates and kubeconfigs [default: demo in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    pub(super) dir: Option<PathBuf>,
}
