//! How etcd is called: one member on the loopback address. Without TLS: the API server is its only client, and both end with the testbed.

use std::path::Path;

use super::path_flag;

/// What differs between two testbeds.
pub(crate) struct Settings<'a> {
    pub(crate) data: &'a Path,
    pub(crate) client_port: u16,
    pub(crate) peer_port: u16,
}

/// The arguments.
pub(crate) fn arguments(settings: &Settings<'_>) -> Vec<String> {
    let Settings { data, client_port, peer_port } = settings;
    let client = format!("http://127.0.0.1:{client_port}");
    let peer = format!("http://127.0.0.1:{peer_port}");
    vec![
        "--name=testbed".to_owned(),
        path_flag("data-dir", data),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=testbed={peer}"),
        // A testbed starts empty, so it never reads back what a power cut could spoil.
        "--unsafe-no-fsync=true".to_owned(),
        // A bench of a thousand machines writes more than the 2 GiB default keeps between two compactions.
        "--quota-backend-bytes=8589934592".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etcd_listens_on_the_loopback_address_only() {
        let arguments =
            arguments(&Settings { data: Path::new("/data/etcd"), client_port: 2379, peer_port: 2380 });
        let urls: Vec<_> = arguments.iter().filter(|argument| argument.contains("-urls=")).collect();
        assert_eq!(urls.len(), 4);
        assert!(urls.iter().all(|argument| argument.contains("=http://127.0.0.1:23")), "{urls:?}");
        assert!(arguments.contains(&"--data-dir=/data/etcd".to_owned()));
    }
}
