//! Where probes and metrics are served.

use std::net::{IpAddr, SocketAddr};

use super::reading::parsed;
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Probes and metrics")]
pub(super) struct PortArgs {
    /// Address to serve /healthz, /readyz, /metrics and /configz on, without TLS.
    #[arg(long, value_name = "IP", default_value = "0.0.0.0")]
    address: String,
    /// Port to serve them on.
    #[arg(long, value_name = "PORT", default_value = "10258")]
    port: String,
}

impl PortArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<SocketAddr> {
        let Self { address, port } = self;
        let address: Option<IpAddr> = mistakes.read(
            "--address",
            &address,
            parsed("write an IP address, such as 0.0.0.0, :: or 127.0.0.1"),
        );
        let port = mistakes.read("--port", &port, |text| {
            text.parse()
                .ok()
                .filter(|port| *port != 0)
                .ok_or_else(|| "write a port from 1 to 65535".to_owned())
        });
        Some(SocketAddr::new(address?, port?))
    }
}
