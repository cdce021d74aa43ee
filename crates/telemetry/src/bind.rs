//! Opens a listening socket, with an error that names the flag to change.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

/// Why an address can't be listened on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another process has it.
    #[error("{flag} is taken: another process listens on {address}; end that process or choose another port")]
    Taken {
        /// The flag as it was given.
        flag: String,
        /// The address it stands for.
        address: SocketAddr,
    },
    /// A port that needs privileges.
    #[error("{flag} is not permitted: this user may not listen on {address}; choose a port above 1023")]
    NotPermitted {
        /// The flag as it was given.
        flag: String,
        /// The address it stands for.
        address: SocketAddr,
    },
    /// No network interface has the address.
    #[error(
        "{flag} is not an address of this machine: no interface has {}; use 0.0.0.0, [::] or 127.0.0.1",
        address.ip()
    )]
    NotOurs {
        /// The flag as it was given.
        flag: String,
        /// The address it stands for.
        address: SocketAddr,
    },
    /// Anything else.
    #[error("{flag} can't be listened on ({address})")]
    Other {
        /// The flag as it was given.
        flag: String,
        /// The address it stands for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Listens on `address`; `flag` is what the user wrote, such as `--port 8080`.
///
/// # Errors
/// When the address is taken, not permitted or not there.
pub async fn bind(flag: impl Into<String>, address: SocketAddr) -> Result<TcpListener, BindError> {
    let flag = flag.into();
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::Taken { flag, address },
        io::ErrorKind::PermissionDenied => BindError::NotPermitted { flag, address },
        io::ErrorKind::AddrNotAvailable => BindError::NotOurs { flag, address },
        _ => BindError::Other { flag, address, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_names_the_flag_and_the_address() {
        let first = bind("--port 0", SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let address = first.local_addr().unwrap();
        let flag = format!("--port {}", address.port());
        let error = bind(flag.clone(), address).await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("{flag} is taken: ")), "{error}");
        assert!(error.contains(&address.to_string()), "{error}");
    }

    #[tokio::test]
    async fn an_address_of_another_machine_is_refused_with_what_to_use() {
        let error = bind("--listen 192.0.2.1:0", SocketAddr::from(([192, 0, 2, 1], 0))).await.unwrap_err();
        assert!(matches!(error, BindError::NotOurs { .. }), "{error}");
        assert!(error.to_string().contains("0.0.0.0"), "{error}");
    }
}
