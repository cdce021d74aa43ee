//! Who may ask.

use std::path::PathBuf;

/// Whether clients must prove who they are. Off by default: an API server has no certificate for webhooks
/// unless it is given one.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Clients")]
pub struct ClientArgs {
    /// File with the authorities of client certificates, as PEM; who has none of theirs is refused. Read again when its content changes.
    #[arg(long, value_name = "FILE")]
    pub client_ca_file: Option<PathBuf>,
    /// Names that a client certificate may bear, as common name or DNS name; any when not set.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "client_ca_file")]
    pub client_allowed_names: Vec<String>,
}
