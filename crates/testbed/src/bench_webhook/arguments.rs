//! The flags of `cargo testbed bench-webhook`.

use std::path::PathBuf;

use clap::Args;

/// What to measure, and where the result goes.
#[derive(Debug, Clone, Args)]
pub struct WebhookBenchArguments {
    /// How long to ask each question at each load
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(super) seconds: u64,
    /// How many requests at a time, one load after the other
    #[arg(long, value_name = "COUNTS", default_value = "1,8,64", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=400))]
    pub(super) at_a_time: Vec<u16>,
    /// Starts of the program, of which the median time counts
    #[arg(long, value_name = "COUNT", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) starts: u16,
    /// Creations through the API server for each figure; 0 leaves that part out
    #[arg(long, value_name = "COUNT", default_value_t = 2000)]
    pub(super) creations: u32,
    /// A webhook to measure instead of building one
    #[arg(long, value_name = "FILE")]
    pub(super) executable: Option<PathBuf>,
    /// A file for the figures, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// The folder for logs, certificates and kubeconfigs [default: bench-webhook in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    pub(super) dir: Option<PathBuf>,
    /// Flags for the webhook
    #[arg(last = true, value_name = "WEBHOOK FLAGS")]
    pub(super) webhook_flags: Vec<String>,
}
